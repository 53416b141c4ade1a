import { type Facts, type Login, readCredential } from '../../config/credentials.ts';
import { type StoredProfile, storedProfile, storedValue } from '../../config/file.ts';
import { parseCount, type SettingKey, settingTable } from '../../config/settings.ts';
import { endpointProblem, SANDBOX } from '../../config/urls.ts';
import { usageError } from '../../model/errors.ts';
import { quote } from '../../model/text.ts';
import { shellLine } from '../../print/text.ts';
import { flagOf } from '../../session/command-line.ts';
import type { LocalSession } from '../../session/session.ts';
import { entryProblems } from '../options.ts';
import {
  askFor,
  type Entries,
  entriesOf,
  fileEntries,
  flagEntries,
  flagFor,
  missingIn,
  secretEntry,
  type Values,
  valuesOf,
} from './entries.ts';

/** How to log in. */
export type Method = Login['method'];

/** All values known before a token is requested. */
export type Given = Awaited<ReturnType<typeof gatherLogin>>;

const methodFlags = {
  web: 'web',
  device: 'device',
  'client-credentials': 'clientCredentials',
  token: 'withToken',
} as const satisfies Readonly<Record<Method, string>>;

const withClient: readonly Method[] = ['web', 'device', 'client-credentials'];

/** Flags that only some methods use. */
const uses = {
  issuer: withClient,
  authorizationUrl: ['web'],
  deviceAuthorizationUrl: ['device'],
  tokenUrl: withClient,
  revocationUrl: withClient,
  clientId: withClient,
  clientSecretFile: withClient,
  confidential: withClient,
  scope: withClient,
  redirectPort: ['web'],
} as const satisfies Readonly<Record<string, readonly Method[]>>;

type TextFlag = Exclude<keyof typeof uses, 'confidential'> | 'preset' | 'file' | 'tokenFile';
type SwitchFlag = (typeof methodFlags)[Method] | 'confidential' | 'insecureStorage';

/** The flags of `login` and of `profiles add`. */
export type LoginFlags = { readonly [Flag in TextFlag]?: string | undefined } & {
  readonly [Flag in SwitchFlag]?: true | undefined;
};

/**
 * Collects the values of a login from flags, preset, variables, the profile and prompts, in this order of precedence.
 * Variables do not apply to a profile that a flag names.
 *
 * @throws {CliError} exit 2 with all invalid values and, if prompting is not possible, all missing ones.
 */
export async function gatherLogin(flags: LoginFlags, session: LocalSession) {
  const preset = presetNamed(flags.preset);
  const name = profileFor(preset, session);
  const before = storedProfile(session.config, name) ?? {};
  const stored = readCredential(session.folders.config, name);
  const method = methodNamed(flags) ?? usualMethod(before, stored, session);
  const isPiped = method === 'token' && !session.context.stdin.isTerminal;
  // A token needs no client secret: that flag is refused, and must not read the stdin that has the token.
  const secretFile = method === 'token' ? undefined : flags.clientSecretFile;
  const given: Entries = new Map([
    ...variableEntries(method, session),
    ...presetEntries(preset, method),
    ...flagEntries(flags, session),
    ...(await secretEntry('client_secret', secretFile, session)),
    ...(await secretEntry('token', isPiped ? '-' : undefined, session, 'stdin')),
  ]);
  const entries: Entries = new Map([...profileEntries(name, method, before, valuesOf(given)), ...given]);
  const { authorizationUrl, deviceAuthorizationUrl, revocationUrl } = flags;
  const endpoints = { authorizationUrl, deviceAuthorizationUrl, revocationUrl };
  const unused = Object.entries<readonly Method[]>(uses).filter(
    ([flag, methods]) => flag in flags && !methods.includes(method),
  );
  const missing = missingIn(
    {
      name,
      entries,
      needed: neededFor(method, flags.confidential === true),
      problems: [
        ...entryProblems('--redirect-port', flags.redirectPort, (port) => parseCount(1, 65_535)(port).reason),
        ...Object.entries(endpoints).flatMap(([key, url]) =>
          entryProblems(flagOf(key), url, endpointProblem),
        ),
        ...unused.map(([flag]) => ({
          field: flagOf(flag),
          reason: `is not used with ${flagOf(methodFlags[method])}`,
        })),
      ],
      missingDetail: (key) =>
        key === 'token'
          ? { field: 'stdin', reason: 'is a terminal: pipe the token in' }
          : { field: flagFor(key), reason: 'is missing' },
    },
    session,
    'innctl login --help',
  );
  return {
    /** The profile, which may not exist. */
    name,
    method,
    values: await askFor(missing, entries, session),
    /** Endpoints that are not settings. */
    endpoints,
    redirectPort: flags.redirectPort === undefined ? undefined : Number(flags.redirectPort),
    /** The stored profile. */
    before,
  };
}

/**
 * Collects the values of `profiles add`; flags override the file, and both override the preset.
 *
 * @returns also the missing values to prompt for.
 * @throws {CliError} exit 2 with all invalid values and, if prompting is not possible, all missing ones.
 */
export async function gatherProfile(name: string, flags: LoginFlags, session: LocalSession) {
  const preset = presetNamed(flags.preset);
  const { expectAccount } = session.globals;
  const known = [
    ...(await fileEntries(flags.file, session)),
    ...flagEntries({ ...flags, expectAccount }, session),
  ];
  const method = methodOf(name, new Map(known));
  const entries: Entries = new Map([
    ...presetEntries(preset, method),
    ...known,
    ...(await secretEntry('token', flags.tokenFile, session)),
    ...(await secretEntry('client_secret', flags.clientSecretFile, session)),
  ]);
  // A secret in a file may be for other programs.
  const unused = flagFor(method === 'token' ? 'client_secret' : 'token');
  const isUnused = [...entries.values()].some(({ field }) => field === unused);
  const problems = isUnused ? [{ field: unused, reason: `is not used with --auth ${method}` }] : [];
  const missingDetail = (key: SettingKey) => ({ field: flagFor(key), reason: 'is missing' });
  const collected = { name, entries, needed: neededFor(method, true), problems, missingDetail };
  return { method, entries, missing: missingIn(collected, session, 'innctl profiles add --help') };
}

/** The given method; by default client credentials with a client id, otherwise a token. A person has to log in. */
function methodOf(name: string, entries: Entries): 'token' | 'client-credentials' {
  const given = entries.get('auth')?.given ?? (entries.has('client_id') ? 'client-credentials' : 'token');
  if (given !== 'user') return given === 'client-credentials' ? given : 'token';
  throw usageError(
    'A profile of a person is made by logging in, not by profiles add.',
    `innctl ${shellLine(['login', '--profile', name])}`,
  );
}

/** The named profile, else the current one, else that of the preset. */
function profileFor(preset: Preset | undefined, { globals, context, config }: LocalSession): string {
  const selected = globals.profile ?? (context.env[settingTable.profile.env] || config.active_profile);
  const name = globals.sandbox === true ? SANDBOX : selected;
  if (name !== SANDBOX) return name ?? preset?.name ?? 'default';
  throw usageError(
    'The sandbox needs no login: use any command with --sandbox.',
    'At a service: innctl login --profile <name>',
  );
}

/** The method selected by flags. @throws {CliError} exit 2 if there are two. */
function methodNamed(flags: LoginFlags): Method | undefined {
  // The keys of the table are the methods.
  const [first, second] = (Object.keys(methodFlags) as Method[]).filter((each) => flags[methodFlags[each]]);
  if (first === undefined || second === undefined) return first;
  const [one, other] = [flagOf(methodFlags[first]), flagOf(methodFlags[second])];
  throw usageError(`${one} and ${other} contradict each other.`, 'Leave one of them out.');
}

/** On a terminal, the default is the method of the last login, or the browser. */
function usualMethod({ auth }: StoredProfile, stored: Facts | undefined, session: LocalSession): Method {
  if (!session.mayAsk())
    throw usageError(
      'There are several ways to log in: --web, --device, --client-credentials or --with-token.',
      'Without a person: innctl login --client-credentials, or pipe a token into innctl login --with-token',
    );
  const usual = auth === 'token' || auth === 'client-credentials' ? auth : 'web';
  return stored?.login?.method ?? usual;
}

/** An existing token has its scopes already. */
function presetEntries(preset: Preset | undefined, method: Method) {
  if (preset === undefined) return [];
  const scope = method === 'client-credentials' ? preset.clientScope : preset.scope;
  const known: Readonly<Partial<Record<SettingKey, string>>> = {
    ...preset.settings,
    ...(method !== 'token' && { scope }),
  };
  return entriesOf(
    ['identity_url', 'base_url', 'dialect', 'scope'],
    (key) => known[key],
    () => '--preset',
  );
}

const ofServices: readonly SettingKey[] = ['identity_url', 'base_url'];
const ofClients: readonly SettingKey[] = ['issuer', 'token_url', 'client_id', 'client_secret', 'scope'];

function variableEntries(method: Method, { globals, context: { env } }: LocalSession) {
  if (globals.profile !== undefined) return [];
  return entriesOf(
    [...ofServices, ...(method === 'token' ? [] : ofClients)],
    (key) => env[settingTable[key].env] || undefined,
    (key) => settingTable[key].env,
  );
}

/** Values from the profile: the service; for the same server also client and scopes. */
function profileEntries(name: string, method: Method, before: StoredProfile, given: Values) {
  const isSame = (value: string | undefined, old: unknown) => value === undefined || value === old;
  const isClient =
    method !== 'token' &&
    isSame(given.identity_url, before['identity_url']) &&
    isSame(given.issuer, before['issuer'] ?? before['identity_url']);
  const keys: readonly SettingKey[] = [
    ...ofServices,
    'dialect',
    'insecure_http',
    ...(isClient ? (['issuer', 'client_id'] as const) : []),
    ...(isClient && method === 'client-credentials' ? (['token_url'] as const) : []),
    ...(isClient && authOf(method) === before['auth'] ? (['scope'] as const) : []),
  ];
  return entriesOf(
    keys,
    (key) => storedValue(before, settingTable[key]),
    (key) => `config.json: profiles.${name}.${key}`,
  );
}

/** The auth method of a profile. */
export function authOf(method: Method): 'token' | 'client-credentials' | 'user' {
  return method === 'web' || method === 'device' ? 'user' : method;
}

function neededFor(method: Method, isConfidential: boolean): readonly SettingKey[] {
  if (method === 'token') return [...ofServices, 'token'];
  const hasSecret = isConfidential || method === 'client-credentials';
  return [...ofServices, 'client_id', ...(hasSecret ? (['client_secret'] as const) : [])];
}

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
function presetNamed(name: string | undefined): Preset | undefined {
  const found = presets.find((preset) => preset.name === name);
  if (found !== undefined || name === undefined) return found;
  throw usageError(`There is no preset ${quote(name)}. There is: ${presetNames.join(', ')}.`);
}
