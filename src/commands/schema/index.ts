import { Command } from '@commander-js/extra-typings';
import type { Context } from '../../context.ts';
import { showManifestSchema } from './manifest.ts';

/** `schema ...`: schemas of the files that innctl reads. */
export function schemaCommands(context: Context) {
  return new Command('schema')
    .description('Schemas of the files that innctl reads, for editors and other programs.')
    .addCommand(showManifestSchema(context));
}
