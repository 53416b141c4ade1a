import { bare, describeCredential } from '../../auth/identity.ts';
import { CliError, ExitCode, usageError } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { withoutHoles } from '../../model/records.ts';
import { localCommand } from '../../session/command-line.ts';
import { type Session, withSession } from '../../session/session.ts';
import { groupOf } from '../options.ts';

/** `auth ...`: show and test credentials. */
export const authCommands = groupOf({
  names: 'auth',
  summary: 'show login status and tokens',
  description: 'Show login status, and print tokens for other programs. To log in, use innctl login.',
  examples: ['auth status', 'auth status chain --json', 'auth token'],
  verbs: {
    status: async () => (await import('./status.ts')).authStatus,
    token: async () => authToken,
  },
});

/**
 * `auth token`: print the access token for other programs, refreshed if it expires soon.
 *
 * The only result that is a secret: it bypasses redaction, on stdout only. On a terminal it needs --yes.
 */
function authToken(context: Context) {
  return localCommand('token', 'reads', [
    'auth token',
    'auth token --profile chain --json',
    'auth token --yes',
  ])
    .exitsWith('notLoggedIn', 'unavailable', 'blocked')
    .summary('print the token')
    .description(
      'Print the token of the current profile, for programs such as curl. On a terminal, requires --yes.',
    )
    .action((...args: unknown[]) => {
      const body = (session: Session, ..._: unknown[]) => printToken(session);
      return withSession({ ...context, stdout: context.unmasked }, body)(...args);
    });
}

async function printToken({ context, credentials, folders, globals, out, settings }: Session): Promise<void> {
  if (settings().sandbox)
    throw usageError(
      'The token of the built-in sandbox is valid only within one command.',
      'To start a server, which prints its token: innctl sandbox serve',
    );
  if (context.stdout.isTerminal && globals.yes !== true)
    throw new CliError('blocked', 'The token would be visible on the screen.', {
      exitCode: ExitCode.blocked,
      hint: 'Pass it to a program: curl -H "Authorization: Bearer $(innctl auth token)" ...; or use --yes.',
    });
  const token = await credentials.current(context.signal);
  const { expires_at } = describeCredential(settings(), folders.config, token);
  await out.line(bare(token), withoutHoles({ token: bare(token), token_type: 'Bearer', expires_at }));
}
