import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Session } from '../cli/session.ts';
import { type Target, targetOf } from './journal/target.ts';

/**
 * The service and the account of a run.
 *
 * @throws {CliError} `unknown_account`, exit 11, if the run deletes and the account is unknown.
 */
export async function targetIn(session: Session, { prune }: { readonly prune: boolean }): Promise<Target> {
  const { account, credentials, settings } = session;
  const { text, name } = await account();
  if (!prune || name !== undefined) return targetOf(settings(), text);
  // Records of an unknown account may belong to another one.
  throw new CliError(
    'unknown_account',
    `--prune deletes what the same account created, and the account of the token of ${credentials.source} is unknown: ` +
      'neither the token nor users/me shows it. Nothing was sent.',
    {
      exitCode: ExitCode.blocked,
      hint: 'Use a credential of a known account: a login (innctl login), a client (INNCTL_CLIENT_ID, INNCTL_CLIENT_SECRET) or a token that may read users/me.',
    },
  );
}
