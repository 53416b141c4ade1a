import { withReferences } from '../../change/resolve.ts';
import { refuseInvalid } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { onePage } from '../../model/records.ts';
import { serviceCommand } from '../../session/command-line.ts';
import { type Session, withSession } from '../../session/session.ts';
import { userShape } from '../shapes.ts';
import { resolveUsers, userProblems, users, usersArgument } from './reference.ts';

/**
 * `users get <subject-id|e-mail>`: one user with every field.
 *
 * GET /api/v1/identity/users/{subjectId}. The contract has no search by e-mail, so the whole list is read for it.
 */
export function getUser(context: Context) {
  return serviceCommand('get show', 'reads', [
    'users get ana@example.com',
    'users get ana@example.com --json',
  ])
    .exitsWith('ambiguous')
    .summary('show a user')
    .description('Show a user by subject id or e-mail address.')
    .argument(...usersArgument)
    .action(withReferences(context, users, { all: showUsers }));
}

async function showUsers(words: readonly string[], _: unknown, session: Session): Promise<void> {
  refuseInvalid(userProblems(words, session));
  const found = await resolveUsers(words, { isRead: true }, session);
  const records = found.map(({ record = {} }) => record);
  const [one, ...others] = records;
  if (one !== undefined && others.length === 0) return session.out.record(userShape, one);
  await session.out.records(userShape, onePage(records));
}

/**
 * `users me`: the user of the current token.
 *
 * GET /api/v1/users/me. Client credentials have no user and are refused before anything is sent.
 */
export function getCurrentUser(context: Context) {
  return serviceCommand('me', 'reads', ['users me', 'users me --json'])
    .summary('show the logged-in user')
    .description('Show the logged-in user. Client credentials have no user.')
    .action(
      withSession(context, async ({ api, out }) => {
        await out.record(userShape, await api.users.me());
      }),
    );
}
