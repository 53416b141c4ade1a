import { usageError } from '../../model/errors.ts';
import { quote } from '../../model/text.ts';

const ofHotels =
  'identity:account-users.read identity:account-users.manage setup.manage properties.create properties.manage';

/** Known values of popular services: the settings of a profile, and the scopes of people and of clients. */
const presets = [
  {
    name: 'apaleo',
    settings: {
      identity_url: 'https://identity.apaleo.com',
      base_url: 'https://api.apaleo.com',
      dialect: 'apaleo',
    },
    scope: `openid profile offline_access ${ofHotels}`,
    clientScope: ofHotels,
  },
] as const;

/** Known values of one service. */
export type Preset = (typeof presets)[number];

/** The names of all presets, for help. */
export const presetNames: readonly string[] = presets.map(({ name }) => name);

/** The preset with this name. @throws {CliError} exit 2 if there is none. */
export function presetNamed(name: string | undefined): Preset | undefined {
  const found = presets.find((preset) => preset.name === name);
  if (found !== undefined || name === undefined) return found;
  throw usageError(`There is no preset ${quote(name)}. There is: ${presetNames.join(', ')}.`);
}
