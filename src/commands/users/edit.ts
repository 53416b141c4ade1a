import { DescribedCommand } from '../../cli/described-command.ts';
import { invalidInput } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import { chosenEditor } from '../edit/which-editor.ts';
import { serviceLine } from '../lines.ts';
import { accessProblems, withAccessFlags } from './access.ts';
import { findPermitted, referenceProblems, userArgument } from './reference.ts';

/**
 * `users edit <subject-id|e-mail>`: a user in an editor.
 *
 * GET, then PATCH /api/v1/identity/users/{subjectId}. The contract shows /enabled with replace and /properties with
 * add; whether other fields can be changed is the service's to say.
 */
export function editUser(context: Context) {
  const command = new DescribedCommand('edit', {
    effect: 'destroys',
    on: 'service',
    exits: ['ambiguous'],
    examples: ['users edit ana@example.com', 'users edit ben@example.com --confirm ben@example.com'],
  })
    .summary('edit a user in an editor')
    .description('Open a user as YAML in your editor, then review and send the changes.')
    .argument(userArgument, 'subject id or full e-mail address of the user')
    .option('--file <path>', 'start from this file, such as a saved draft, instead of the record')
    .option('--no-verify', 'do not verify the change by reading the user back');
  return withAccessFlags(command).action(
    withSession(context, async (session, reference, options) => {
      session.api.permit('updateUser', reference);
      const details = [...referenceProblems(reference), ...accessProblems(options)];
      if (details.length > 0) throw invalidInput(details);
      const editor = chosenEditor(session, serviceLine(session.globals, 'users', 'update', '--help'));
      const user = { reference, ...(await findPermitted(reference, session)) };
      const { editRecord } = await import('../edit/edit-record.ts');
      const { userSubject } = await import('./edited.ts');
      await editRecord(userSubject(user, options, session), { editor, file: options.file }, session);
    }),
  );
}
