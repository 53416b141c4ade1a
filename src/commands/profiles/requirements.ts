import type { SettingKey } from '../../config/settings.ts';
import type { Detail } from '../../errors.ts';
import type { Entries } from './entries.ts';

/** How a profile proves who asks. */
export type Auth = 'token' | 'client-credentials';

/** What is given; else client credentials where there is a client id, and a token where there is none. */
export function authOf(entries: Entries): Auth {
  const given = entries.get('auth')?.given ?? (entries.has('client_id') ? 'client-credentials' : 'token');
  return given === 'client-credentials' ? given : 'token';
}

/** What a profile cannot do without and was not given, in the order in which a person is asked. */
export function missingKeys(entries: Entries): readonly SettingKey[] {
  const auth = authOf(entries);
  const needed: readonly SettingKey[] = [
    'identity_url',
    'base_url',
    ...(auth === 'token' ? [] : (['client_id'] as const)),
    secretOf(auth),
  ];
  return needed.filter((key) => !entries.has(key));
}

/** A secret that a flag gives and that would not be used. One in a file may stand there for other readers. */
export function unusedSecrets(entries: Entries): readonly Detail[] {
  const auth = authOf(entries);
  const unused = auth === 'token' ? 'client_secret' : 'token';
  const field = entries.get(unused)?.field;
  return field === flagFor(unused) ? [{ field, reason: `is not used with --auth ${auth}` }] : [];
}

/** The flag of `profiles add` that gives a setting. */
export function flagFor(key: SettingKey): string {
  const isSecret = key === 'token' || key === 'client_secret';
  return `--${key.replaceAll('_', '-')}${isSecret ? '-file' : ''}`;
}

function secretOf(auth: Auth): 'token' | 'client_secret' {
  return auth === 'token' ? 'token' : 'client_secret';
}
