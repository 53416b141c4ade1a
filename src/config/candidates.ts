import { nearest, suggestion } from '../model/names.ts';
import { type ConfigDocument, storedProfile, storedValue } from './document.ts';
import { isGuard, type Setting, type SettingKey, settings } from './settings.ts';
import { SANDBOX } from './values.ts';

/** What was typed, by key; `sandbox: 'true'` stands for --sandbox. */
export type Flags = Readonly<Partial<Record<SettingKey | 'sandbox', string | undefined>>>;

/** Everything that settings come from. */
export interface Sources {
  readonly flags: Flags;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly document: ConfigDocument;
}

/** The profile in effect. */
export interface Selected {
  readonly name: string;
  readonly byFlag: boolean;
}

const keys: readonly string[] = settings.map(({ key }) => key);

/** The names that a settings file has besides those of settings; none of them is like that of a guard. */
const ownNames: readonly string[] = ['version', 'active_profile', 'profiles', 'defaults'];

const knownNames: ReadonlySet<string> = new Set([...keys, ...ownNames]);
const knownVariables: ReadonlySet<string> = new Set(settings.map(({ env }) => env));

/** One place that gives a setting a value. */
export interface Candidate {
  /** As it was given: a text, or whatever a file holds. */
  readonly given: unknown;
  /** For people: `flag --timeout`, `INNCTL_TIMEOUT`, `profile chain`, `default`. */
  readonly source: string;
  /** For problems: `--timeout`, `INNCTL_TIMEOUT`, `config.json: profiles.chain.defaults.timeout`. */
  readonly field: string;
  /** Why this is no place for the setting. */
  readonly misplaced?: string;
}

/**
 * All places that give this setting a value, the strongest first. An empty variable gives none. The default of a
 * setting that combines all places counts only where it is the only one.
 */
export function candidatesFor(
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

/** What a profile says of a setting; its values may be `undefined`. */
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

/** The variables that name a service or a credential and are set; the sandbox heeds none of them. */
export function targetVariables(env: Sources['env']): readonly string[] {
  return settings
    .filter((each) => isBuiltIn(each, SANDBOX))
    .map((each) => each.env)
    .filter((name) => (env[name] ?? '') !== '');
}

/** A variable that names a service must never turn a command on another one than the profile that was asked for. */
function ignoresVariable(setting: Setting, profile: Selected | undefined): boolean {
  if (profile === undefined || profile.name === SANDBOX) return isBuiltIn(setting, profile?.name);
  return setting.target === true && profile.byFlag;
}

/** Whether a profile has a setting for good: the sandbox has its service and who asks there, but speaks any dialect. */
export function isBuiltIn({ key, target }: Setting, profile: string | undefined): boolean {
  return profile === SANDBOX && target === true && key !== 'dialect';
}

/** A guard that stands where nobody reads it must not pass for one that holds. */
function misplaced(setting: Setting, around: object, path: string): readonly Candidate[] {
  const { key, env } = setting;
  if (!isGuard(setting) || !Object.hasOwn(around, key)) return [];
  const reason = `has no effect there: write it to profiles.<name>.${key}, or set ${env}`;
  return [{ given: key, source: path, field: `${path}${key}`, misplaced: reason }];
}

/** Neither must one whose name is misspelt. Other names that nobody knows are left alone. */
function misspelt(setting: Setting, around: object, path: string): readonly Candidate[] {
  if (!isGuard(setting)) return [];
  const reason = `is no setting${suggestion(setting.key)}`;
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
      misplaced: `is no variable of innctl${suggestion(setting.env)}`,
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
