import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { showManifestSchema } from './manifest.ts';

/** `schema ...`: schemas of the files that innctl reads. */
export function schemaCommands(context: Context) {
  return new DescribedCommand('schema', { examples: ['schema manifest > manifest.schema.json'] })
    .summary('schemas of the files that innctl reads')
    .description('Schemas of the files that innctl reads, for editors and other programs.')
    .addCommand(showManifestSchema(context));
}
