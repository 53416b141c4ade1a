import { quote, textProblem } from '../checks/text.ts';
import { type SafetyLevel, safetyLevels } from '../http/guard.ts';
import { invalid, type Parsed, valid } from './parsed.ts';

const MOST_ENTRIES = 10_000;
const LONGEST_PATTERN = 256;

/** So many wrong entries of one list are told. */
const MOST_REASONS = 5;

/** Signs of a quoted list or of a regular expression: such a pattern would protect nothing. */
const strayInAddress = /[|"[\]{}^$<>\\]/;
const strayInId = /[|"'[\]{}^$<>\\/#?%]/;

const days = /^(\d{4}-\d{2}-\d{2})(?:(?:\.\.|\/)(\d{4}-\d{2}-\d{2}))?$/;

/** How a list is read: from a text with commas, or from the entries of an array. Each entry is kept once. */
export function listOf(parseEntry: (text: string) => Parsed<string>) {
  const parseList = (entries: readonly unknown[]): Parsed<readonly string[]> => {
    if (entries.length > MOST_ENTRIES) return invalid(`has more than ${MOST_ENTRIES} entries`);
    const parsed = entries.map((entry) =>
      typeof entry === 'string' ? parseEntry(entry.trim()) : invalid('has an entry that is no text'),
    );
    const reasons = parsed.flatMap((each) => ('reason' in each ? [each.reason] : []));
    if (reasons.length > 0) return invalid([...new Set(reasons)].slice(0, MOST_REASONS).join('; '));
    return valid([...new Set(parsed.flatMap((each) => ('value' in each ? [each.value] : [])))]);
  };
  return { parse: (text: string) => parseList(text.split(',')), parseList };
}

/** A pattern of ids: `BER`, `LIVE-*`. One that could match no id is a mistake. */
export function parsePattern(text: string): Parsed<string> {
  if (text === '') return invalid('has an empty entry');
  const problem = textProblem(text, LONGEST_PATTERN);
  if (problem !== undefined) return invalid(`${quote(text)} ${problem}`);
  if (text.includes(';')) return invalid(`${quote(text)} has a semicolon; entries are separated by commas`);
  const [stray] = (text.includes('@') ? strayInAddress : strayInId).exec(text) ?? [];
  if (stray !== undefined) {
    return invalid(
      `${quote(text)} has ${stray}, which no id has; * stands for any characters, and nothing else does`,
    );
  }
  return /\s/.test(text) ? invalid(`${quote(text)} has a blank, and no id has one`) : valid(text);
}

/** A day or a range of days, both ends included: `2026-12-20`, `2026-12-20..2027-01-06`, or with a slash. */
export function parseDays(text: string): Parsed<string> {
  if (text === '') return invalid('has an empty entry');
  const [, from, to = from] = days.exec(text) ?? [];
  if (from === undefined || to === undefined)
    return invalid(`${quote(text)} is not a date or a range such as 2026-12-20..2027-01-06`);
  const unreal = [from, to].find((day) => !isCalendarDay(day));
  if (unreal !== undefined) return invalid(`${quote(unreal)} is not a day of the calendar`);
  if (from > to) return invalid(`${quote(text)} ends before it begins`);
  return valid(from === to ? from : `${from}..${to}`);
}

/** The level that forbids most. */
export function strictest(levels: readonly SafetyLevel[]): SafetyLevel {
  return safetyLevels.findLast((level) => levels.includes(level)) ?? 'none';
}

/** All names, which must all be right. */
export function everyOne(names: readonly string[]): string {
  return [...new Set(names)].join(' and ');
}

/** All entries of all lists, each once. */
export function union(lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())];
}

/** An impossible day is either none to the engine or moved into the next month. */
function isCalendarDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}
