import { createHold, type Page, type ServiceRecord } from '../model/records.ts';
import { cellText, lastingVoice, linesIn, spokenVoice, type Voice, valueIn } from './cells.ts';
import type { Column, Shape } from './output.ts';
import { openPaint } from './paint.ts';
import { memberOf } from './paths.ts';
import type { Screen } from './styles.ts';
import { clip, neutraliseLine } from './text.ts';

/** Code units; what is longer is cut, for nobody reads it, and measuring it takes its time. */
const LONGEST_TEXT = 10_000;

/** What is seen as it is; most texts are that, and the test is cheaper than a search for what is not. */
const ASCII = /^[ -~]*$/;

/** A list of so many records is printed whole or not at all; of a longer one these are looked at before the first is drawn. */
const MOST_HELD_ROWS = 1_000;

/** The cells of one record. */
export type Row = readonly string[];

/** Cells of a list, neutralised, each on one line but for those of `Look.isLines`. */
export interface Sheet {
  readonly head: Row;
  readonly rows: readonly Row[];
  /** All rows are of printable ASCII: each cell is one line, as wide as it is long. */
  readonly isAscii: boolean;
}

/** What the drawing may use. */
export interface Look {
  /** Width of the terminal; `Infinity` where there is none. */
  readonly columns: number;
  /** No box drawing. */
  readonly plain: boolean;
  /** A table begins with the names of its columns. */
  readonly headers: boolean;
  readonly title: (text: string) => string;
  /** Colours a cell, by its text and its column. */
  readonly cell: (text: string, column: number) => string;
  /** Columns whose cells have several lines or none, and are never cut, as the first one is not, the id. */
  readonly isLines: (column: number) => boolean;
}

/**
 * A list as cells: in one sheet as long as it has a thousand rows at most, else in several as the pages arrive, of which the
 * first has more than that. Each has rows, and an empty list has no sheet.
 *
 * @throws {CliError} `endless_list` when the first is too long to be held.
 */
export async function* sheetsOf(
  { columns }: Shape,
  pages: AsyncIterable<Page>,
  screen: Screen,
): AsyncGenerator<Sheet> {
  const voice = screen.isTerminal ? spokenVoice(screen.now(), false) : lastingVoice;
  const head = columns.map(({ header }) => shownText(header, screen));
  const rowsOf = rowsMaker(columns, voice, screen);
  const hold = createHold();
  const first: Row[] = [];
  let isAscii = true;
  for await (const { items } of pages) {
    const next = rowsOf(items);
    if (first.length > MOST_HELD_ROWS) {
      if (next.rows.length > 0) yield { head, ...next };
      continue;
    }
    for (const row of next.rows) first.push(row);
    isAscii &&= next.isAscii;
    if (first.length > MOST_HELD_ROWS) yield { head, rows: first, isAscii };
    else hold(next.rows);
  }
  if (first.length > 0 && first.length <= MOST_HELD_ROWS) yield { head, rows: first, isAscii };
}

/** How a list of these columns is drawn on this screen. */
export async function lookOf({ columns }: Shape, screen: Screen): Promise<Look> {
  const paint = await openPaint(screen.colour);
  return {
    columns: screen.isTerminal ? screen.columns : Number.POSITIVE_INFINITY,
    plain: screen.plain,
    headers: screen.headers,
    title: paint.title,
    cell: (text, index) => {
      const tone = columns[index]?.tones?.get(text);
      return tone === undefined ? text : paint[tone](text);
    },
    isLines: (index) => columns[index]?.format === 'lines',
  };
}

/** The text as a person may see it: secrets masked, on one line, neutralised, not endless. */
export function shownText(text: string, { clean }: Pick<Screen, 'clean'>): string {
  const masked = clean(text);
  const line = ASCII.test(masked) ? masked : neutraliseLine(masked);
  return clip(line, LONGEST_TEXT);
}

type Rows = Omit<Sheet, 'head'>;

/** What makes the rows of a page; what is the same for all of them is looked up once. */
function rowsMaker(
  columns: readonly Column[],
  voice: Voice,
  screen: Screen,
): (items: readonly ServiceRecord[]) => Rows {
  const texts = columns.map((column) => {
    const { field, format } = column;
    if (format === 'lines') return (item: ServiceRecord) => linesIn(item, column).join('\n');
    if (column.otherwise !== undefined || column.beside !== undefined)
      return (item: ServiceRecord) => cellText(valueIn(item, column), format, voice);
    const [first = '', ...rest] = field.split('.');
    return (item: ServiceRecord) => cellText(rest.reduce(memberOf, memberOf(item, first)), format, voice);
  });
  const shown = (text: string) => shownText(text, screen);
  const shownCell = (item: ServiceRecord, text: string, column: Column | undefined) =>
    column?.format === 'lines' ? linesIn(item, column).map(shown).join('\n') : shown(text);
  return (items) => {
    const rows = items.map((item) => texts.map((text) => text(item)));
    if (areShowable(rows, screen)) return { rows, isAscii: true };
    const shownRow = (item: ServiceRecord, row: Row) =>
      row.map((text, index) => shownCell(item, text, columns[index]));
    return { rows: items.map((item, at) => shownRow(item, rows[at] ?? [])), isAscii: false };
  };
}

/** Whether all cells may be seen as they are. Those of most pages may, and one look at all is cheaper than one at each. */
function areShowable(rows: readonly Row[], { clean }: Pick<Screen, 'clean'>): boolean {
  const lines = rows.map((row) => row.join(' '));
  if (lines.some((line) => line.length > LONGEST_TEXT)) return false;
  const all = lines.join(' ');
  return ASCII.test(all) && clean(all) === all;
}
