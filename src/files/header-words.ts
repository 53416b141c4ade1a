import { isInLanguages, type Kind, kinds, namesOf } from '../model/kinds.ts';
import { nearest } from '../model/text.ts';
import { languageProblem } from '../model/values.ts';
import words from './header-words.json' with { type: 'json' };
import { meantBy } from './names.ts';

/**
 * What spreadsheets call a column besides the name of its field, in English and German, and parts of headers for the last day of
 * somebody, without capitals and blanks; `^` and `$` are the ends of a header.
 */
const otherWords: Readonly<Record<string, readonly string[]>> = words.columns;

/** Names of languages in headers: `Name (Deutsch)`. */
const languages: Readonly<Record<string, string>> = words.languages;

/** Longer headers mean no column. */
const LONGEST = 100;

/**
 * The column that a header of a spreadsheet means, or `undefined`. It is found by its whole words; capitals, blanks, marks and
 * the spelling of umlauts do not count.
 */
export function meantColumn(header: string, kind: Kind): string | undefined {
  if (header.length > LONGEST) return undefined;
  const field = columnsByWord[kind].get(bare(header));
  if (field !== undefined && mapMeant(header, kind) === undefined) return field;
  const [, name = '', tag = ''] = /^(.+?)[\s._:/([-]+(\p{L}{2,8})[)\]]?$/u.exec(header.trim()) ?? [];
  const map = mapMeant(name, kind);
  const language = languages[bare(tag)] ?? tag.toLowerCase();
  return map === undefined || languageProblem(language) !== undefined ? undefined : `${map}.${language}`;
}

/** The field with a text for each language that a header without a language means, or `undefined`. */
export function mapMeant(header: string, kind: Kind): string | undefined {
  const field = columnsByWord[kind].get(bare(header));
  return field !== undefined && namesOf(kind, isInLanguages).includes(field) ? field : undefined;
}

/** The one of these columns that a header means, or `undefined`. */
export function columnAmong(header: string, columns: readonly string[]): string | undefined {
  const word = header.length > LONGEST ? '' : bare(header);
  const column = wordsFor(columns).get(word);
  return column ?? (meansLastDay(word) ? columns.find((each) => each === LAST_DAY) : undefined);
}

function meansLastDay(word: string): boolean {
  const has = (parts: readonly string[]) => parts.some((part) => `^${word}$`.includes(part));
  return has(words.lastDay) && !has(words.otherDay);
}

/** The column of the last day of somebody who leaves. */
export const LAST_DAY = 'until';

/** A shorter header is close to too many words. */
const SHORTEST = 5;

/** The column whose name, or else whose words, are closest to a misspelt header, or `undefined`. */
export function nearestColumn(header: string, kind: Kind): string | undefined {
  const typed = bare(header.slice(0, LONGEST));
  const word = typed.length < SHORTEST ? undefined : nearest(typed, [...columnsByWord[kind].keys()]);
  const field = meantBy(kind, header) ?? (word && columnsByWord[kind].get(word));
  return field !== undefined && namesOf(kind, isInLanguages).includes(field) ? `${field}.en` : field;
}

/** Whether two headers are the same words. */
export function isSameHeader(one: string, other: string): boolean {
  return one === other || (bare(one) !== '' && bare(one) === bare(other));
}

/** What does not count in a header: `E-Mail` and `email`, `Straße` and `STRASSE`. */
function bare(header: string): string {
  return header
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[äöü]/g, (umlaut) => ({ ä: 'ae', ö: 'oe', ü: 'ue' })[umlaut] ?? umlaut)
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** The column for each bare word, by kind. */
// Every kind has its own.
const columnsByWord = Object.fromEntries(
  kinds.map((kind) => [kind, wordsFor(namesOf(kind), kind === 'unit' ? words.unit : {})]),
) as Readonly<Record<Kind, ReadonlyMap<string, string>>>;

/** The words for some columns: the path of a field, its last name, and what spreadsheets call it. */
function wordsFor(columns: readonly string[], own: typeof otherWords = {}): ReadonlyMap<string, string> {
  const others = { ...otherWords, ...own };
  return new Map(
    columns.flatMap((column) =>
      [column, column.split('.').at(-1) ?? '', ...(others[column] ?? [])].map((word) => [bare(word), column]),
    ),
  );
}
