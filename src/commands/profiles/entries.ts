import { parseGiven } from '../../config/reader.ts';
import type { Setting, SettingKey } from '../../config/settings.ts';
import { isInsecure, type UrlRules } from '../../config/urls.ts';

/** What was given for a setting, and where: the flag, or the field of a file. */
export interface Entry {
  readonly given: unknown;
  readonly field: string;
}

/** What is known of a profile that is to be added. */
export type Entries = ReadonlyMap<SettingKey, Entry>;

/** The value of a setting; `undefined` where none, or none that is valid, was given. */
export function readEntry<T>(entries: Entries, setting: Setting<T>): T | undefined {
  const parsed = parseGiven(setting, entries.get(setting.key)?.given, anyHttp);
  return 'value' in parsed ? parsed.value : undefined;
}

/** Settings that are URLs to which something goes that is kept. */
const urlKeys: readonly SettingKey[] = ['identity_url', 'base_url', 'issuer', 'token_url'];

/** Http to another machine is no mistake of form: `openLineProblem` says what it is. */
export const anyHttp: UrlRules = { insecureHttp: true };

/** What is wrong with a valid value of a profile that keeps a credential; `undefined` when nothing is. */
export function problemOfKept(key: SettingKey, value: unknown): string | undefined {
  return urlKeys.includes(key) && typeof value === 'string' ? openLineProblem(value) : undefined;
}

/** What is kept goes over no open line. */
export function openLineProblem(url: string): string | undefined {
  return isInsecure(url)
    ? `http to ${new URL(url).host} would send credentials unencrypted; use https: --insecure-http does not allow it for what is stored`
    : undefined;
}
