import { type Detail, invalidInput } from '../cli/errors.ts';
import type { Candidate } from './candidates.ts';
import { isGuard, isSecret, type Setting, settings, settingTable } from './settings.ts';
import type { UrlRules } from './urls.ts';
import { invalid, type Parsed } from './values.ts';

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
  /** What each place gives, where all of them count. */
  readonly parts?: readonly Sourced<unknown>[];
}

/** Gives out the values of settings, all of them valid. */
export interface Reader {
  /** What every place gives, the strongest first. */
  all<T>(setting: Setting<T>): readonly Sourced<T>[];
  find<T>(setting: Setting<T>): Sourced<T> | undefined;
  /** For a setting that has a default. */
  need<T>(setting: Setting<T>): Sourced<T>;
  /** Every setting that has a value. */
  readonly effective: readonly Effective[];
}

/** What one place gives, read. */
type Reading = Candidate & { readonly parsed: Parsed<unknown> };

const HIDDEN = '(hidden)';

/**
 * Checks every setting at once, and then gives out values.
 *
 * @throws {CliError} exit 2 naming everything that is not valid.
 */
export function createReader(candidatesFor: (setting: Setting) => readonly Candidate[]): Reader {
  const candidatesOf = oncePerSetting(candidatesFor);
  // Which profile is in effect was settled before: its name needs no check here.
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

/** What a function finds for each setting, found once: it is asked for again and again. */
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

/** A value that another one wins over need not be valid; where all places count each one must be. */
function problemsOf(setting: Setting, readings: readonly Reading[]): readonly Detail[] {
  const counting = isGuard(setting) ? readings : readings.slice(0, 1);
  return counting.flatMap(({ parsed, field }) =>
    'reason' in parsed ? [{ field, reason: parsed.reason }] : [],
  );
}

/** Reads what one place gives. */
export function readCandidate<T>(setting: Setting<T>, candidate: Candidate, rules: UrlRules): Parsed<T> {
  const { given, misplaced } = candidate;
  return misplaced === undefined ? parseGiven(setting, given, rules) : invalid(misplaced);
}

/** The value of all places together, and the places that it comes from. */
function combined<T>(setting: Setting<T>, parts: readonly Sourced<T>[]): Sourced<T> | undefined {
  const [first, ...others] = parts;
  if (first === undefined || others.length === 0) return first;
  const value = setting.combine?.(parts.map((part) => part.value)) ?? first.value;
  const counts = (part: T) => (Array.isArray(part) ? part.length > 0 : part === value);
  const sources = parts.filter((part) => counts(part.value)).map(({ source }) => source);
  return { value, source: sources.join(' and ') || first.source };
}

/** Reads the value of a setting from what a person or a file gave. */
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
