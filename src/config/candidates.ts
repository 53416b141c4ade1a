import { type ConfigDocument, storedProfile, storedValue } from './document.ts';
import { SANDBOX } from './profile-name.ts';
import { type Setting, type SettingKey, settings } from './settings.ts';

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

/** One place that gives a setting a value. */
export interface Candidate {
  /** As it was given; a scalar where it comes from a file. */
  readonly given: unknown;
  /** For people: `flag --timeout`, `INNCTL_TIMEOUT`, `profile chain`, `default`. */
  readonly source: string;
  /** For problems: `--timeout`, `INNCTL_TIMEOUT`, `config.json: profiles.chain.defaults.timeout`. */
  readonly field: string;
}

/** All places that give this setting a value; the first one wins. An empty variable gives none. */
export function candidatesFor(
  setting: Setting,
  { flags, env, document }: Sources,
  profile: Selected | undefined,
): readonly Candidate[] {
  const { key, flag = '', fallback } = setting;
  const exported = ignoresVariable(setting, profile) ? undefined : env[setting.env];
  return [
    { given: flags[key], source: `flag ${flag}`, field: flag },
    { given: exported === '' ? undefined : exported, source: setting.env, field: setting.env },
    ...(profile === undefined ? [] : [fromProfile(setting, document, profile.name)]),
    { given: fallback, source: 'default', field: key },
  ].filter(({ given }) => given !== undefined);
}

/** The variables that name a service or a credential and are set; the sandbox heeds none of them. */
export function targetVariables(env: Sources['env']): readonly string[] {
  return settings
    .filter(({ target }) => target === true)
    .map((each) => each.env)
    .filter((name) => (env[name] ?? '') !== '');
}

/** A variable that names a service must never turn a command on another one than the profile that was asked for. */
function ignoresVariable({ target }: Setting, profile: Selected | undefined): boolean {
  return target === true && profile !== undefined && (profile.byFlag || profile.name === SANDBOX);
}

function fromProfile(setting: Setting, document: ConfigDocument, name: string): Candidate {
  const { key, place, target } = setting;
  const stored = storedProfile(document, name);
  const isBuiltIn = name === SANDBOX && target === true;
  return {
    given: stored === undefined || isBuiltIn ? undefined : storedValue(stored, setting),
    source: `profile ${name}`,
    field: `config.json: profiles.${name}.${place === 'defaults' ? 'defaults.' : ''}${key}`,
  };
}
