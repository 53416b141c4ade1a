import { CliError, ExitCode } from '../model/errors.ts';
import { jsonTokens } from '../model/json-text.ts';
import { decodeFully, isLike } from '../model/text.ts';
import type { Operation, OperationEffect } from './operations.ts';

/** A write before it is sent, as guards see it. */
export interface Intent {
  readonly effect: OperationEffect;
  /** The ids in the path, of a raw request also in query and body, decoded: `['BER']`. */
  readonly ids: readonly string[];
  /** The ids in query and body of an operation. */
  readonly further?: readonly string[] | undefined;
  /** What it does, to complete `Could not ...`. */
  readonly does: string;
}

/**
 * Returns when the write may be sent.
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

/** What the settings forbid. There is one list for each place that sets one; all of them count. */
export interface GuardRules {
  readonly safety: Rule<SafetyLevel>;
  /** Patterns of ids that must not be written to. */
  readonly protect: readonly Rule<readonly string[]>[];
  /** Days without writes: `2026-12-20` or `2026-12-20..2027-01-06`, both ends included. */
  readonly freeze: readonly Rule<readonly string[]>[];
}

/** The place of the first level that forbids an effect. */
const forbiddenFrom = { destroys: 1, changes: 2, creates: 3, reads: 3 } as const satisfies Record<
  OperationEffect,
  number
>;

/**
 * A guard for writes; its error names every rule that forbids one.
 *
 * @param daysNow the days that it is now, `2026-12-20`, by several clocks; a write is frozen on any of them.
 * @param hint a command that shows how the rules are set.
 */
export function buildGuard(
  { safety, protect, freeze }: GuardRules,
  daysNow: () => readonly string[],
  hint: string,
): Guard {
  const protectionOf = createProtection(protect);
  return ({ effect, ids, further = [], does }) => {
    const isUnsafe = safetyLevels.indexOf(safety.value) >= forbiddenFrom[effect];
    const unsafe = isUnsafe ? [`safety is ${safety.value} (${safety.source})`] : [];
    const found = [...ids, ...further].flatMap((id) => protectionOf(id) ?? []);
    const days = freeze.length === 0 ? [] : daysNow();
    const frozen = freeze.flatMap(({ value, source }) => {
      const range = value.find((each) => days.some((day) => includes(each, day)));
      return range === undefined ? [] : [`writes are frozen ${range} (${source})`];
    });
    // An id may be in the path, the query and the body.
    const reasons = [...new Set([...unsafe, ...found, ...frozen])];
    if (reasons.length === 0) return;
    const sentence = `Could not ${does}: ${reasons.join(', and ')}; nothing was sent.`;
    throw new CliError('blocked', sentence, { exitCode: ExitCode.blocked, hint });
  };
}

/**
 * What may be the id of a record in a query, decoded: the values, and names that do not look like the name of a
 * parameter. A plus is read as itself and as a blank.
 *
 * @param query without the question mark, encoded or not.
 */
export function idsInQuery(query: string): readonly string[] {
  const texts = query.split('&').flatMap((pair) => {
    const [name = '', ...values] = pair.split('=');
    const isParameter = values.length > 0 && /^[a-z]\w*$/.test(decodeFully(name));
    return [...(isParameter ? [] : [name]), values.join('=')].map(decodeFully);
  });
  const ids = texts.flatMap((text) => [text, text.replaceAll('+', ' ')]);
  return [...new Set(ids.filter((text) => text.trim() !== ''))];
}

/**
 * The ids in a body: the values of the fields that the operation names, in any spelling, at any depth. With a step of a patch for
 * such a field, all texts of the body. What is created in a property gets an id that begins with the id of the property.
 *
 * @param json well-formed; of a repeated name each value counts.
 */
export function idsInBody(
  json: string,
  { bodyIds, effect }: Pick<Operation, 'bodyIds' | 'effect'>,
): readonly string[] {
  const texts = [...textsIn(json)];
  const under = (field: string) => texts.filter(({ isName, name }) => !isName && plainly(name) === field);
  const names = bodyIds.map(plainly);
  const isNamed = (name: string) => names.includes(plainly(name));
  const isPatched = texts.some(({ text }) => text.startsWith('/') && text.split('/').some(isNamed));
  const named = texts.filter(({ isName, name }) => isPatched || (!isName && isNamed(name)));
  const codes = effect === 'creates' ? [...under('code'), { text: '' }] : [];
  const inside = under('propertyid').flatMap(({ text }) => codes.map((code) => `${text}-${code.text}`));
  return [...new Set([...named.map(({ text }) => text), ...inside])];
}

/** `property_ids` and `propertyId` are one name. */
function plainly(name: string): string {
  return name.replaceAll(/[_-]|s$/gi, '').toLowerCase();
}

/** The texts and numbers of a JSON text, each with the name that it is under; also of an item after one with names of its own. */
function* textsIn(json: string) {
  const above: string[] = [];
  let name = '';
  for (const { kind, start, end } of jsonTokens(json)) {
    if (kind === 'open') above.push(name);
    else if (kind === 'close') name = above.pop() ?? '';
    else {
      const text = kind === 'number' ? json.slice(start, end) : String(JSON.parse(json.slice(start, end)));
      if (kind === 'name') name = text;
      yield { isName: kind === 'name', name, text };
    }
  }
}

/** Days compare like their texts. */
function includes(range: string, day: string): boolean {
  const [from = '', to = from] = range.split('..');
  return from <= day && day <= to;
}

/** Code units of the longest id or e-mail address. */
const LONGEST = 320;

/** Separates the entries of a list. */
const separators = /[,;|/\s]+/;

/** What is in no id and no e-mail address: quotes, brackets, operators. */
const strange = /[^\p{L}\p{M}\p{N}_@.+-]+/u;

/**
 * Says what protects a text or a word in it, as a reason; `undefined` if nothing does.
 *
 * In a pattern `*` stands for any characters, also none; nothing else is special. Case and the composition of accents are
 * ignored. `BER` also protects what is inside BER: `BER-DBL`.
 */
function createProtection(lists: readonly Rule<readonly string[]>[]): (text: string) => string | undefined {
  const patterns = lists.flatMap(({ value, source }) =>
    value.map((pattern) => ({ pattern, source, folded: foldCase(visible(pattern)) })),
  );
  if (patterns.length === 0) return () => undefined;
  return (text) => {
    for (const word of wordsIn(visible(text))) {
      const found = patterns.find(({ folded }) => isLike(foldCase(word), folded));
      if (found !== undefined) return `${word} is protected by ${found.pattern} (${found.source})`;
    }
    return undefined;
  };
}

/**
 * The words of a text that may be ids: the whole, the entries of a list, and the parts between characters that no id has.
 * An e-mail address is one word. The parts before each hyphen count too: `BER-DBL` is inside `BER`.
 */
function wordsIn(text: string): ReadonlySet<string> {
  const words = text.split(strange).flatMap((word) => (isAddress(word) ? [word] : word.split(/[@.+]+/)));
  const trimmed = words.map((word) => word.replace(/^[-.]+|[-.]+$/g, ''));
  const beginnings = words
    .filter((word) => !isAddress(word))
    .flatMap((word) => [...word.slice(0, LONGEST).matchAll(/-+/g)].map(({ index }) => word.slice(0, index)));
  const all = [...text.split(separators), ...words, ...trimmed, ...beginnings];
  return new Set([text, ...all.filter((word) => word !== '')]);
}

function isAddress(word: string): boolean {
  return word.length <= LONGEST && /^[^@]+@[^@]+\.[^@]+$/.test(word);
}

/** Folds wide letters, and drops invisible characters. */
function visible(text: string): string {
  return text.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
}

/** Lower case alone would keep the two Greek sigmas apart, upper case alone the two sharp s. */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().normalize('NFC');
}
