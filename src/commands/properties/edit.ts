import { DescribedCommand } from '../../cli/described-command.ts';
import { invalidInput } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import { chosenEditor } from '../edit/which-editor.ts';
import { serviceLine } from '../lines.ts';
import { idDetails } from './by-id.ts';

/**
 * `properties edit <id>`: a property in an editor.
 *
 * GET, then PATCH /inventory/v1/properties/{id}. Which fields can be changed is the service's to say, but for those
 * that are written when a property is created.
 */
export function editProperty(context: Context) {
  return new DescribedCommand('edit', {
    effect: 'writes',
    on: 'service',
    examples: ['properties edit BER', 'properties edit BER --dry-run'],
  })
    .summary('edit a property in an editor')
    .description('Open a property as YAML in your editor, then review and send the changes.')
    .argument('<id>', 'id of the property')
    .option('--no-validate', 'let the service validate names and values')
    .option('--file <path>', 'start from this file, such as a saved draft, instead of the record')
    .option('--no-verify', 'do not verify the change by reading the property back')
    .action(
      withSession(context, async (session, id, options) => {
        session.api.permit('updateProperty', id);
        const details = await idDetails(id, session.api);
        if (details.length > 0) throw invalidInput(details);
        const instead = serviceLine(session.globals, 'properties', 'update', '--help');
        const editor = chosenEditor(session, instead);
        const { editRecord } = await import('../edit/edit-record.ts');
        const { propertySubject } = await import('./edited.ts');
        await editRecord(propertySubject(id, options, session), { editor, file: options.file }, session);
      }),
    );
}
