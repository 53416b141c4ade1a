import { nameProblem, quote } from './text.ts';

/** Names that one range, and one command, may have at most. */
export const mostNames = 1_000;

/** Names in a row that fold into a range: two are shorter as they are. */
const FEWEST_FOLDED = 3;

/** Digits of a number that is counted exactly. */
const MOST_DIGITS = 15;

const NUMBERED = /^(?<before>.*?)(?<digits>\d{1,15})$/s;
const RANGE = /^(?<before>.*?)(?<first>\d{1,15})\.\.\k<before>(?<last>\d{1,15})$/s;
/** How people write ranges: `701-705`, `A101 – A105`, `701/702`. */
const SPOKEN = /^(.*?)(\d{1,15})\s*(?:[-\u2010-\u2015\u2212/\u2026]|to|bis)\s*(?:\1)?(\d{1,15})$/su;

/**
 * The names of a range: `201..228`, `001..010`, `A.101..A.110`. A text without `..` is one name. A name that has `..` in it
 * cannot be written so.
 */
export function expandRange(text: string): readonly string[] | { readonly problem: string } {
  if (!text.includes('..')) {
    const [, before = '', first = '', last = ''] = SPOKEN.exec(text) ?? [];
    const range = `${before}${first}..${before}${last}`;
    const meant = first === '' ? [] : expandRange(range);
    const problem = `${quote(text)} looks like a range: write ${range}, or give one unit of that name as name`;
    return 'problem' in meant || meant.length < 2 ? [text] : { problem };
  }
  const { before = '', first = '', last = '' } = RANGE.exec(text)?.groups ?? {};
  if (first === '') return { problem: `${quote(text)} is not a range such as 201..228` };
  const count = Number(last) - Number(first) + 1;
  if (count < 1) return { problem: `${quote(text)} is reversed: write ${before}${last}..${before}${first}` };
  if (count > mostNames) return { problem: `${quote(text)} has ${count} names, more than ${mostNames}` };
  if ((isPadded(first) || isPadded(last)) && first.length !== last.length)
    return { problem: `${quote(text)} has numbers of different lengths: pad both with zeros` };
  return Array.from({ length: count }, (_, index) => before + numberAfter(first, index));
}

/**
 * The names of a list: names and ranges, each name once, at most `mostNames` together.
 *
 * @param texts each may be a list by commas.
 */
export function expandNames(texts: readonly string[]): readonly string[] | { readonly problem: string } {
  const names: string[] = [];
  for (const text of texts.flatMap((list) => list.split(',')).map((name) => name.trim())) {
    const expanded = text === '' ? { problem: 'a name is empty' } : expandRange(text);
    if ('problem' in expanded) return expanded;
    names.push(...expanded);
    if (names.length > mostNames) return { problem: `has more than ${mostNames} names` };
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? names : { problem: `has ${quote(twice)} twice` };
}

/**
 * The inverse of `expandRange`: three or more names in a row become a range; order and repeated names stay. Names that have
 * `..` in them stay as they are.
 */
export function foldRanges(names: readonly string[]): readonly string[] {
  const folded: string[] = [];
  for (let at = 0; at < names.length; ) {
    const run = runAt(names, at);
    const inRow = names.slice(at, at + run);
    folded.push(...(run < FEWEST_FOLDED ? inRow : [`${inRow[0]}..${inRow.at(-1)}`]));
    at += run;
  }
  return folded;
}

/** How many names from `at` on count up by one: at least 1. */
function runAt(names: readonly string[], at: number): number {
  const { before, digits } = NUMBERED.exec(names[at] ?? '')?.groups ?? {};
  if (before === undefined || digits === undefined || before.includes('..')) return 1;
  let run = 1;
  while (run < mostNames && names[at + run] === before + numberAfter(digits, run) && fits(digits, run)) run++;
  return run;
}

/** Whether the number that many places on has a length that a range may end in. */
function fits(digits: string, places: number): boolean {
  const { length } = numberAfter(digits, places);
  return isPadded(digits) ? length === digits.length : length <= MOST_DIGITS;
}

/** The number that many places after a number of the same number of digits. */
function numberAfter(digits: string, places: number): string {
  return String(Number(digits) + places).padStart(digits.length, '0');
}

function isPadded(digits: string): boolean {
  return digits.length > 1 && digits.startsWith('0');
}

/** What is wrong with the name of a unit, or `undefined`. */
export function unitNameProblem(text: string): string | undefined {
  // A range would be taken for the name of a single unit.
  return /\d\s*\.\.\s*\S*\d/.test(text)
    ? `${quote(text)} is a range: names takes it`
    : nameProblem(text, 100);
}
