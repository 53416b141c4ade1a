import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';

/** What an operation does to what it names; `destroys`: nothing brings back what was there. */
export type OperationEffect = 'reads' | 'creates' | 'changes' | 'destroys';

/** A write that is about to go out, as guards see it. */
export interface Intent {
  readonly effect: OperationEffect;
  /** What the path names, and of a raw request the query and the property ids of the body, decoded: `['BER']`. */
  readonly ids: readonly string[];
  /** What it does, as the end of `Could not ...`. */
  readonly does: string;
}

/**
 * Returns when the write may go out.
 *
 * @throws {CliError} `blocked`, exit 11, naming the rule and where it is set.
 */
export type Guard = (intent: Intent) => void;

/** Levels of safety: each forbids what the one before it does, and more. */
export const safetyLevels = ['none', 'no-delete', 'no-update', 'read-only'] as const;
export type SafetyLevel = (typeof safetyLevels)[number];

/** What a rule says and where it is set: `profile chain`, `INNCTL_PROTECT`. */
interface Rule<T> {
  readonly value: T;
  readonly source: string;
}

/** All that the settings forbid. Lists come one for each place that gives one; all of them count. */
export interface GuardRules {
  readonly safety: Rule<SafetyLevel>;
  /** Patterns of ids that nothing is written to. */
  readonly protect: readonly Rule<readonly string[]>[];
  /** Days on which nothing is written: `2026-12-20` or `2026-12-20..2027-01-06`, both ends included. */
  readonly freeze: readonly Rule<readonly string[]>[];
}

interface GuardOptions {
  /** The days that it is now, `2026-12-20`; a write is frozen on any of them. */
  readonly days: () => readonly string[];
  /** Something to type that shows how a rule is set. */
  readonly hint: (rule: keyof GuardRules) => string;
}

interface Objection {
  readonly rule: keyof GuardRules;
  /** Why not, as a part of a sentence. */
  readonly reason: string;
}

const forbids = {
  none: () => false,
  'no-delete': (effect) => effect === 'destroys',
  'no-update': (effect) => effect === 'destroys' || effect === 'changes',
  'read-only': () => true,
} as const satisfies Record<SafetyLevel, (effect: OperationEffect) => boolean>;

/** A guard for writes, whose refusal names every rule that forbids one. */
export function buildGuard(rules: GuardRules, { days, hint }: GuardOptions): Guard {
  const protectionOf = createProtection(rules.protect);
  return ({ effect, ids, does }) => {
    const objections = [
      ...objectionOfSafety(rules.safety, effect),
      ...objectionsOfProtection(ids.flatMap((id) => protectionOf(id) ?? [])),
      ...objectionsOfFreeze(rules.freeze, days),
    ];
    const [first] = objections;
    if (first === undefined) return;
    const reasons = objections.map(({ reason }) => reason).join(', and ');
    throw new CliError('blocked', `Could not ${does}: ${reasons}; nothing was sent.`, {
      exitCode: ExitCode.blocked,
      hint: hint(first.rule),
    });
  };
}

function objectionOfSafety(
  { value, source }: GuardRules['safety'],
  effect: OperationEffect,
): readonly Objection[] {
  return forbids[value](effect) ? [{ rule: 'safety', reason: `safety is ${value} (${source})` }] : [];
}

/** Each reason once: an id may stand in the path, the query and the body. */
function objectionsOfProtection(found: readonly Protected[]): readonly Objection[] {
  const reasons = found.map(({ word, pattern, source }) => `${word} is protected by ${pattern} (${source})`);
  return [...new Set(reasons)].map((reason) => ({ rule: 'protect', reason }));
}

function objectionsOfFreeze(freeze: GuardRules['freeze'], days: () => readonly string[]) {
  if (freeze.length === 0) return [];
  const now = days();
  return freeze.flatMap(({ value, source }): readonly Objection[] => {
    const range = value.find((each) => now.some((day) => includes(each, day)));
    return range === undefined ? [] : [{ rule: 'freeze', reason: `writes are frozen ${range} (${source})` }];
  });
}

/** Days that are written alike are ordered like their texts. */
function includes(range: string, day: string): boolean {
  const [from = '', to = from] = range.split('..');
  return from <= day && day <= to;
}

/** A word that a pattern protects. */
interface Protected {
  /** As it was written. */
  readonly word: string;
  readonly pattern: string;
  /** Where the pattern is set. */
  readonly source: string;
}

interface Pattern extends Omit<Protected, 'word'> {
  readonly matches: (folded: string) => boolean;
}

/** Code units of the longest id or e-mail address. */
const LONGEST = 320;

/** What stands between the entries of a list. */
const separators = /[,;|/\s]+/;

/** What neither an id nor an e-mail address holds: quotes, brackets, operators. */
const strange = /[^\p{L}\p{M}\p{N}_@.+-]+/u;

/**
 * Finds what protects a text, or a word in it; `undefined` where nothing does.
 *
 * In a pattern `*` stands for any characters, none included, and nothing else is special. Case does not count,
 * nor how accents are composed. `BER` protects what is inside BER as well: `BER-DBL`.
 */
function createProtection(
  lists: readonly Rule<readonly string[]>[],
): (text: string) => Protected | undefined {
  const patterns = lists.flatMap(({ value, source }) =>
    value.map((pattern): Pattern => ({ pattern, source, matches: matcher(pattern) })),
  );
  if (patterns.length === 0) return () => undefined;
  return (text) => {
    for (const word of wordsIn(visible(text))) {
      const folded = foldCase(word);
      const found = patterns.find(({ matches }) => matches(folded));
      if (found !== undefined) return { word, pattern: found.pattern, source: found.source };
    }
    return undefined;
  };
}

/**
 * The words of a text that may be ids: the whole, the entries of a list, and what is left without all that no id has.
 * An e-mail address is one word. An id is also in its beginnings up to a hyphen: `BER-DBL` is inside `BER`.
 */
function wordsIn(text: string): ReadonlySet<string> {
  const entries = text.split(separators);
  const words = text.split(strange).flatMap((word) => (isAddress(word) ? [word] : word.split(/[@.+]+/)));
  const beginnings = words.flatMap((word) =>
    isAddress(word)
      ? []
      : [...word.slice(0, LONGEST).matchAll(/-+/g)].map(({ index }) => word.slice(0, index)),
  );
  const all = [
    ...entries,
    ...words,
    ...words.map((word) => word.replace(/^[-.]+|[-.]+$/g, '')),
    ...beginnings,
  ];
  return new Set([text, ...all.filter((word) => word !== '')]);
}

function isAddress(word: string): boolean {
  return word.length <= LONGEST && /^[^@]+@[^@]+\.[^@]+$/.test(word);
}

/** Each part is looked for once, from where the one before it ended: a regular expression could go back and back. */
function matcher(pattern: string): (text: string) => boolean {
  const [start = '', ...parts] = foldCase(visible(pattern)).split('*');
  const end = parts.pop();
  if (end === undefined) return (text) => text === start;
  return (text) => {
    const last = text.length - end.length;
    if (last < start.length || !text.startsWith(start) || !text.endsWith(end)) return false;
    let from = start.length;
    for (const part of parts) {
      const at = text.indexOf(part, from);
      if (at === -1 || at + part.length > last) return false;
      from = at + part.length;
    }
    return true;
  };
}

/** Folds wide letters, and drops invisible characters. */
function visible(text: string): string {
  return text.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
}

/** Small letters alone would keep the two Greek sigmas apart, capitals alone the two sharp s. */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().normalize('NFC');
}
