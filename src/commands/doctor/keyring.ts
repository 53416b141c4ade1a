import { openVault } from '../../auth/vault.ts';
import { lookUpCredential } from '../../config/credentials.ts';
import type { Settings } from '../../config/resolve.ts';
import { ExitCode } from '../../exit-codes.ts';
import { reasonOf } from '../../files/reason.ts';
import { KeyringFailure } from '../../keyring.ts';
import type { LocalSession } from '../../session.ts';
import { type Finding, failed, skipped } from './finding.ts';

const CHECK = 'keyring';

/** An account that nobody has. */
const PROBE = 'innctl doctor';

/** Whether the keyring of this system can be used, and whether the credential in force is in it. */
export async function examineKeyring(
  { folders, context }: LocalSession,
  { sandbox, profile, token, clientSecret, credentialCommand }: Settings,
): Promise<Finding> {
  const given = [token, clientSecret, credentialCommand].find((each) => each !== undefined);
  if (sandbox) return skipped(CHECK, 'the sandbox keeps nothing in it');
  if (given !== undefined) return skipped(CHECK, `not needed: the credential comes from ${given.source}`);
  if (profile === undefined) return probe(context);
  const name = profile.value;
  try {
    const vault = openVault(folders.config, name, context, lookUpCredential);
    const facts = vault.facts();
    if (facts === undefined) return probe(context);
    const hint = `innctl login --profile ${name}`;
    if (facts.keyring === undefined) {
      const detail = `the credential of profile ${name} stands unencrypted in credentials.json`;
      return { check: CHECK, status: 'warn', detail, hint };
    }
    const isThere = Object.keys(await vault.secrets()).length > 0;
    if (isThere) return { check: CHECK, status: 'ok', detail: `it has the credential of profile ${name}` };
    const detail = `it can be used, and has no credential of profile ${name}`;
    return { check: CHECK, status: 'fail', detail, hint, exitCode: ExitCode.notLoggedIn };
  } catch (cause) {
    return failed(CHECK, cause, ExitCode.notLoggedIn);
  }
}

/** Nothing is in it yet: that it cannot be used is no failure. */
async function probe({ keyring }: LocalSession['context']): Promise<Finding> {
  try {
    await keyring.read(PROBE);
    return { check: CHECK, status: 'ok', detail: 'it can be used; nothing of this profile is in it' };
  } catch (cause) {
    const detail = `the keyring of this system ${cause instanceof KeyringFailure ? cause.message : `fails: ${reasonOf(cause)}`}`;
    return { check: CHECK, status: 'warn', detail };
  }
}
