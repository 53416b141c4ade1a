import { DescribedCommand } from '../../cli/described-command.ts';
import { CliError } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import { userShape } from '../shapes.ts';

/**
 * `users me`: the user of the current token.
 *
 * GET /api/v1/users/me. Client credentials have no user and are refused before anything is sent.
 */
export function getCurrentUser(context: Context) {
  return new DescribedCommand('me', {
    effect: 'reads',
    on: 'service',
    examples: ['users me', 'users me --json'],
  })
    .summary('show the logged-in user')
    .description('Show the logged-in user. Client credentials have no user.')
    .action(
      withSession(context, async ({ api, out }) => {
        await out.record(userShape, await api.users.me().catch(withHint));
      }),
    );
}

/** The service may reject a token without a user. */
function withHint(error: unknown): never {
  if (!(error instanceof CliError) || error.status !== 403) throw error;
  throw error.withHint(
    'A token from client credentials belongs to no user: use the token of a person, or ask for the missing right.',
  );
}
