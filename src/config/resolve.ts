import { type CliError, detailsFor, refuseInvalid, usageError } from '../model/errors.ts';
import { camelCase } from '../model/fields.ts';
import { quote } from '../model/text.ts';
import type { GuardRules } from '../service/guard.ts';
import { type ConfigDocument, storedProfile, storedValue } from './file.ts';
import {
  isGuard,
  isSecret,
  type Setting,
  type SettingKey,
  settings,
  settingTable,
  type ValueOf,
} from './settings.ts';
import { invalid, isInsecure, type Parsed, SANDBOX, type UrlRules } from './urls.ts';

/** All settings of a run. */
export type Settings = ReturnType<typeof resolveSettings>;

/**
 * The settings of a run. Precedence: flag, variable, profile, default. A profile given by a flag, and the sandbox always,
 * ignore variables of services and credentials. Guards of all sources apply together.
 *
 * @throws {CliError} exit 2 naming every invalid value, or the unknown profile.
 */
export function resolveSettings(from: Sources) {
  const selection = selectProfile(from);
  const profile = selection && { value: selection.value, source: selection.source };
  const sandbox = profile?.value === SANDBOX;
  const { all, found, effective } = readAll(from, selection);
  const { identityUrl, baseUrl, tokenUrl } = found;
  const warnings = [identityUrl, baseUrl, tokenUrl].flatMap(insecureWarning);
  const guards: GuardRules = {
    safety: found.safety,
    protect: all(settingTable.protect),
    freeze: all(settingTable.freeze),
  };
  const selected = profile === undefined ? [] : [{ setting: settingTable.profile, ...profile }];
  return {
    ...found,
    profile,
    /** Whether the built-in sandbox is used; its URLs are not among the settings. */
    sandbox,
    /** The expected accounts, from all sources; all of them must match. */
    expectAccount: all(settingTable.expect_account),
    /** What must not be written, from all sources; the strictest applies. */
    guards,
    /** Printed by commands that use the service. */
    warnings,
    /** Every setting that has a value, in the order of the registry. */
    effective: [...selected, ...effective],
  } as const;
}

/** The values by the keys in camel case: those with a default are always there. */
type Found = {
  readonly [Key in SettingKey as CamelCase<Key>]: (typeof settingTable)[Key] extends { fallback: string }
    ? Sourced<ValueOf<Key>>
    : Sourced<ValueOf<Key>> | undefined;
};

type CamelCase<Text extends string> = Text extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Text;

function insecureWarning(url: Sourced<string> | undefined): readonly string[] {
  if (url === undefined || !isInsecure(url.value)) return [];
  return [`What goes to ${url.value} (${url.source}) is not encrypted: others on the network can read it.`];
}

/** The profile in effect and its source. */
type Selection = NonNullable<ReturnType<typeof selectProfile>>;

/**
 * The profile from a flag, INNCTL_PROFILE or `profiles use`, in this order; `undefined` if none is given.
 *
 * @throws {CliError} exit 2 when the profile does not exist.
 */
export function selectProfile({ flags, env, document }: Sources) {
  const variable = settingTable.profile.env;
  const [selection] = [
    { value: flags.profile, source: 'flag --profile', byFlag: true },
    { value: env[variable] === '' ? undefined : env[variable], source: variable, byFlag: false },
    { value: document.active_profile, source: 'profiles use', byFlag: false },
  ].flatMap(({ value, ...by }) => (value === undefined ? [] : [{ value, ...by }]));
  if (selection === undefined) return undefined;
  const { value, source } = selection;
  if (!profileNames(document).includes(value)) throw unknownProfile(value, document, source);
  return selection;
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
    'innctl profiles list',
  );
}

/** A value and where it came from: `flag --timeout`, `INNCTL_TIMEOUT`, `profile chain`, `default`. */
export interface Sourced<T> {
  readonly value: T;
  readonly source: string;
}

/**
 * Reads all settings, so that one error names every invalid value.
 *
 * @throws {CliError} exit 2 naming every invalid value.
 */
function readAll(from: Sources, selection: Selection | undefined) {
  const read = (setting: Setting, rules: UrlRules) =>
    resolveOne(setting, candidatesFor(setting, from, selection), rules);
  const allowed = read(settingTable.insecure_http, { insecureHttp: false }).found;
  const rules = { insecureHttp: allowed?.value === true };
  // `selectProfile` has checked the profile.
  const checked = settings.filter(({ key }) => key !== 'profile');
  const resolved = checked.map((setting) => read(setting, rules));
  refuseInvalid(resolved.flatMap((each) => each.problems));
  const byKey = new Map(resolved.map((each) => [each.setting.key, each]));
  // The setting's own parser read these values, and one with a default has one.
  const all = <T>({ key }: Setting<T>) => (byKey.get(key)?.parts ?? []) as readonly Sourced<T>[];
  const found = Object.fromEntries(
    resolved.map((each) => [camelCase(each.setting.key), each.found]),
  ) as Found;
  const effective = resolved.flatMap(({ setting, found }) => {
    if (found === undefined) return [];
    return [{ setting, ...found, ...(isSecret(setting) && { value: '(hidden)' }) }];
  });
  return { all, found, effective };
}

const emptyGuard = invalid('is set and empty, and guards nothing: give it a value, or unset it');

/** An overridden value need not be valid; of a guard each value must be. */
function resolveOne(setting: Setting, candidates: readonly Candidate[], rules: UrlRules) {
  const read = (isGuard(setting) ? candidates : candidates.slice(0, 1)).map(({ given, source, field }) => ({
    source,
    field,
    parsed: given === '' && source === setting.env ? emptyGuard : parseGiven(setting, given, rules),
  }));
  const problems = read.flatMap(({ parsed, field }) => detailsFor(field, parsed.reason));
  const parts = read.flatMap(({ parsed, source }) =>
    'value' in parsed ? [{ value: parsed.value, source }] : [],
  );
  return { setting, problems, parts, found: isGuard(setting) ? combined(setting, parts) : parts[0] };
}

/** Combines the values of a guard, and names their sources. */
function combined(setting: Setting, parts: readonly Sourced<unknown>[]): Sourced<unknown> | undefined {
  const [first, ...others] = parts;
  if (first === undefined || others.length === 0) return first;
  const value = setting.combine?.(parts.map((part) => part.value)) ?? first.value;
  const counts = (part: unknown) => (Array.isArray(part) ? part.length > 0 : part === value);
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

/** The global flags, by setting. */
export type Flags = Readonly<Partial<Record<SettingKey, string | undefined>>>;

/** The sources of settings. */
interface Sources {
  readonly flags: Flags;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly document: ConfigDocument;
}

/** The value of a setting from one source. */
type Candidate = ReturnType<typeof profileCandidate>;

/**
 * The values of a setting from all sources, in order of precedence. An empty variable counts as unset, but for a guard: it may
 * be a variable of CI that does not exist. The default of a guard counts only if no other source has a value.
 */
function candidatesFor(
  setting: Setting,
  { flags, env, document }: Sources,
  profile: Selection | undefined,
): readonly Candidate[] {
  const { key, flag = '', fallback } = setting;
  const exported = ignoresVariable(setting, profile) ? undefined : env[setting.env];
  const places = [
    { given: flags[key], source: `flag ${flag}`, field: flag },
    {
      given: exported === '' && !isGuard(setting) ? undefined : exported,
      source: setting.env,
      field: setting.env,
    },
    ...(profile === undefined ? [] : [profileCandidate(setting, document, profile.value)]),
  ].filter(({ given }) => given !== undefined);
  if (fallback === undefined || (isGuard(setting) && places.length > 0)) return places;
  return [...places, { given: fallback, source: 'default', field: key }];
}

/** The value of a setting in a profile; it may be `undefined`. */
function profileCandidate(setting: Setting, document: ConfigDocument, name: string) {
  const { key, place } = setting;
  const stored = storedProfile(document, name) ?? {};
  return {
    /** Unparsed: a text, or any value of a file. */
    given: isBuiltIn(setting, name) ? undefined : storedValue(stored, setting),
    /** For people: `flag --timeout`, `INNCTL_TIMEOUT`, `profile chain`, `default`. */
    source: `profile ${name}`,
    /** For problems: `--timeout`, `INNCTL_TIMEOUT`, `config.json: profiles.chain.defaults.timeout`. */
    field: `config.json: profiles.${name}.${place === 'defaults' ? 'defaults.' : ''}${key}`,
  };
}

/** A profile given by a flag must never be redirected to another service by a variable. */
function ignoresVariable(setting: Setting, profile: Selection | undefined): boolean {
  if (profile === undefined || profile.value === SANDBOX) return isBuiltIn(setting, profile?.value);
  return setting.target === true && profile.byFlag;
}

/** Whether a setting is fixed for a profile: the sandbox has its own service and credentials, but supports any dialect. */
export function isBuiltIn({ key, target }: Setting, profile: string | undefined): boolean {
  return profile === SANDBOX && target === true && key !== 'dialect';
}

/**
 * The guards in effect of a profile, which must survive its replacement.
 *
 * @throws {CliError} exit 2 if one is invalid, because its intent is unknown.
 */
export function profileGuards(document: ConfigDocument, name: string): ReadonlyMap<Setting, unknown> {
  const resolved = settings.filter(isGuard).map((setting) => {
    const candidates = [profileCandidate(setting, document, name)].filter(({ given }) => given !== undefined);
    return resolveOne(setting, candidates, { insecureHttp: false });
  });
  refuseInvalid(resolved.flatMap((each) => each.problems));
  const forbids = (value: unknown, fallback: string | undefined) =>
    Array.isArray(value) ? value.length > 0 : value !== fallback;
  return new Map(
    resolved.flatMap(({ setting, found }) =>
      found !== undefined && forbids(found.value, setting.fallback) ? [[setting, found.value]] : [],
    ),
  );
}
