import type { Provider } from '../../auth/provider.ts';
import { type Detail, usageError } from '../../cli/errors.ts';
import { flagOf } from '../../cli/flags.ts';
import type { LocalSession } from '../../cli/session.ts';
import { type Facts, type Login, readCredential } from '../../config/credentials.ts';
import { type StoredProfile, storedProfile, storedValue } from '../../config/file.ts';
import { parseCount, type SettingKey, settingTable } from '../../config/settings.ts';
import { parseServiceUrl, SANDBOX } from '../../config/urls.ts';
import { withoutHoles } from '../../model/records.ts';
import { entryProblems } from '../options.ts';
import {
  anyHttp,
  askFor,
  type Entries,
  type EntryList,
  flagEntries,
  flagFor,
  insecureProblem,
  missingIn,
  secretEntry,
  type Values,
  valuesOf,
} from '../profiles/entries.ts';
import { type Preset, presetEntries, presetNamed } from '../profiles/presets.ts';
import type { loginCommand } from './login.ts';

/** How to log in. */
export type Method = Login['method'];

/** All values known before a token is requested. */
export type Given = Awaited<ReturnType<typeof gatherLogin>>;

/** Endpoints that are not settings. */
type Endpoints = Pick<Provider, 'authorizationUrl' | 'deviceAuthorizationUrl' | 'revocationUrl'>;

/** The flags of `login`. */
export type LoginFlags = ReturnType<ReturnType<typeof loginCommand>['opts']>;

/**
 * Collects values from flags, preset, variables, the profile and prompts, in this order of precedence. Variables do not
 * apply to a profile that a flag names.
 *
 * @throws {CliError} exit 2 with all invalid values and, if prompting is not possible, all missing ones.
 */
export async function gatherLogin(flags: LoginFlags, session: LocalSession) {
  const preset = flags.preset === undefined ? undefined : presetNamed(flags.preset);
  const name = profileFor(preset, session);
  const before = storedProfile(session.config, name) ?? {};
  const stored = readCredential(session.folders.config, name);
  const method = methodNamed(flags) ?? usualMethod(before, stored, session);
  const given = await givenEntries(flags, method, preset, session);
  const isSame = isSameServer(before, valuesOf(given));
  const facts = isSame ? stored : undefined;
  const entries: Entries = new Map([...profileEntries(name, method, before, facts, isSame), ...given]);
  const hadSecret = hasSecret(method, facts) && valuesOf(entries).client_id === before['client_id'];
  const isConfidential = flags.confidential === true || method === 'client-credentials' || hadSecret;
  const endpoints = endpointsOf(flags, facts);
  const collected = {
    name,
    entries,
    needed: neededKeys(method, isConfidential),
    problems: [
      ...entryProblems('--redirect-port', flags.redirectPort, (port) => parseCount(1, 65_535)(port).reason),
      ...Object.entries(method === 'token' ? {} : endpoints).flatMap(([key, url]) =>
        entryProblems(flagOf(key), url, urlProblem),
      ),
      ...unusedFlags(flags, method),
    ],
    missingDetail: (key: SettingKey) => missingDetail(key, session),
  };
  const missing = missingIn(collected, session, 'innctl login --help');
  return {
    /** The profile, which may not exist. */
    name,
    method,
    values: await askFor(missing, entries, session),
    /** Endpoints given now or at the last login. */
    endpoints,
    redirectPort: flags.redirectPort === undefined ? undefined : Number(flags.redirectPort),
    /** The stored profile. */
    before,
  };
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

const methodFlags = [
  ['web', 'web', '--web'],
  ['device', 'device', '--device'],
  ['clientCredentials', 'client-credentials', '--client-credentials'],
  ['withToken', 'token', '--with-token'],
] as const satisfies readonly (readonly [keyof LoginFlags, Method, string])[];

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

/** The method selected by flags. @throws {CliError} exit 2 if there are two. */
function methodNamed(flags: LoginFlags): Method | undefined {
  const [first, second] = methodFlags.filter(([flag]) => flags[flag] === true);
  if (first !== undefined && second !== undefined)
    throw usageError(`${first[2]} and ${second[2]} contradict each other.`, 'Leave one of them out.');
  return first?.[1];
}

/** On a terminal, the default is the method of the last login, or the browser. */
function usualMethod(before: StoredProfile, stored: Facts | undefined, session: LocalSession): Method {
  if (!session.mayAsk())
    throw usageError(
      'There are several ways to log in: --web, --device, --client-credentials or --with-token.',
      'Without a person: innctl login --client-credentials, or pipe a token into innctl login --with-token',
    );
  const usual = before['auth'] === 'client-credentials' ? 'client-credentials' : 'web';
  return stored?.login?.method ?? usual;
}

/** Flags that the method does not use. */
function unusedFlags(flags: LoginFlags, method: Method): readonly Detail[] {
  const methodFlag = methodFlags.find(([, each]) => each === method)?.[2];
  return Object.entries(uses)
    .filter(([flag, methods]) => flag in flags && !methods.some((each) => each === method))
    .map(([flag]) => ({ field: flagOf(flag), reason: `is not used with ${methodFlag}` }));
}

async function givenEntries(
  flags: LoginFlags,
  method: Method,
  preset: Preset | undefined,
  session: LocalSession,
): Promise<Entries> {
  const { globals, context } = session;
  const isPiped = method === 'token' && !context.stdin.isTerminal;
  return new Map([
    ...variableEntries(flags, method, session),
    ...(preset === undefined ? [] : presetEntries(preset, scopeOf(preset, method))),
    ...flagEntries(flags, globals),
    // A token needs no client secret: that flag is refused, and must not read the stdin that has the token.
    ...(await secretEntry('client_secret', method === 'token' ? undefined : flags.clientSecretFile, session)),
    ...(await secretEntry('token', isPiped ? '-' : undefined, session, 'stdin')),
  ]);
}

/** An existing token has its scopes already. */
function scopeOf({ scope, clientScope }: Preset, method: Method): string | undefined {
  if (method === 'token') return undefined;
  return method === 'client-credentials' ? clientScope : scope;
}

const ofServices: readonly SettingKey[] = ['identity_url', 'base_url'];
const ofClients: readonly SettingKey[] = ['issuer', 'token_url', 'client_id', 'client_secret', 'scope'];

/** A secret from the environment belongs to the client there, if one is given. */
function variableEntries(
  { clientId }: LoginFlags,
  method: Method,
  { globals, context: { env } }: LocalSession,
): EntryList {
  if (globals.profile !== undefined) return [];
  const client = env[settingTable.client_id.env] || undefined;
  const isOther = clientId !== undefined && client !== undefined && client !== clientId;
  return [...ofServices, ...(method === 'token' ? [] : ofClients)]
    .filter((key) => !(isOther && key === 'client_secret'))
    .map((key) => [key, { given: env[settingTable[key].env], field: settingTable[key].env }] as const)
    .filter(([, { given }]) => given !== undefined && given !== '');
}

/** Whether the servers of the profile remain the same. */
function isSameServer(before: StoredProfile, { identity_url, issuer }: Values): boolean {
  const isSame = (now: string | undefined, stored: unknown) => now === undefined || now === stored;
  return (
    isSame(identity_url, before['identity_url']) && isSame(issuer, before['issuer'] ?? before['identity_url'])
  );
}

/** Values from the profile: the service; for the same server also client and scopes. */
function profileEntries(
  name: string,
  method: Method,
  before: StoredProfile,
  facts: Facts | undefined,
  isSame: boolean,
): EntryList {
  const isClient = isSame && method !== 'token';
  const isGiven = method === 'client-credentials' || Object.keys(givenEndpoints(facts)).length > 0;
  const keys: readonly SettingKey[] = [
    'identity_url',
    'base_url',
    'dialect',
    'insecure_http',
    ...(isClient ? (['issuer', 'client_id'] as const) : []),
    ...(isSame && isGiven ? (['token_url'] as const) : []),
    ...(isClient && authOf(method) === before['auth'] ? (['scope'] as const) : []),
  ];
  return keys
    .map((key) => {
      const field = `config.json: profiles.${name}.${key}`;
      return [key, { given: storedValue(before, settingTable[key]), field }] as const;
    })
    .filter(([, { given }]) => given !== undefined);
}

/** The auth method of a profile. */
export function authOf(method: Method): 'token' | 'client-credentials' | 'user' {
  return method === 'web' || method === 'device' ? 'user' : method;
}

/** Whether a person logs in again with a client that had a secret. */
function hasSecret(method: Method, facts: Facts | undefined): boolean {
  return authOf(method) === 'user' && (facts?.login?.client_auth ?? 'none') !== 'none';
}

function neededKeys(method: Method, isConfidential: boolean): readonly SettingKey[] {
  if (method === 'token') return [...ofServices, 'token'];
  return [...ofServices, 'client_id', ...(isConfidential ? (['client_secret'] as const) : [])];
}

function endpointsOf(flags: LoginFlags, facts: Facts | undefined): Endpoints {
  const stored = givenEndpoints(facts);
  return {
    authorizationUrl: flags.authorizationUrl ?? stored.authorization_url,
    deviceAuthorizationUrl: flags.deviceAuthorizationUrl ?? stored.device_authorization_url,
    revocationUrl: flags.revocationUrl ?? stored.revocation_url,
  };
}

/** The endpoints of the last login, if they were given: discovered ones may change, given ones belong together. */
function givenEndpoints(facts: Facts | undefined) {
  const { authorization_url, device_authorization_url, revocation_url } = facts?.login ?? {};
  if ((authorization_url ?? device_authorization_url) === undefined) return {};
  return withoutHoles({ authorization_url, device_authorization_url, revocation_url });
}

function urlProblem(url: string): string | undefined {
  const parsed = parseServiceUrl(url, anyHttp);
  return parsed.value === undefined ? parsed.reason : insecureProblem(parsed.value);
}

function missingDetail(key: SettingKey, { globals, context }: LocalSession): Detail {
  if (key === 'token') return { field: 'stdin', reason: 'is a terminal: pipe the token in' };
  const { env } = settingTable[key];
  const isIgnored = globals.profile !== undefined && (context.env[env] ?? '') !== '';
  const besides = isIgnored ? `; ${env} is ignored, because --profile names the profile` : '';
  return { field: flagFor(key), reason: `is missing${besides}` };
}
