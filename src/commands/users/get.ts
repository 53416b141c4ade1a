import { DescribedCommand } from '../../cli/described-command.ts';
import { invalidInput } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import { userShape } from '../shapes.ts';
import { findUser, referenceProblems, suggestUser, userArgument } from './reference.ts';

/**
 * `users get <subject-id|e-mail>`: one user with every field.
 *
 * GET /api/v1/identity/users/{subjectId}. The contract has no search by e-mail, so the whole list is read for it.
 */
export function getUser(context: Context) {
  return new DescribedCommand('get', {
    effect: 'reads',
    on: 'service',
    exits: ['ambiguous'],
    examples: ['users get ana@example.com', 'users get ana@example.com --json'],
  })
    .alias('show')
    .summary('show a user')
    .description('Show a user by subject id or e-mail address.')
    .argument(userArgument, 'subject id or full e-mail address of the user')
    .action(
      withSession(context, async (session, reference) => {
        const problems = referenceProblems(reference);
        if (problems.length > 0) throw invalidInput(problems);
        const { subjectId } = await findUser(reference, session);
        const user = await session.api.users.get(subjectId).catch(suggestUser(subjectId, session));
        await session.out.record(userShape, user);
      }),
    );
}
