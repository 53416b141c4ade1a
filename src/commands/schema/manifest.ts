import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { withLocalSession } from '../../session.ts';

/** `schema manifest`: the JSON Schema of manifests, made from what checks them. Nothing is sent. */
export function showManifestSchema(context: Context) {
  return new DescribedCommand('manifest', {
    effect: 'reads',
    examples: ['schema manifest > manifest.schema.json'],
  })
    .summary('print the JSON Schema of manifests')
    .description(
      'Print the JSON Schema of the files that plan and apply read, for an editor to check them while you type.',
    )
    .action(
      withLocalSession(context, async ({ out }) => {
        const { manifestJsonSchema } = await import('../../manifest/json-schema.ts');
        await out.document(await manifestJsonSchema());
      }),
    );
}
