import { usageError } from '../../cli/errors.ts';
import type { SettingKey } from '../../config/settings.ts';
import { didYouMean, nearest } from '../../model/names.ts';
import { quote } from '../../model/text.ts';
import type { EntryList } from './entries.ts';

const forPeople = 'openid profile offline_access';
const ofHotels =
  'identity:account-users.read identity:account-users.manage setup.manage properties.create properties.manage';

/** Known values of popular services: the settings of a profile, and scopes. */
const presets = [
  {
    name: 'apaleo',
    settings: {
      identity_url: 'https://identity.apaleo.com',
      base_url: 'https://api.apaleo.com',
      dialect: 'apaleo',
    },
    /** Scopes of people. */
    scope: `${forPeople} ${ofHotels}`,
    /** Scopes of client credentials. */
    clientScope: ofHotels,
  },
] as const;

/** Known values of one service. */
export type Preset = (typeof presets)[number];

/** The names of all presets, for help. */
export const presetNames: readonly string[] = presets.map(({ name }) => name);

/** The preset with this name. @throws {CliError} exit 2 if there is none. */
export function presetNamed(name: string): Preset {
  const found = presets.find((preset) => preset.name === name);
  if (found !== undefined) return found;
  throw usageError(
    `There is no preset ${quote(name)}. There is: ${presetNames.join(', ')}.`,
    didYouMean(nearest(name, presetNames)) ?? 'Without --preset: --identity-url and --base-url.',
  );
}

/** The entries of a preset. @param scope the scopes; `undefined` for none. */
export function presetEntries({ settings }: Preset, scope?: string): EntryList {
  const known = { ...settings, ...(scope === undefined ? {} : { scope }) };
  // The keys of a preset are settings.
  return Object.entries(known).map(([key, given]) => [key as SettingKey, { given, field: '--preset' }]);
}
