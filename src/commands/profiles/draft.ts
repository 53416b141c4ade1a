import type { StoredProfile } from '../../config/document.ts';
import { isSecret, type Setting, type SettingKey, settings, settingTable } from '../../config/settings.ts';
import type { LocalSession } from '../../session.ts';
import { anyHttp, type Entries, problemOfKept, readEntry } from './entries.ts';
import { type Auth, authOf, flagFor, missingKeys } from './requirements.ts';

/** A profile that can be stored, and its secret, where no command of its own prints one. */
export interface Draft {
  readonly profile: StoredProfile;
  readonly credential: { readonly token: string } | { readonly client_secret: string } | undefined;
  /** All URLs that the secret may go to. */
  readonly urls: readonly (string | undefined)[];
}

const questions: Readonly<Partial<Record<SettingKey, string>>> = {
  identity_url: 'URL of the identity area',
  base_url: 'URL of the inventory area',
  client_id: 'Client id',
  client_secret: 'Client secret',
  token: 'Token',
};

/** Asks the person for what a profile still misses, and puts it together. What was given is valid. */
export async function complete(given: Entries, session: LocalSession): Promise<Draft> {
  return draftOf(await askFor(missingKeys(given), given, session));
}

/** Asks the person for these settings, in this order, and adds the answers. */
export async function askFor(
  keys: readonly SettingKey[],
  given: Entries,
  session: LocalSession,
): Promise<Entries> {
  let entries = given;
  for (const key of keys) {
    const answer = await ask(settingTable[key], session);
    entries = new Map([...entries, [key, { given: answer, field: flagFor(key) }]]);
  }
  return entries;
}

async function ask(setting: Setting, { context }: LocalSession): Promise<string> {
  const question = questions[setting.key] ?? setting.summary;
  const check = (answer: string) => {
    const parsed = setting.parse(answer, anyHttp);
    return 'reason' in parsed ? parsed.reason : (problemOfKept(setting.key, parsed.value) ?? true);
  };
  if (!isSecret(setting)) return context.prompter.text(question, { check });
  const secret = await context.prompter.secret(question, { check });
  context.redactor.add(secret);
  return secret;
}

function draftOf(entries: Entries): Draft {
  const auth = authOf(entries);
  const identityUrl = needed(entries, settingTable.identity_url);
  const tokenUrl =
    readEntry(entries, settingTable.token_url) ??
    (auth === 'token' ? undefined : `${identityUrl}/connect/token`);
  const defaults = valuesAt(entries, 'defaults');
  return {
    profile: {
      ...valuesAt(entries, 'top'),
      dialect: readEntry(entries, settingTable.dialect) ?? 'contract',
      auth,
      ...(tokenUrl === undefined ? {} : { token_url: tokenUrl }),
      ...(Object.keys(defaults).length === 0 ? {} : { defaults }),
    },
    credential: credentialIn(entries, auth),
    urls: [identityUrl, needed(entries, settingTable.base_url), tokenUrl],
  };
}

function credentialIn(entries: Entries, auth: Auth): Draft['credential'] {
  if (entries.has('credential_command')) return undefined;
  return auth === 'token'
    ? { token: needed(entries, settingTable.token) }
    : { client_secret: needed(entries, settingTable.client_secret) };
}

function needed<T>(entries: Entries, setting: Setting<T>): T {
  const value = readEntry(entries, setting);
  if (value === undefined) throw new Error(`The profile has no ${setting.key}.`);
  return value;
}

/** The values of all settings that a profile keeps at this place. */
export function valuesAt(entries: Entries, place: Setting['place']): Record<string, unknown> {
  const given = settings.filter((setting) => setting.place === place && entries.has(setting.key));
  return Object.fromEntries(given.map((setting) => [setting.key, readEntry(entries, setting)]));
}
