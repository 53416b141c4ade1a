import type { SettingKey } from '../../config/settings.ts';
import type { Detail } from '../../errors.ts';
import type { Entries } from './entries.ts';

/** How a profile proves who asks. */
export type Auth = 'token' | 'client-credentials';

/** What is given; else client credentials where there is a client id, and a token where there is none. */
export function authOf(entries: Entries): Auth {
  const isFetched = entries.has('client_id') && !entries.has('credential_command');
  const given = entries.get('auth')?.given ?? (isFetched ? 'client-credentials' : 'token');
  return given === 'client-credentials' ? given : 'token';
}

/** What a profile cannot do without and was not given, in the order in which a person is asked. */
export function missingKeys(entries: Entries): readonly SettingKey[] {
  const auth = authOf(entries);
  const needed: readonly SettingKey[] = [
    'identity_url',
    'base_url',
    ...(entries.has('credential_command') ? [] : secretKeys(auth)),
  ];
  return needed.filter((key) => !entries.has(key));
}

/** Secrets that flags give and that would not be used. One in a file may stand there for other readers. */
export function unusedSecrets(entries: Entries): readonly Detail[] {
  const auth = authOf(entries);
  const isPrinted = entries.has('credential_command');
  const unused = isPrinted
    ? (['token', 'client_secret'] as const)
    : [secretOf(auth === 'token' ? 'client-credentials' : 'token')];
  const instead = isPrinted ? '--credential-command' : `--auth ${auth}`;
  return unused.flatMap((key) => {
    const field = entries.get(key)?.field;
    return field === flagFor(key) ? [{ field, reason: `is not used with ${instead}` }] : [];
  });
}

/** The flag of `profiles add` that gives a setting. */
export function flagFor(key: SettingKey): string {
  const isSecret = key === 'token' || key === 'client_secret';
  return `--${key.replaceAll('_', '-')}${isSecret ? '-file' : ''}`;
}

/** Whoever asks with client credentials has an id as well. */
function secretKeys(auth: Auth): readonly SettingKey[] {
  return auth === 'token' ? ['token'] : ['client_id', 'client_secret'];
}

function secretOf(auth: Auth): 'token' | 'client_secret' {
  return auth === 'token' ? 'token' : 'client_secret';
}
