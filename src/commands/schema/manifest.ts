import { Command } from '@commander-js/extra-typings';
import type { Context } from '../../context.ts';
import { withLocalSession } from '../../session.ts';
import { examples } from '../examples.ts';

/** `schema manifest`: the JSON Schema of manifests, made from what checks them. Nothing is sent. */
export function showManifestSchema(context: Context) {
  return new Command('manifest')
    .summary('print the JSON Schema of manifests')
    .description(
      'Print the JSON Schema of the files that plan and apply read, for an editor to check them while you type.',
    )
    .addHelpText('after', examples('schema manifest > manifest.schema.json'))
    .action(
      withLocalSession(context, async ({ out }) => {
        const { manifestJsonSchema } = await import('../../manifest/json-schema.ts');
        await out.document(await manifestJsonSchema());
      }),
    );
}
