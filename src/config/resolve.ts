import { type CliError, type Detail, invalidInput, usageError } from '../cli/errors.ts';
import { didYouMean, nearest, suggestion } from '../model/names.ts';
import { quote } from '../model/text.ts';
import type { Format } from '../out/output.ts';
import type { GuardRules } from '../service/guard.ts';
import type { DialectName } from '../service/operations.ts';
import { type ConfigDocument, storedProfile, storedValue } from './file.ts';
import { isGuard, isSecret, type Setting, type SettingKey, settings, settingTable } from './settings.ts';
import { invalid, isInsecure, type Parsed, SANDBOX, type UrlRules } from './values.ts';

/** All settings of a run. */
export interface Settings {
  readonly profile: Sourced<string> | undefined;
  /** Whether the built-in sandbox is used; its URLs are not among the settings. */
  readonly sandbox: boolean;
  readonly identityUrl: Sourced<string> | undefined;
  readonly baseUrl: Sourced<string> | undefined;
  readonly tokenUrl: Sourced<string> | undefined;
  readonly issuer: Sourced<string> | undefined;
  readonly clientId: Sourced<string> | undefined;
  readonly scope: Sourced<string> | undefined;
  readonly dialect: Sourced<DialectName>;
  readonly auth: Sourced<'token' | 'client-credentials' | 'user'> | undefined;
  /** From the environment; a profile stores its own in its credential. */
  readonly token: Sourced<string> | undefined;
  /** From the environment; a profile stores its own in its credential. */
  readonly clientSecret: Sourced<string> | undefined;
  /** Used when the environment has neither a token nor a client secret. */
  readonly credentialCommand: Sourced<string> | undefined;
  /** The expected accounts, from all sources; all of them must match. */
  readonly expectAccount: readonly Sourced<string>[];
  readonly idempotencyHeader: Sourced<string>;
  readonly output: Sourced<Format> | undefined;
  readonly timeoutSeconds: Sourced<number> | undefined;
  readonly maxAttempts: Sourced<number>;
  readonly color: Sourced<'auto' | 'always' | 'never'> | undefined;
  readonly caFile: Sourced<string> | undefined;
  readonly maxBodyMiB: Sourced<number>;
  readonly insecureHttp: Sourced<boolean>;
  readonly noInput: Sourced<boolean>;
  readonly completeEmails: Sourced<boolean>;
  /** What must not be written, from all sources; the strictest applies. */
  readonly guards: GuardRules;
  /** Printed by commands that use the service. */
  readonly warnings: readonly string[];
  /** Every setting that has a value, in the order of the registry. */
  readonly effective: readonly Effective[];
}

/**
 * The settings of a run. Precedence: flag, variable, profile, default. A profile given by a flag, and the sandbox always,
 * ignore variables of services and credentials. Guards of all sources apply together.
 *
 * @throws {CliError} exit 2 naming every invalid value, or the unknown profile.
 */
export function resolveSettings(from: Sources): Settings {
  const selection = selectProfile(from);
  const profile = selection && { value: selection.name, source: selection.source };
  const sandbox = selection?.name === SANDBOX;
  const { all, find, need, effective } = createReader((setting) => candidatesFor(setting, from, selection));
  const identityUrl = find(settingTable.identity_url);
  const baseUrl = find(settingTable.base_url);
  const tokenUrl = find(settingTable.token_url);
  return {
    profile,
    sandbox,
    identityUrl,
    baseUrl,
    tokenUrl,
    issuer: find(settingTable.issuer),
    clientId: find(settingTable.client_id),
    scope: find(settingTable.scope),
    dialect: need(settingTable.dialect),
    auth: find(settingTable.auth),
    token: find(settingTable.token),
    clientSecret: find(settingTable.client_secret),
    credentialCommand: find(settingTable.credential_command),
    expectAccount: all(settingTable.expect_account),
    idempotencyHeader: need(settingTable.idempotency_header),
    output: find(settingTable.output),
    timeoutSeconds: find(settingTable.timeout),
    maxAttempts: need(settingTable.max_attempts),
    color: find(settingTable.color),
    caFile: find(settingTable.ca_file),
    maxBodyMiB: need(settingTable.max_body),
    insecureHttp: need(settingTable.insecure_http),
    noInput: need(settingTable.no_input),
    completeEmails: need(settingTable.complete_emails),
    guards: {
      safety: need(settingTable.safety),
      protect: all(settingTable.protect),
      freeze: all(settingTable.freeze),
    },
    warnings: [
      ...(sandbox ? ignoredWarning(targetVariables(from.env)) : []),
      ...[identityUrl, baseUrl, tokenUrl].flatMap(insecureWarning),
    ],
    effective: [...selectionShown(selection), ...effective],
  };
}

function selectionShown(selection: Selection | undefined): readonly Effective[] {
  if (selection === undefined) return [];
  const { name, source, overrides } = selection;
  return [{ setting: settingTable.profile, value: name, source, overrides }];
}

function ignoredWarning(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  return [`The sandbox is in effect: ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} ignored.`];
}

function insecureWarning(url: Sourced<string> | undefined): readonly string[] {
  if (url === undefined || !isInsecure(url.value)) return [];
  return [`What goes to ${url.value} (${url.source}) is not encrypted: others on the network can read it.`];
}

/** The profile in effect and its source. */
interface Selection extends Selected {
  readonly source: string;
  /** Profiles that it overrides, in order of precedence. */
  readonly overrides: readonly Sourced<string>[];
}

/**
 * The profile from a flag, INNCTL_PROFILE or `profiles use`, in this order; `undefined` if none is given.
 *
 * @throws {CliError} exit 2 when the profile does not exist, or --sandbox and --profile contradict each other.
 */
export function selectProfile({ flags, env, document }: Sources): Selection | undefined {
  const { sandbox, profile } = flags;
  if (sandbox === 'true' && profile !== undefined && profile !== SANDBOX) {
    throw usageError(`--sandbox and --profile ${profile} contradict each other.`, 'Leave one of them out.');
  }
  const variable = settingTable.profile.env;
  const [winner, ...overrides] = [
    { value: sandbox === 'true' ? SANDBOX : undefined, source: 'flag --sandbox', byFlag: true },
    { value: profile, source: 'flag --profile', byFlag: true },
    { value: env[variable] === '' ? undefined : env[variable], source: variable, byFlag: false },
    { value: document.active_profile, source: 'profiles use', byFlag: false },
  ].flatMap(({ value, ...by }) => (value === undefined ? [] : [{ value, ...by }]));
  if (winner === undefined) return undefined;
  const { value: name, source, byFlag } = winner;
  if (!profileNames(document).includes(name)) throw unknownProfile(name, document, source);
  return { name, source, byFlag, overrides: overrides.map(({ value, source }) => ({ value, source })) };
}

/** The names of all profiles, the sandbox last. */
export function profileNames(document: ConfigDocument): readonly string[] {
  return [
    ...Object.keys(document.profiles)
      .filter((name) => name !== SANDBOX)
      .sort(),
    SANDBOX,
  ];
}

/** There is no profile of that name. Exit 2. */
export function unknownProfile(name: string, document: ConfigDocument, source?: string): CliError {
  const names = profileNames(document);
  const where = source === undefined ? '' : ` (${source})`;
  return usageError(
    `There is no profile ${quote(name)}${where}. There are: ${names.join(', ')}.`,
    didYouMean(nearest(name, names), 'innctl profiles list'),
  );
}

/** A value and where it came from: `flag --timeout`, `INNCTL_TIMEOUT`, `profile chain`, `default`. */
export interface Sourced<T> {
  readonly value: T;
  readonly source: string;
}

/** A setting in force, for `config`. The value of a secret is hidden. */
export interface Effective {
  readonly setting: Setting;
  readonly value: unknown;
  readonly source: string;
  /** The overridden values, in order of precedence, unparsed. */
  readonly overrides: readonly Sourced<unknown>[];
  /** The value of each source, for a guard. */
  readonly parts?: readonly Sourced<unknown>[];
}

/** The values of settings, all of them valid. */
export interface Reader {
  /** The values of all sources, in order of precedence. */
  all<T>(setting: Setting<T>): readonly Sourced<T>[];
  find<T>(setting: Setting<T>): Sourced<T> | undefined;
  /** For a setting that has a default. */
  need<T>(setting: Setting<T>): Sourced<T>;
  /** Every setting that has a value. */
  readonly effective: readonly Effective[];
}

/** The parsed value of one source. */
type Reading = Candidate & { readonly parsed: Parsed<unknown> };

const HIDDEN = '(hidden)';

/**
 * Checks all settings first, so that one error names every invalid value.
 *
 * @throws {CliError} exit 2 naming every invalid value.
 */
function createReader(candidatesFor: (setting: Setting) => readonly Candidate[]): Reader {
  const candidatesOf = oncePerSetting(candidatesFor);
  // `selectProfile` has checked the profile.
  const checked = settings.filter(({ key }) => key !== 'profile');
  const rules = { insecureHttp: allowsInsecureHttp(candidatesOf(settingTable.insecure_http)) };
  const readingsOf = oncePerSetting((setting) =>
    candidatesOf(setting).map((each) => ({ ...each, parsed: readCandidate(setting, each, rules) })),
  );
  const problems = checked.flatMap((setting) => problemsOf(setting, readingsOf(setting)));
  if (problems.length > 0) throw invalidInput(problems);

  const partsOf = oncePerSetting((setting) =>
    readingsOf(setting).flatMap(({ parsed, source }) =>
      'value' in parsed ? [{ value: parsed.value, source }] : [],
    ),
  );
  function all<T>(setting: Setting<T>): readonly Sourced<T>[] {
    // The setting's own parser read them.
    return partsOf(setting) as readonly Sourced<T>[];
  }
  function find<T>(setting: Setting<T>): Sourced<T> | undefined {
    const parts = all(setting);
    return isGuard(setting) ? combined(setting, parts) : parts[0];
  }
  function need<T>(setting: Setting<T>): Sourced<T> {
    const found = find(setting);
    if (found === undefined) throw new Error(`The setting ${setting.key} has no default.`);
    return found;
  }
  const effective = checked.flatMap((setting) => {
    const found = find(setting);
    if (found === undefined) return [];
    if (isGuard(setting)) return [{ setting, ...found, overrides: [], parts: all(setting) }];
    return [shown(setting, found, candidatesOf(setting).slice(1))];
  });
  return { all, find, need, effective };
}

/** Memoizes a function of settings. */
function oncePerSetting<Found>(find: (setting: Setting) => Found): (setting: Setting) => Found {
  const known = new Map<Setting['key'], Found>();
  return (setting) => {
    const found = known.get(setting.key) ?? find(setting);
    known.set(setting.key, found);
    return found;
  };
}

function allowsInsecureHttp([winner]: readonly Candidate[]): boolean {
  if (winner === undefined) return false;
  const parsed = parseGiven(settingTable.insecure_http, winner.given, { insecureHttp: false });
  return 'value' in parsed && parsed.value;
}

/** An overridden value need not be valid; of a guard each value must be. */
function problemsOf(setting: Setting, readings: readonly Reading[]): readonly Detail[] {
  const counting = isGuard(setting) ? readings : readings.slice(0, 1);
  return counting.flatMap(({ parsed, field }) =>
    'reason' in parsed ? [{ field, reason: parsed.reason }] : [],
  );
}

/** Parses the value of one source. */
export function readCandidate<T>(setting: Setting<T>, candidate: Candidate, rules: UrlRules): Parsed<T> {
  const { given, misplaced } = candidate;
  return misplaced === undefined ? parseGiven(setting, given, rules) : invalid(misplaced);
}

/** Combines the values of a guard, and names their sources. */
function combined<T>(setting: Setting<T>, parts: readonly Sourced<T>[]): Sourced<T> | undefined {
  const [first, ...others] = parts;
  if (first === undefined || others.length === 0) return first;
  const value = setting.combine?.(parts.map((part) => part.value)) ?? first.value;
  const counts = (part: T) => (Array.isArray(part) ? part.length > 0 : part === value);
  const sources = parts.filter((part) => counts(part.value)).map(({ source }) => source);
  return { value, source: sources.join(' and ') || first.source };
}

/** Parses the value of a setting from a text or a value of a file. */
export function parseGiven<T>(setting: Setting<T>, given: unknown, rules: UrlRules): Parsed<T> {
  if (setting.parseList !== undefined) {
    if (Array.isArray(given)) return setting.parseList(given);
    return typeof given === 'string' ? setting.parse(given, rules) : invalid('must be a list of texts');
  }
  return typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean'
    ? setting.parse(String(given), rules)
    : invalid('must be a text, a number, true or false');
}

function shown(setting: Setting, found: Sourced<unknown>, beaten: readonly Candidate[]): Effective {
  const visible = (value: unknown) => (isSecret(setting) ? HIDDEN : value);
  return {
    setting,
    value: visible(found.value),
    source: found.source,
    overrides: beaten.map(({ given, source }) => ({ value: visible(given), source })),
  };
}

/** The global flags, by setting; `sandbox: 'true'` is --sandbox. */
export type Flags = Readonly<Partial<Record<SettingKey | 'sandbox', string | undefined>>>;

/** The sources of settings. */
interface Sources {
  readonly flags: Flags;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly document: ConfigDocument;
}

/** The profile in effect. */
interface Selected {
  readonly name: string;
  readonly byFlag: boolean;
}

const keys: readonly string[] = settings.map(({ key }) => key);

/** Other names in config.json; none of them resembles a guard. */
const ownNames: readonly string[] = ['version', 'active_profile', 'profiles', 'defaults'];

const knownNames: ReadonlySet<string> = new Set([...keys, ...ownNames]);
const knownVariables: ReadonlySet<string> = new Set(settings.map(({ env }) => env));

/** The value of a setting from one source. */
interface Candidate {
  /** Unparsed: a text, or any value of a file. */
  readonly given: unknown;
  /** For people: `flag --timeout`, `INNCTL_TIMEOUT`, `profile chain`, `default`. */
  readonly source: string;
  /** For problems: `--timeout`, `INNCTL_TIMEOUT`, `config.json: profiles.chain.defaults.timeout`. */
  readonly field: string;
  /** Why the setting has no effect there. */
  readonly misplaced?: string;
}

/**
 * The values of a setting from all sources, in order of precedence. An empty variable counts as unset. The default of a guard
 * counts only if no other source has a value.
 */
function candidatesFor(
  setting: Setting,
  { flags, env, document }: Sources,
  profile: Selected | undefined,
): readonly Candidate[] {
  const { key, flag = '', fallback } = setting;
  const exported = ignoresVariable(setting, profile) ? undefined : env[setting.env];
  const places = [
    { given: flags[key], source: `flag ${flag}`, field: flag },
    { given: exported === '' ? undefined : exported, source: setting.env, field: setting.env },
    ...(profile === undefined ? [] : profileCandidates(setting, document, profile.name)),
    ...misplaced(setting, document, 'config.json: '),
    ...misspelt(setting, document, 'config.json: '),
    ...misspeltVariables(setting, env),
  ].filter(({ given }) => given !== undefined);
  if (fallback === undefined || (isGuard(setting) && places.length > 0)) return places;
  return [...places, { given: fallback, source: 'default', field: key }];
}

/** The values of a setting in a profile; they may be `undefined`. */
export function profileCandidates(
  setting: Setting,
  document: ConfigDocument,
  name: string,
): readonly Candidate[] {
  const stored = storedProfile(document, name) ?? {};
  const { defaults = {} } = stored;
  const path = `config.json: profiles.${name}.`;
  return [
    fromProfile(setting, document, name),
    ...misspelt(setting, stored, path),
    ...misplaced(setting, defaults, `${path}defaults.`),
    ...misspelt(setting, defaults, `${path}defaults.`),
  ];
}

/** The variables of services and credentials that are set; the sandbox ignores them. */
function targetVariables(env: Sources['env']): readonly string[] {
  return settings
    .filter((each) => isBuiltIn(each, SANDBOX))
    .map((each) => each.env)
    .filter((name) => (env[name] ?? '') !== '');
}

/** A profile given by a flag must never be redirected to another service by a variable. */
function ignoresVariable(setting: Setting, profile: Selected | undefined): boolean {
  if (profile === undefined || profile.name === SANDBOX) return isBuiltIn(setting, profile?.name);
  return setting.target === true && profile.byFlag;
}

/** Whether a setting is fixed for a profile: the sandbox has its own service and credentials, but supports any dialect. */
export function isBuiltIn({ key, target }: Setting, profile: string | undefined): boolean {
  return profile === SANDBOX && target === true && key !== 'dialect';
}

/** Reports a guard in a place that is not read: it would have no effect. */
function misplaced(setting: Setting, around: object, path: string): readonly Candidate[] {
  const { key, env } = setting;
  if (!isGuard(setting) || !Object.hasOwn(around, key)) return [];
  const reason = `has no effect there: write it to profiles.<name>.${key}, or set ${env}`;
  return [{ given: key, source: path, field: `${path}${key}`, misplaced: reason }];
}

/** Reports a misspelt guard. Other unknown names are ignored. */
function misspelt(setting: Setting, around: object, path: string): readonly Candidate[] {
  if (!isGuard(setting)) return [];
  const reason = `is not a setting${suggestion(setting.key)}`;
  return Object.keys(around)
    .filter((name) => !knownNames.has(name) && nearest(name, keys) === setting.key)
    .map((name) => ({ given: name, source: path, field: `${path}${name}`, misplaced: reason }));
}

function misspeltVariables(setting: Setting, env: Sources['env']): readonly Candidate[] {
  if (!isGuard(setting)) return [];
  return Object.keys(env)
    .filter((name) => name.startsWith('INNCTL_') && !knownVariables.has(name) && env[name] !== '')
    .filter((name) => nearest(name.slice('INNCTL_'.length), keys) === setting.key)
    .map((name) => ({
      given: name,
      source: name,
      field: name,
      misplaced: `is not a variable of innctl${suggestion(setting.env)}`,
    }));
}

function fromProfile(setting: Setting, document: ConfigDocument, name: string): Candidate {
  const { key, place } = setting;
  const stored = storedProfile(document, name);
  return {
    given: stored === undefined || isBuiltIn(setting, name) ? undefined : storedValue(stored, setting),
    source: `profile ${name}`,
    field: `config.json: profiles.${name}.${place === 'defaults' ? 'defaults.' : ''}${key}`,
  };
}
