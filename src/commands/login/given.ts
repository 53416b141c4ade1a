import { type Detail, invalidInput, usageError } from '../../cli/errors.ts';
import type { LocalSession } from '../../cli/session.ts';
import { readCredential } from '../../config/credentials.ts';
import { storedProfile } from '../../config/file.ts';
import { type SettingKey, settingTable } from '../../config/settings.ts';
import { parseCount, parseServiceUrl, SANDBOX } from '../../config/values.ts';
import {
  anyHttp,
  askFor,
  type Entries,
  type Entry,
  flagEntries,
  flagFor,
  openLineProblem,
} from '../profiles/draft.ts';
import { nameProblems, secretEntry, valueProblems } from '../profiles/gather.ts';
import { type Preset, presetEntries, presetNamed } from '../profiles/presets.ts';
import { type Before, fromProfile, hadSecret, isSameServer, storedSecret } from './compose.ts';
import { type LoginFlags, type Method, methodMissing, methodNamed, unusedFlags } from './flags.ts';

/** All values known before a token is requested. */
export interface Given {
  /** The profile, which may not exist. */
  readonly name: string;
  readonly method: Method;
  readonly entries: Entries;
  readonly preset: Preset | undefined;
  /** Endpoints given now or at the last login. */
  readonly endpoints: Endpoints;
  readonly redirectPort: number | undefined;
  /** The stored profile, if it is logged in at the same server. */
  readonly before: Before;
}

/** Endpoints that are not settings. */
export interface Endpoints {
  readonly authorizationUrl?: string | undefined;
  readonly deviceAuthorizationUrl?: string | undefined;
  readonly revocationUrl?: string | undefined;
}

const fromFlags: readonly SettingKey[] = [
  'identity_url',
  'base_url',
  'dialect',
  'issuer',
  'token_url',
  'client_id',
  'scope',
];

const fromVariables: readonly SettingKey[] = [
  'identity_url',
  'base_url',
  'issuer',
  'token_url',
  'client_id',
  'client_secret',
  'scope',
];

/**
 * Collects values from flags, preset, variables, the profile and prompts, in this order of precedence. Variables do not
 * apply to a profile that a flag names.
 *
 * @throws {CliError} exit 2 with all invalid values and, if prompting is not possible, all missing ones.
 */
export async function gatherLogin(flags: LoginFlags, session: LocalSession): Promise<Given> {
  const preset = flags.preset === undefined ? undefined : presetNamed(flags.preset);
  const name = profileFor(preset, session);
  const before: Before = {
    profile: storedProfile(session.config, name) ?? {},
    facts: readCredential(session.folders.config, name),
  };
  const method = methodNamed(flags) ?? usualMethod(before, session);
  const given = await givenEntries(flags, method, preset, session);
  const isSame = isSameServer(before, given);
  const entries: Entries = new Map([...fromProfile(before, name, method, isSame), ...given]);
  const endpoints = isSame ? { ...endpointsIn(before), ...flags } : flags;
  const problems = [
    ...nameProblems(name),
    ...valueProblems(entries),
    ...urlProblems(flags),
    ...portProblems(flags),
    ...unusedFlags(flags, method),
  ];
  const hadOne = isSame && hadSecret(before, method, entries);
  const isConfidential = flags.confidential === true || method === 'client-credentials' || hadOne;
  const complete: Entries = new Map([...(hadOne ? await storedSecret(name, session) : []), ...entries]);
  const missing = missingKeys(method, isConfidential, complete);
  const details = [
    ...problems,
    ...(session.mayAsk() ? [] : missing.map((key) => missingDetail(key, session))),
  ];
  if (details.length > 0) throw invalidInput(details, 'innctl login --help');
  return {
    name,
    method,
    entries: await askFor(missing, complete, session),
    preset,
    endpoints: {
      authorizationUrl: endpoints.authorizationUrl,
      deviceAuthorizationUrl: endpoints.deviceAuthorizationUrl,
      revocationUrl: endpoints.revocationUrl,
    },
    redirectPort: flags.redirectPort === undefined ? undefined : Number(flags.redirectPort),
    before: isSame ? before : { profile: before.profile, facts: undefined },
  };
}

/** The named profile, else the current one, else that of the preset. */
function profileFor(preset: Preset | undefined, { globals, context, config }: LocalSession): string {
  const variable = context.env[settingTable.profile.env];
  const inEffect = [globals.profile, variable === '' ? undefined : variable, config.active_profile];
  const name = globals.sandbox === true ? SANDBOX : inEffect.find((each) => each !== undefined);
  if (name === SANDBOX) {
    throw usageError(
      'The sandbox needs no login: use any command with --sandbox.',
      'To log in at a service: innctl login --profile <name>',
    );
  }
  return name ?? preset?.name ?? 'default';
}

/** On a terminal, the default is the method of the last login, or the browser. */
function usualMethod({ profile, facts }: Before, session: LocalSession): Method {
  if (!session.mayAsk()) throw methodMissing();
  if (facts?.login !== undefined) return facts.login.method;
  return profile['auth'] === 'client-credentials' ? 'client-credentials' : 'web';
}

async function givenEntries(
  flags: LoginFlags,
  method: Method,
  preset: Preset | undefined,
  session: LocalSession,
): Promise<Entries> {
  const { globals, context } = session;
  const isPiped = method === 'token' && !context.stdin.isTerminal;
  const fromPreset = preset === undefined ? [] : presetEntries(preset, scopeOf(preset, method));
  const entries: Entries = new Map([
    ...variableEntries(flags, method, session),
    ...fromPreset,
    ...flagEntries(fromFlags, flags, globals),
    ...(await secretEntry('client_secret', flags.clientSecretFile, session)),
    ...(await secretEntry('token', isPiped ? '-' : undefined, session, 'stdin')),
  ]);
  for (const key of ['token', 'client_secret'] as const) {
    const secret = entries.get(key);
    if (secret !== undefined) context.redactor.add(String(secret.given).trim());
  }
  const client = entries.get('client_id');
  if (client !== undefined) context.redactor.allow(String(client.given));
  return entries;
}

/** An existing token has its scopes already. */
function scopeOf({ scope, clientScope }: Preset, method: Method): string | undefined {
  if (method === 'token') return undefined;
  return method === 'client-credentials' ? clientScope : scope;
}

/** A secret from the environment belongs to the client there, if one is given. */
function variableEntries(
  { clientId }: LoginFlags,
  method: Method,
  { globals, context }: LocalSession,
): readonly (readonly [SettingKey, Entry])[] {
  if (globals.profile !== undefined) return [];
  const { env } = context;
  const client = env[settingTable.client_id.env] || undefined;
  const isOther = clientId !== undefined && client !== undefined && client !== clientId;
  const keys = method === 'token' ? fromVariables.slice(0, 2) : fromVariables;
  return keys
    .filter((key) => !(isOther && key === 'client_secret'))
    .map((key) => [key, { given: env[settingTable[key].env], field: settingTable[key].env }] as const)
    .filter(([, { given }]) => given !== undefined && given !== '');
}

function endpointsIn({ facts }: Before): Endpoints {
  const { authorization_url, device_authorization_url, revocation_url } = facts?.login ?? {};
  return {
    authorizationUrl: authorization_url,
    deviceAuthorizationUrl: device_authorization_url,
    ...(authorization_url === undefined && device_authorization_url === undefined
      ? {}
      : { revocationUrl: revocation_url }),
  };
}

function urlProblems(flags: LoginFlags): readonly Detail[] {
  const urls = {
    '--authorization-url': flags.authorizationUrl,
    '--device-authorization-url': flags.deviceAuthorizationUrl,
    '--revocation-url': flags.revocationUrl,
  };
  return Object.entries(urls).flatMap(([field, url]) => {
    if (url === undefined) return [];
    const parsed = parseServiceUrl(url, anyHttp);
    const reason = 'reason' in parsed ? parsed.reason : openLineProblem(parsed.value);
    return reason === undefined ? [] : [{ field, reason }];
  });
}

function portProblems({ redirectPort }: LoginFlags): readonly Detail[] {
  const parsed = redirectPort === undefined ? undefined : parseCount(1, 65_535)(redirectPort);
  return parsed !== undefined && 'reason' in parsed
    ? [{ field: '--redirect-port', reason: parsed.reason }]
    : [];
}

function missingKeys(method: Method, isConfidential: boolean, entries: Entries): readonly SettingKey[] {
  const ofClient: readonly SettingKey[] = isConfidential ? ['client_id', 'client_secret'] : ['client_id'];
  const needed: readonly SettingKey[] = [
    'identity_url',
    'base_url',
    ...(method === 'token' ? (['token'] as const) : ofClient),
  ];
  return needed.filter((key) => !entries.has(key));
}

function missingDetail(key: SettingKey, { globals, context }: LocalSession): Detail {
  if (key === 'token') return { field: 'stdin', reason: 'is a terminal: pipe the token in' };
  const { env } = settingTable[key];
  const isIgnored = globals.profile !== undefined && (context.env[env] ?? '') !== '';
  const besides = isIgnored ? `; ${env} is ignored, because --profile names the profile` : '';
  return { field: flagFor(key), reason: `is missing${besides}` };
}
