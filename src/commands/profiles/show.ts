import { localCommand } from '../../cli/described-command.ts';
import { usageError } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { withLocalSession } from '../../cli/session.ts';
import { type Credential, readCredential, secretsStored } from '../../config/credentials.ts';
import { type StoredProfile, storedProfile } from '../../config/file.ts';
import { profileNames, unknownProfile } from '../../config/resolve.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { currentProfile } from '../auth/exported.ts';
import { profileRecord, profileShape } from './list.ts';

/** `profiles show [name]`: show a stored profile. Secrets are not shown. */
export function showProfile(context: Context) {
  return localCommand('show get', 'reads', ['profiles show', 'profiles show chain --json'])
    .summary('show a profile')
    .description('Show what is stored for a profile (default: the current one). Secrets are never shown.')
    .argument('[name]', 'profile')
    .action(
      withLocalSession(context, async (session, given) => {
        const name = given ?? currentProfile(session);
        if (name === undefined) throw usageError('No profile is active.', 'innctl profiles list');
        if (!profileNames(session.config).includes(name)) throw unknownProfile(name, session.config);
        const credential = readCredential(session.folders.config, name);
        await session.out.record(profileShape, {
          ...profileRecord(session.config, name),
          ...credentialRecord(credential, storedProfile(session.config, name)),
        });
      }),
    );
}

function credentialRecord(
  credential: Credential | undefined,
  profile: StoredProfile | undefined,
): ServiceRecord {
  if (credential === undefined) return { credential: 'none' };
  const { origins, keyring, login } = credential;
  const stored = secretsStored(credential, profile?.['auth']).map((key) => key.replace('_', ' '));
  return {
    ...(stored.length === 0 ? {} : { credential: stored.join(', ') }),
    credential_in: keyring === undefined ? 'file' : 'keyring',
    credential_for: origins,
    ...(login === undefined ? {} : { login: login.method }),
    ...(Object.keys(login?.who ?? {}).length === 0 ? {} : { account: login?.who }),
  };
}
