import { DescribedCommand, localCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withLocalSession } from '../../cli/session.ts';

/** `schema ...`: schemas of input files. */
export function schemaCommands(context: Context) {
  return new DescribedCommand('schema', {
    examples: ['schema manifest > manifest.schema.json', 'schema access-policy > policy.schema.json'],
  })
    .summary('print schemas of input files')
    .description('Print schemas of input files, for editors and other programs.')
    .addCommand(showManifestSchema(context))
    .addCommand(showPolicySchema(context));
}

/** `schema manifest`: the JSON Schema of manifests, derived from their validation. Sends nothing. */
function showManifestSchema(context: Context) {
  return localCommand('manifest', 'reads', ['schema manifest > manifest.schema.json'])
    .summary('print the JSON Schema of manifests')
    .description('Print the JSON Schema of manifests, so that an editor can check them as you type.')
    .action(
      withLocalSession(context, async ({ out }) => {
        const { manifestJsonSchema } = await import('../../files/json-schema.ts');
        await out.document(manifestJsonSchema());
      }),
    );
}

/** `schema access-policy`: the JSON Schema of access policies. Sends nothing. */
function showPolicySchema(context: Context) {
  return localCommand('access-policy', 'reads', ['schema access-policy > access-policy.schema.json'])
    .summary('print the JSON Schema of access policies')
    .description(
      'Print the JSON Schema of the policies of "access check", so that an editor can check them as you type.',
    )
    .action(
      withLocalSession(context, async ({ out }) => {
        const { jsonSchemaOf } = await import('../../files/json-schema.ts');
        const { policySchema } = await import('../../people/policy-schema.ts');
        await out.document(jsonSchemaOf(policySchema()));
      }),
    );
}
