import { parseGiven } from '../../config/reader.ts';
import { type SettingKey, settingTable } from '../../config/settings.ts';

/** What was given for a setting, and where: the flag, or the field of a file. */
export interface Entry {
  readonly given: unknown;
  readonly field: string;
}

/** What is known of a profile that is to be added. */
export type Entries = ReadonlyMap<SettingKey, Entry>;

/** Whether http to other hosts was allowed for this profile. */
export function allowsInsecureHttp(entries: Entries): boolean {
  const entry = entries.get('insecure_http');
  if (entry === undefined) return false;
  const parsed = parseGiven(settingTable.insecure_http, entry.given, { insecureHttp: false });
  return 'value' in parsed && parsed.value;
}
