import { nearest } from '../../checks/nearest.ts';
import { quote } from '../../checks/text.ts';
import { usageError } from '../../errors.ts';

/** What is known of a service that many people log in at. */
export interface Preset {
  readonly name: string;
  /** Settings of its profile. A dialect of its own stands here too. */
  readonly settings: { readonly identity_url: string; readonly base_url: string };
  /** What people ask for. */
  readonly scope: string;
  /** What client credentials ask for. */
  readonly clientScope: string;
  /** Its endpoints below the issuer, for when it does not describe itself. */
  readonly paths: {
    readonly authorization: string;
    readonly device: string;
    readonly token: string;
    readonly revocation: string;
  };
}

const forPeople = 'openid profile offline_access';
const ofHotels =
  'identity:account-users.read identity:account-users.manage setup.manage properties.create properties.manage';

const presets: readonly Preset[] = [
  {
    name: 'apaleo',
    settings: { identity_url: 'https://identity.apaleo.com', base_url: 'https://api.apaleo.com' },
    scope: `${forPeople} ${ofHotels}`,
    clientScope: ofHotels,
    paths: {
      authorization: '/connect/authorize',
      device: '/connect/deviceauthorization',
      token: '/connect/token',
      revocation: '/connect/revocation',
    },
  },
];

/** The names of all presets, for help. */
export const presetNames: readonly string[] = presets.map(({ name }) => name);

/** The preset of that name. @throws {CliError} exit 2 when there is none. */
export function presetNamed(name: string): Preset {
  const found = presets.find((preset) => preset.name === name);
  if (found !== undefined) return found;
  const meant = nearest(name, presetNames);
  throw usageError(
    `There is no preset ${quote(name)}. There is: ${presetNames.join(', ')}.`,
    meant === undefined ? 'Without --preset: --identity-url and --base-url.' : `Did you mean ${meant}?`,
  );
}
