import type { StoredProfile } from '../../config/document.ts';
import { parseGiven } from '../../config/reader.ts';
import { isSecret, type Setting, type SettingKey, settings, settingTable } from '../../config/settings.ts';
import type { LocalSession } from '../../session.ts';
import { allowsInsecureHttp, type Entries } from './entries.ts';
import { authOf, flagFor, missingKeys } from './requirements.ts';

/** A profile that can be stored, and its secret. */
export interface Draft {
  readonly profile: StoredProfile;
  readonly credential: { readonly token: string } | { readonly client_secret: string };
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
  let entries = given;
  for (const key of missingKeys(given)) {
    const answer = await ask(settingTable[key], entries, session);
    entries = new Map([...entries, [key, { given: answer, field: flagFor(key) }]]);
  }
  return draftOf(entries);
}

async function ask(setting: Setting, entries: Entries, { context }: LocalSession): Promise<string> {
  const rules = { insecureHttp: allowsInsecureHttp(entries) };
  const question = questions[setting.key] ?? setting.summary;
  const check = (answer: string) => {
    const parsed = setting.parse(answer, rules);
    return 'reason' in parsed ? parsed.reason : true;
  };
  if (!isSecret(setting)) return context.prompter.text(question, { check });
  const secret = await context.prompter.secret(question, { check });
  context.redactor.add(secret);
  return secret;
}

function draftOf(entries: Entries): Draft {
  const rules = { insecureHttp: allowsInsecureHttp(entries) };
  const read = <T>(setting: Setting<T>): T | undefined => {
    const parsed = parseGiven(setting, entries.get(setting.key)?.given, rules);
    return 'value' in parsed ? parsed.value : undefined;
  };
  const needed = <T>(setting: Setting<T>): T => {
    const value = read(setting);
    if (value === undefined) throw new Error(`The profile has no ${setting.key}.`);
    return value;
  };
  const at = (place: Setting['place']) =>
    Object.fromEntries(
      settings
        .filter((each) => each.place === place && entries.has(each.key))
        .map((each) => [each.key, read(each)]),
    );
  const auth = authOf(entries);
  const identityUrl = needed(settingTable.identity_url);
  const tokenUrl =
    read(settingTable.token_url) ?? (auth === 'token' ? undefined : `${identityUrl}/connect/token`);
  const defaults = at('defaults');
  return {
    profile: {
      ...at('top'),
      dialect: read(settingTable.dialect) ?? 'contract',
      auth,
      ...(tokenUrl === undefined ? {} : { token_url: tokenUrl }),
      ...(Object.keys(defaults).length === 0 ? {} : { defaults }),
    },
    credential:
      auth === 'token'
        ? { token: needed(settingTable.token) }
        : { client_secret: needed(settingTable.client_secret) },
    urls: [identityUrl, needed(settingTable.base_url), tokenUrl],
  };
}
