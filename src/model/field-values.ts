import type { Detail } from './errors.ts';
import { type Field, oneRoleProblem, timeFields } from './kinds.ts';
import { expandNames, unitNameProblem } from './ranges.ts';
import { isRecord, recordsIn, type ServiceRecord } from './records.ts';
import { idProblem, nameProblem, quote, sameName, textProblem } from './text.ts';
import { languageProblem, truthIn, wholeProblem } from './values.ts';

/** Whether a path leads into one of some fixed fields, which have dots between names. */
export function isFixedAt(path: readonly string[], fixed: readonly string[]): boolean {
  return path.some((_, index) => fixed.includes(path.slice(0, index + 1).join('.')));
}

/** What is wrong with a value, or with the part of it to which names and places, from 0, lead. */
export interface ValueProblem {
  readonly path: readonly (string | number)[];
  readonly reason: string;
  /** The part. */
  readonly part: unknown;
}

/** In a cell, a user has no role at a property; no role has this name. */
export const NO_ROLES = 'none';

/** What is wrong with the value of a field, in the form that is sent. */
export function judgeValue(field: Field, value: unknown): readonly ValueProblem[] {
  return problemsIn(value, judges[field.type](value, field));
}

/** A typed value in the form that is sent: ` BER ` without blanks, `3 PM` as 15:00:00, `ja` as true. Others stay. */
export function inForm({ type, read }: Field, value: unknown): unknown {
  if (type === 'truth') return truthIn(value) ?? value;
  const spelt = (each: unknown) => (typeof each === 'string' && read !== undefined ? read(each) : each);
  return Array.isArray(value) ? value.map(spelt) : spelt(value);
}

/** The same, each with a name for messages. */
export function valueProblems(field: Field, value: unknown, name: string): readonly Detail[] {
  return judgeValue(field, value).map(({ path, reason }) => {
    return { field: [name, ...path.filter((part) => typeof part === 'string')].join(' '), reason };
  });
}

/** What a right value of a field stands for: digits a number, ranges their names, a list each text once. */
export function readValue(field: Field, typed: unknown): unknown {
  const { type } = field;
  const value = inForm(field, typed);
  if (type === 'whole') return Number(value);
  if (type === 'list') return [...new Set([value].flat())];
  if (type === 'names') return expandNames([value].flat().map(String));
  if (type !== 'counts' || !isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([code, count]) => [code, Number(count)]));
}

type Judge = (value: unknown, field: Field) => string | undefined | readonly ValueProblem[];

const judges: Readonly<Record<Field['type'], Judge>> = {
  text: (value, { check }) => textReason(value, check),
  choice: (value, { check }) => textReason(value, check),
  truth: (value) => (typeof value === 'boolean' ? undefined : truthReason(value)),
  whole: wholeReason,
  languages: inLanguages,
  list: inList,
  counts: inCounts,
  names: namesReason,
  roles: inRoles,
};

/** The problems of the parts of a value. */
function inEach<Key extends string | number>(
  parts: Iterable<readonly [key: Key, part: unknown]>,
  problemOf: (part: unknown, key: Key) => ReturnType<Judge>,
): readonly ValueProblem[] {
  return [...parts].flatMap(([key, part]) =>
    problemsIn(part, problemOf(part, key)).map((each) => ({ ...each, path: [key, ...each.path] })),
  );
}

function problemsIn(part: unknown, found: ReturnType<Judge>): readonly ValueProblem[] {
  return typeof found === 'object' ? found : found === undefined ? [] : [{ path: [], reason: found, part }];
}

function textReason(value: unknown, check: Field['check']): string | undefined {
  // A cell with a line break looks like two rows, and a block of YAML like one line.
  if (typeof value === 'string') return /[\n\r]/.test(value) ? 'has a line break' : check(value);
  if (value === null) return 'is empty';
  if (typeof value !== 'object') return 'must be a text, in quotes';
  return `must be a text, and ${Array.isArray(value) ? 'is a list' : 'holds fields and values'}`;
}

/** A whole number from 1, or its digits: in YAML and in tables every value is a text. */
function wholeReason(value: unknown): string | undefined {
  const isNumber = typeof value === 'string' || typeof value === 'number';
  return isNumber ? wholeProblem(String(value).trim()) : 'must be a whole number from 1';
}

function truthReason(value: unknown): string {
  return `${typeof value === 'string' ? `${quote(value)} is neither true nor false: ` : ''}write true or false`;
}

function inLanguages(value: unknown): ReturnType<Judge> {
  if (!isRecord(value)) return 'must hold a text for each language code';
  const texts = Object.entries(value);
  if (texts.length === 0) return 'needs a text in at least one language';
  return inEach(texts, (text, language) => languageTextProblem(language, text));
}

function inCounts(value: unknown, { example = '' }: Field): ReturnType<Judge> {
  if (!isRecord(value)) return `must say how many of each: { ${example.replace('=', ': ')} }`;
  return inEach(Object.entries(value), (count, code) => textProblem(code) ?? wholeReason(count));
}

function inList(value: unknown, { check, several, example, of }: Field): ReturnType<Judge> {
  if (!Array.isArray(value))
    return `must be a list${several === undefined ? `: [${example}]` : ` ${several}`}`;
  // Ids of properties differ in more than case.
  const ids = of === 'property' ? value.filter((id) => typeof id === 'string') : [];
  const last = new Map(ids.map((id) => [sameName(id), id]));
  const twice = ids.find((id) => last.get(sameName(id)) !== id);
  const reason = twice && `${quote(twice)} is listed twice, also in other letters`;
  return [...inEach(value.entries(), (item) => textReason(item, check)), ...problemsIn(value, reason)];
}

/** Names and ranges of several units that are alike: `201..228`, or a list of them. */
function namesReason(value: unknown, { example }: Field): string | undefined {
  const texts: readonly unknown[] = [value].flat();
  const areTexts = texts.length > 0 && texts.every((text) => typeof text === 'string');
  if (!areTexts) return `must be names and ranges: ${example}, or a list of them`;
  const found = expandNames(texts);
  if ('problem' in found) return found.problem;
  return found.map(unitNameProblem).find((problem) => problem !== undefined);
}

/** Compared with what the service shows, and never sent: no operation changes them. */
function inRoles(value: unknown): ReturnType<Judge> {
  if (!Array.isArray(value)) return 'must be a list of properties and roles: [{id: BER, roles: [FrontDesk]}]';
  const ids = recordsIn(value).flatMap(({ id }) => (typeof id === 'string' ? sameName(id) : []));
  if (new Set(ids).size < ids.length) return 'names a property twice';
  return inEach(value.entries(), (entry) => {
    if (!isRecord(entry) || Object.keys(entry).toSorted().join() !== 'id,roles')
      return 'write it as {id: BER, roles: [FrontDesk]}';
    return inEach(Object.entries(entry), (part, name) => {
      if (name === 'id') return textReason(part, idProblem);
      if (!Array.isArray(part)) return 'must be a list of roles: [FrontDesk, Auditor]';
      return inEach(part.entries(), (role) => textReason(role, placedRoleProblem));
    });
  });
}

function placedRoleProblem(name: string): string | undefined {
  return name.trim() === NO_ROLES ? `"${NO_ROLES}" is not a role: write roles: []` : oneRoleProblem(name);
}

/** What is wrong with a text in one language, or `undefined`. */
export function textInLanguageProblem(text: string): string | undefined {
  return nameProblem(text, 5_000);
}

/** What is wrong with one entry of a language map, or `undefined`. */
export function languageTextProblem(language: string, text: unknown): string | undefined {
  return languageProblem(language) ?? textReason(text, textInLanguageProblem);
}

/** The times of day among some fields, which no service shows; `undefined` if there are none. */
export function timesIn(fields: ServiceRecord): ServiceRecord | undefined {
  const times = timeFields.flatMap((field) => {
    const value = fields[field];
    return typeof value === 'string' ? [[field, value] as const] : [];
  });
  return times.length === 0 ? undefined : Object.fromEntries(times);
}
