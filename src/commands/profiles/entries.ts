import { parseGiven } from '../../config/reader.ts';
import { type Setting, type SettingKey, settingTable } from '../../config/settings.ts';
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
  const parsed = parseGiven(setting, entries.get(setting.key)?.given, rulesOf(entries));
  return 'value' in parsed ? parsed.value : undefined;
}

/** Settings that are URLs to which something goes that is kept. */
const urlKeys: readonly SettingKey[] = ['identity_url', 'base_url', 'issuer', 'token_url'];

/** What is wrong with a valid value of a profile that keeps a credential; `undefined` when nothing is. */
export function problemOfKept(key: SettingKey, value: unknown): string | undefined {
  return urlKeys.includes(key) && typeof value === 'string' ? openLineProblem(value) : undefined;
}

/** What is kept goes over no open line. */
export function openLineProblem(url: string): string | undefined {
  return isInsecure(url)
    ? 'is http to another machine: what is stored never goes there, whatever --insecure-http says; use https'
    : undefined;
}

/** What a URL of this profile may be. */
export function rulesOf(entries: Entries): UrlRules {
  const { insecure_http } = settingTable;
  const parsed = parseGiven(insecure_http, entries.get(insecure_http.key)?.given, { insecureHttp: false });
  return { insecureHttp: 'value' in parsed && parsed.value };
}
