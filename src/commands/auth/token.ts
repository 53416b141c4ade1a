import { bare } from '../../auth/credentials.ts';
import { describeCredential, momentText } from '../../auth/identity.ts';
import { localCommand } from '../../cli/described-command.ts';
import { CliError, usageError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { withoutHoles } from '../../model/records.ts';

/**
 * `auth token`: print the access token for other programs, refreshed if it expires soon.
 *
 * The only result that is a secret: it bypasses redaction, on stdout only. On a terminal it needs --yes.
 */
export function authToken(context: Context) {
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
      const body = (session: Session, ..._: unknown[]) => print(session);
      return withSession({ ...context, stdout: context.unmasked }, body)(...args);
    });
}

async function print({ context, credentials, folders, globals, out, settings }: Session): Promise<void> {
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
  const { expiresAt } = describeCredential(settings(), folders.config, token);
  const facts = { token: bare(token), token_type: 'Bearer', expires_at: momentText(expiresAt) };
  await out.line(bare(token), withoutHoles(facts));
}
