import { keyringAccount } from '../../auth/vault.ts';
import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { KeyringFailure, tryOut } from '../../cli/ports.ts';
import type { LocalSession } from '../../cli/session.ts';
import { sameCommand } from '../../out/text.ts';

/**
 * Where to store the secrets of a profile: the keyring account, or `undefined` for the file. Tests the keyring before a
 * browser opens or a secret is prompted for; the file needs consent.
 *
 * @throws {CliError} exit 11 without consent.
 */
export async function storageFor(
  name: string,
  { insecureStorage }: { readonly insecureStorage?: true },
  session: LocalSession,
): Promise<string | undefined> {
  if (insecureStorage === true) return undefined;
  const { context, folders } = session;
  const account = keyringAccount(name, folders.config, context);
  try {
    await tryOut(context.keyring, account);
    return account;
  } catch (cause) {
    if (!(cause instanceof KeyringFailure)) throw cause;
    await consentToFile(`The keyring of this system ${cause.message}.`, session);
    return undefined;
  }
}

async function consentToFile(trouble: string, session: LocalSession): Promise<void> {
  const { argv, prompter, stdin } = session.context;
  if (!session.mayAsk()) {
    const input = stdin.spent ? ' (with the same input)' : '';
    throw new CliError('consent_missing', `${trouble} Storing secrets in a file instead requires consent.`, {
      exitCode: ExitCode.blocked,
      hint: `To store them unencrypted in credentials.json: ${sameCommand(argv, '--insecure-storage')}${input}`,
    });
  }
  await session.out.note(trouble);
  if (await prompter.confirm('Keep the secret unencrypted in credentials.json, which only you may read?'))
    return;
  throw new CliError('declined', 'Nothing was done.', { exitCode: ExitCode.blocked });
}
