import { profileCandidates } from '../../config/candidates.ts';
import { type ConfigDocument, type StoredProfile, storedValue } from '../../config/document.ts';
import { readCandidate } from '../../config/reader.ts';
import { isGuard, type Setting, type SettingKey, settings, settingTable } from '../../config/settings.ts';
import { invalidInput } from '../../errors.ts';

/** Guards by key: `{ safety: 'read-only' }`. */
export type Guards = Readonly<Partial<Record<SettingKey, unknown>>>;

/**
 * The guards of the profile of that name that forbid something; replacing the profile must not lose them.
 *
 * @throws {CliError} exit 2 when one is not valid: what it was meant to forbid is not known.
 */
export function guardsOf(document: ConfigDocument, name: string): Guards {
  const found = settings
    .filter(isGuard)
    .flatMap((setting) => profileCandidates(setting, document, name).map((each) => ({ setting, ...each })))
    .filter(({ given }) => given !== undefined)
    .map((each) => ({ ...each, parsed: readCandidate(each.setting, each, { insecureHttp: false }) }));
  const problems = found.flatMap(({ field, parsed }) =>
    'reason' in parsed ? [{ field, reason: parsed.reason }] : [],
  );
  if (problems.length > 0) throw invalidInput(problems);
  return Object.fromEntries(
    found.flatMap(({ setting, parsed }) =>
      'value' in parsed && forbids(setting, parsed.value) ? [[setting.key, parsed.value]] : [],
    ),
  );
}

/** The profile with these guards beside its own; the stricter one counts, and of two who are expected the new one. Its own are valid. */
export function withGuards(profile: StoredProfile, guards: Guards): StoredProfile {
  const kept = settings
    .filter(({ key }) => guards[key] !== undefined)
    .map((setting) => {
      const own = storedValue(profile, setting);
      if (own !== undefined && setting.key === settingTable.expect_account.key) return [setting.key, own];
      const all = own === undefined ? [guards[setting.key]] : [guards[setting.key], own];
      return [setting.key, setting.combine?.(all)];
    });
  return { ...profile, ...Object.fromEntries(kept) };
}

/** Guards as a sentence ends with them: `safety read-only, protect BER`; empty where there are none. */
export function guardsInWords(guards: Guards): string {
  return Object.entries(guards)
    .map(([key, value]) => `${key} ${value}`)
    .join(', ');
}

function forbids({ fallback }: Setting, value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== fallback;
}
