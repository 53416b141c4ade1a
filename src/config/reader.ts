import { type Detail, invalidInput } from '../errors.ts';
import type { Candidate } from './candidates.ts';
import { invalid, type Parsed } from './parsed.ts';
import { isSecret, type Setting, settings, settingTable } from './settings.ts';
import type { UrlRules } from './urls.ts';

/** A value and where it came from: `flag --timeout`, `INNCTL_TIMEOUT`, `profile chain`, `default`. */
export interface Sourced<T> {
  readonly value: T;
  readonly source: string;
}

/** A setting in force, for `config`. Of a secret it only says that it is there. */
export interface Effective {
  readonly setting: Setting;
  readonly value: unknown;
  readonly source: string;
  /** What the value wins over, the strongest first, as it was given. */
  readonly overrides: readonly Sourced<unknown>[];
}

/** Gives out the values of settings, all of them valid. */
export interface Reader {
  find<T>(setting: Setting<T>): Sourced<T> | undefined;
  /** For a setting that has a default. */
  need<T>(setting: Setting<T>): Sourced<T>;
  /** Every setting that has a value. */
  readonly effective: readonly Effective[];
}

const HIDDEN = '(hidden)';

/**
 * Checks every setting at once, and then gives out values.
 *
 * @throws {CliError} exit 2 naming everything that is not valid.
 */
export function createReader(candidatesOf: (setting: Setting) => readonly Candidate[]): Reader {
  // Which profile is in effect was settled before: its name needs no check here.
  const checked = settings.filter(({ key }) => key !== 'profile');
  const rules = { insecureHttp: allowsInsecureHttp(candidatesOf(settingTable.insecure_http)) };
  const problems = checked.flatMap((setting) => problemsOf(setting, candidatesOf(setting), rules));
  if (problems.length > 0) throw invalidInput(problems);

  function find<T>(setting: Setting<T>): Sourced<T> | undefined {
    const [winner] = candidatesOf(setting);
    if (winner === undefined) return undefined;
    const parsed = parseGiven(setting, winner.given, rules);
    return 'value' in parsed ? { value: parsed.value, source: winner.source } : undefined;
  }
  function need<T>(setting: Setting<T>): Sourced<T> {
    const found = find(setting);
    if (found === undefined) throw new Error(`The setting ${setting.key} has no default.`);
    return found;
  }
  const effective = checked.flatMap((setting) => {
    const found = find(setting);
    return found === undefined ? [] : [shown(setting, found, candidatesOf(setting).slice(1))];
  });
  return { find, need, effective };
}

function allowsInsecureHttp([winner]: readonly Candidate[]): boolean {
  if (winner === undefined) return false;
  const parsed = parseGiven(settingTable.insecure_http, winner.given, { insecureHttp: false });
  return 'value' in parsed && parsed.value;
}

function problemsOf(setting: Setting, [winner]: readonly Candidate[], rules: UrlRules): readonly Detail[] {
  if (winner === undefined) return [];
  const parsed = parseGiven(setting, winner.given, rules);
  return 'reason' in parsed ? [{ field: winner.field, reason: parsed.reason }] : [];
}

/** Reads the value of a setting from what a person or a file gave. */
export function parseGiven<T>(setting: Setting<T>, given: unknown, rules: UrlRules): Parsed<T> {
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
