import { createHold, type Page, type ServiceRecord } from '../model/records.ts';
import { absoluteWording, cellText, linesIn, relativeWording, valueIn, type Wording } from './cells.ts';
import type { Column, Shape } from './output.ts';
import { openPaint } from './paint.ts';
import type { Destination } from './styles.ts';
import { clip, neutraliseLine } from './text.ts';

/** Code units; longer texts are cut: measuring them takes time. */
const LONGEST_TEXT = 10_000;

/** Most texts are printable ASCII, and this test is cheaper than a search for what is not. */
const ASCII = /^[ -~]*$/;

/** A list of at most so many records is printed whole or not at all; of a longer one these decide how wide columns are. */
const MOST_HELD_ROWS = 1_000;

/** The cells of one record. */
export type Row = readonly string[];

/** Cells of a list, neutralised, each on one line except those of `Look.isLines`. */
export interface Sheet {
  readonly head: Row;
  readonly rows: readonly Row[];
}

/** How a table or cards are drawn. */
export interface Look {
  /** Width of the terminal; `Infinity` without one. */
  readonly columns: number;
  /** No box drawing. */
  readonly plain: boolean;
  /** A table begins with the names of its columns. */
  readonly headers: boolean;
  readonly title: (text: string) => string;
  /** Colours a cell, by its text and its column. */
  readonly cell: (text: string, column: number) => string;
  /** Columns whose cells have several lines or none. They are never cut; neither is the first column, the id. */
  readonly isLines: (column: number) => boolean;
}

/**
 * A list as cells: one sheet for at most a thousand rows, else several as the pages arrive, the first of them with more
 * than a thousand. Each has rows; an empty list has no sheet.
 *
 * @throws {CliError} `endless_list` when the first is too long to be held.
 */
export async function* sheetsOf(
  { columns }: Shape,
  pages: AsyncIterable<Page>,
  destination: Destination,
): AsyncGenerator<Sheet> {
  const wording = destination.isTerminal ? relativeWording(destination.now(), false) : absoluteWording;
  const head = columns.map(({ header }) => shownText(header, destination));
  const hold = createHold();
  const first: Row[] = [];
  for await (const { items } of pages) {
    const rows = rowsOf(items, columns, wording, destination);
    if (first.length > MOST_HELD_ROWS) {
      if (rows.length > 0) yield { head, rows };
      continue;
    }
    for (const row of rows) first.push(row);
    if (first.length > MOST_HELD_ROWS) yield { head, rows: first };
    else hold(rows);
  }
  if (first.length > 0 && first.length <= MOST_HELD_ROWS) yield { head, rows: first };
}

/** How a list of these columns is drawn. */
export async function lookOf({ columns }: Shape, destination: Destination): Promise<Look> {
  const paint = await openPaint(destination.colour);
  return {
    columns: destination.isTerminal ? destination.columns : Number.POSITIVE_INFINITY,
    plain: destination.plain,
    headers: destination.headers,
    title: paint.title,
    cell: (text, index) => {
      const tone = columns[index]?.tones?.get(text);
      return tone === undefined ? text : paint[tone](text);
    },
    isLines: (index) => columns[index]?.format === 'lines',
  };
}

/** The text for people: secrets masked, neutralised, on one line, clipped. */
export function shownText(text: string, { clean }: Pick<Destination, 'clean'>): string {
  const masked = clean(text);
  const line = ASCII.test(masked) ? masked : neutraliseLine(masked);
  return clip(line, LONGEST_TEXT);
}

function rowsOf(
  items: readonly ServiceRecord[],
  columns: readonly Column[],
  wording: Wording,
  destination: Destination,
): readonly Row[] {
  const rows = items.map((item) =>
    columns.map((column) =>
      column.format === 'lines'
        ? linesIn(item, column).join('\n')
        : cellText(valueIn(item, column), column.format, wording),
    ),
  );
  if (areShowable(rows, destination)) return rows;
  const shown = (text: string) => shownText(text, destination);
  return rows.map((row, at) =>
    row.map((text, index) => {
      const column = columns[index];
      return column?.format === 'lines'
        ? linesIn(items[at] ?? {}, column)
            .map(shown)
            .join('\n')
        : shown(text);
    }),
  );
}

/** Whether all cells can be shown as they are. For most pages they can, and one test is cheaper than one for each cell. */
function areShowable(rows: readonly Row[], { clean }: Pick<Destination, 'clean'>): boolean {
  const lines = rows.map((row) => row.join(' '));
  if (lines.some((line) => line.length > LONGEST_TEXT)) return false;
  const all = lines.join(' ');
  return ASCII.test(all) && clean(all) === all;
}
