import { createHold, type Page, type ServiceRecord } from '../records.ts';
import { cellsOf, lastingVoice, linesIn, spokenVoice, type Voice } from './cells.ts';
import type { Column, Shape } from './output.ts';
import { openPaint } from './paint.ts';
import type { Screen } from './styles.ts';
import { clip, neutraliseLine } from './text.ts';

/** Code units; what is longer is cut, for nobody reads it, and measuring it takes its time. */
const LONGEST_TEXT = 10_000;

/** Cells of a list, neutralised, each on one line but for those of `Look.isLines`. */
export interface Sheet {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
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
  readonly cell?: (text: string, column: number) => string;
  /** Columns whose cells have several lines or none, and are never cut, as the first one is not, the id. */
  readonly isLines?: (column: number) => boolean;
}

/** All records of a list as cells. @throws {CliError} `endless_list` when it is too long to be held. */
export async function sheetOf(
  { columns }: Shape,
  pages: AsyncIterable<Page>,
  screen: Screen,
): Promise<Sheet> {
  const voice = screen.isTerminal ? spokenVoice(screen.now(), false) : lastingVoice;
  const rows: (readonly string[])[] = [];
  const hold = createHold();
  for await (const { items } of pages) {
    hold(items);
    for (const item of items) rows.push(rowOf(item, columns, voice, screen));
  }
  return { head: columns.map(({ header }) => shownText(header, screen)), rows };
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

/** The sheet with its cells in colour. */
export function coloured({ head, rows }: Sheet, { cell }: Pick<Look, 'cell'>): Sheet {
  return cell === undefined ? { head, rows } : { head, rows: rows.map((cells) => cells.map(cell)) };
}

/** The text as a person may see it: secrets masked, on one line, neutralised, not endless. */
export function shownText(text: string, { clean }: Pick<Screen, 'clean'>): string {
  return clip(neutraliseLine(clean(text)), LONGEST_TEXT);
}

function rowOf(
  item: ServiceRecord,
  columns: readonly Column[],
  voice: Voice,
  screen: Screen,
): readonly string[] {
  return cellsOf(item, columns, voice).map((cell, index) => {
    const lines = linesIn(item, columns[index]);
    return lines === undefined
      ? shownText(cell, screen)
      : lines.map((line) => shownText(line, screen)).join('\n');
  });
}
