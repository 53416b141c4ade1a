import { memoryLimit, type Page, type ServiceRecord } from '../model/records.ts';
import { absoluteWording, cellText, fieldsOf, linesIn, relativeWording, valueIn } from './cells.ts';
import type { Shape } from './output.ts';
import { openPaint, type Paint } from './paint.ts';
import type { Destination } from './styles.ts';
import { clip, neutraliseLine } from './text.ts';
import { displayWidth, pad, truncate } from './width.ts';

/** Code units; longer texts are cut: measuring them takes time. */
const LONGEST_TEXT = 10_000;

/** Most texts are printable ASCII, and this test is cheaper than a search for what is not. */
const ASCII = /^[ -~]*$/;

/** A list of at most so many records is printed whole or not at all; of a longer one these decide how wide columns are. */
const MOST_HELD_ROWS = 1_000;

/** Longest cell of a table that would not fit otherwise. */
const LONGEST_CELL = 60;

/** Where that is not enough the widest column is cut further, but to no less. */
const LEAST_CELL = 30;

/** Longer lists are plain columns, which are easier to scroll through. */
const MOST_BOXED_ROWS = 100;

/** Columns; the values of longer labels are not aligned with the others. */
const LONGEST_ALIGNED_LABEL = 60;

/** The cells of one record. */
type Row = readonly string[];

/** Cells of a list, neutralised, each on one line except those of `Look.isLines`. */
interface Sheet {
  readonly head: Row;
  readonly rows: readonly Row[];
}

/** How a table or cards are drawn. `columns` is `Infinity` without a terminal. */
export interface Look extends Pick<Destination, 'columns' | 'plain' | 'headers'>, Pick<Paint, 'title'> {
  /** Colours a cell, by its text and its column. */
  readonly cell: (text: string, column: number) => string;
  /** Columns whose cells have several lines or none. They are never cut; neither is the first column, the id. */
  readonly isLines: (column: number) => boolean;
}

/** Rows that fit beside each other, how wide their columns are then, and how much of a cell is shown. */
interface Fitting {
  readonly rows: readonly Row[];
  readonly widths: readonly number[];
  readonly cut: (cell: string, column: number) => string;
}

/** The list as a table; as cards where the terminal is too narrow for one, even with long cells cut. */
export async function* tableOf(
  shape: Shape,
  pages: AsyncIterable<Page>,
  destination: Destination,
): AsyncGenerator<string, void> {
  const look = await lookOf(shape, destination);
  // The first sheet decides about boxes, cards and widths, and is the only one where it is short.
  let draw: ((sheet: Sheet) => string) | undefined;
  for await (const sheet of sheetsOf(shape, pages, destination)) {
    draw ??= drawingFor(sheet, look);
    yield draw(sheet);
  }
}

/** The list as one block for each record, nothing cut, with a blank line between blocks. */
export async function* cardsOf(
  shape: Shape,
  pages: AsyncIterable<Page>,
  destination: Destination,
): AsyncGenerator<string, void> {
  const draw = openCards(await lookOf(shape, destination));
  for await (const sheet of sheetsOf(shape, pages, destination)) yield draw(sheet);
}

/** One record as a card with every field. */
export async function cardOf(
  { columns, forPeople }: Shape,
  record: ServiceRecord,
  destination: Destination,
): Promise<string> {
  const wording = destination.isTerminal ? relativeWording(destination.now(), true) : absoluteWording;
  const fields = fieldsOf(forPeople === undefined ? record : forPeople(record), columns, wording);
  const shown = fields.map(({ label, text }) => ({
    label: shownText(label, destination.clean),
    text: shownText(text, destination.clean),
  }));
  return drawCard(shown, await openPaint(destination.colour));
}

/**
 * A list as cells: one sheet for at most a thousand rows, else several as the pages arrive, the first of them with more
 * than a thousand. Each has rows; an empty list has no sheet.
 *
 * @throws {CliError} `endless_list` when the first is too long to be held.
 */
async function* sheetsOf(
  { columns }: Shape,
  pages: AsyncIterable<Page>,
  destination: Destination,
): AsyncGenerator<Sheet> {
  const head = columns.map(({ header }) => shownText(header, destination.clean));
  const claim = memoryLimit();
  const first: Row[] = [];
  for await (const { items } of pages) {
    const rows = rowsOf(items, columns, destination);
    if (first.length > MOST_HELD_ROWS) {
      if (rows.length > 0) yield { head, rows };
      continue;
    }
    for (const row of rows) first.push(row);
    if (first.length > MOST_HELD_ROWS) yield { head, rows: first };
    else claim(rows);
  }
  if (first.length > 0 && first.length <= MOST_HELD_ROWS) yield { head, rows: first };
}

/** How a list of these columns is drawn. */
async function lookOf({ columns }: Shape, destination: Destination): Promise<Look> {
  const paint = await openPaint(destination.colour);
  return {
    ...destination,
    columns: destination.isTerminal ? destination.columns : Number.POSITIVE_INFINITY,
    title: paint.title,
    cell: (text, index) => {
      const tone = columns[index]?.tones?.get(text);
      return tone === undefined ? text : paint[tone](text);
    },
    isLines: (index) => columns[index]?.format === 'lines',
  };
}

function rowsOf(
  items: readonly ServiceRecord[],
  columns: Shape['columns'],
  { isTerminal, now, clean }: Destination,
): readonly Row[] {
  const wording = isTerminal ? relativeWording(now(), false) : absoluteWording;
  const cells = items.map((item) =>
    columns.map((column) =>
      column.format === 'lines'
        ? linesIn(item, column)
        : [cellText(valueIn(item, column), column.format, wording)],
    ),
  );
  // Most pages have no secret, and one search is cheaper than one for each cell. Blanks between cells would be ignored.
  const all = cells.flat(2).join('|');
  const mask = clean(all) === all ? (text: string) => text : clean;
  return cells.map((row) => row.map((lines) => lines.map((line) => shownText(line, mask)).join('\n')));
}

/** The text for people: secrets masked, neutralised, on one line, clipped. */
function shownText(text: string, clean: Destination['clean']): string {
  const masked = clean(text);
  return clip(ASCII.test(masked) ? masked : neutraliseLine(masked), LONGEST_TEXT);
}

function drawingFor(first: Sheet, look: Look): (sheet: Sheet) => string {
  const isPlain = look.plain || first.rows.length > MOST_BOXED_ROWS;
  const fitting = fittingOf(first, isPlain, look);
  if (fitting === undefined) return openCards(look);
  if (!isPlain) return ({ head }) => drawBoxes({ head, ...fitting }, look);
  const { widths, cut } = fitting;
  return (sheet) => {
    const isFirst = sheet === first;
    const rows = isFirst ? fitting.rows : plainRows(sheet).map((row) => row.map(cut));
    const head = isFirst && look.headers ? `${look.title(lineOf(sheet.head, widths))}\n` : '';
    return head + rows.map((row) => `${lineOf(row, widths, look.cell)}\n`).join('');
  };
}

/** Each row on one line: without boxes the end of a row would not be visible. */
function plainRows({ rows }: Sheet): readonly Row[] {
  return rows.map((row) =>
    row.some((cell) => cell.includes('\n')) ? row.map((cell) => cell.replaceAll('\n', '; ')) : row,
  );
}

/** The rows as they are, else with long cells cut, else with those of the widest column cut further, whichever fits first. */
function fittingOf(sheet: Sheet, isPlain: boolean, look: Look): Fitting | undefined {
  const rows = isPlain ? plainRows(sheet) : sheet.rows;
  const least = sheet.head.map((title) => (look.headers ? displayWidth(title) : 0));
  const mayCut = (column: number) => column > 0 && !look.isLines(column);
  const fitting = (cut: Fitting['cut']): Fitting => {
    const shown = rows.map((row) => row.map(cut));
    return { rows: shown, widths: widthsOf(shown, least, look.columns), cut };
  };
  const cutTo = (longest: (column: number) => number) =>
    fitting((cell, column) => (mayCut(column) ? truncate(cell, longest(column)) : cell));
  const excess = ({ widths }: Fitting) => tableWidth(widths, isPlain) - look.columns;
  const entire = fitting((cell) => cell);
  if (excess(entire) <= 0) return entire;
  const cut = cutTo(() => LONGEST_CELL);
  if (excess(cut) <= 0) return cut;
  const widest = Math.max(...cut.widths.filter((_, column) => mayCut(column)));
  const room = widest - excess(cut);
  if (room < LEAST_CELL) return undefined;
  const narrow = cutTo((column) => (cut.widths[column] === widest ? room : LONGEST_CELL));
  return excess(narrow) <= 0 ? narrow : undefined;
}

/** Width of each column; one that is wider than the terminal may be wider still. */
function widthsOf(rows: readonly Row[], least: readonly number[], enough: number): readonly number[] {
  return least.map((width, column) =>
    rows.reduce((widest, row) => Math.max(widest, cellWidth(row[column] ?? '', enough)), width),
  );
}

function cellWidth(cell: string, enough: number): number {
  if (!cell.includes('\n')) return displayWidth(cell, enough);
  return cell.split('\n').reduce((widest, line) => Math.max(widest, displayWidth(line, enough)), 0);
}

function tableWidth(widths: readonly number[], isPlain: boolean): number {
  const text = widths.reduce((sum, width) => sum + width, 0);
  return isPlain ? text + 2 * (widths.length - 1) : text + 3 * widths.length + 1;
}

/** Columns without boxes. A later row that is wider than the first ones pushes its other cells to the right. */
function lineOf(row: Row, widths: readonly number[], paint?: Look['cell']): string {
  const last = row.length - 1;
  return row
    .map((cell, column) => {
      const painted = paint === undefined ? cell : paint(cell, column);
      return column === last ? painted : painted + pad(cell, widths[column] ?? 0).slice(cell.length);
    })
    .join('  ');
}

/** The table in boxes, each cell as many lines high as the highest of its row. */
export function drawBoxes(
  { head, rows, widths }: Sheet & Pick<Fitting, 'widths'>,
  { title, headers, cell }: Look,
): string {
  const frame = ([left, middle, right]: readonly [string, string, string]) =>
    `${left}${widths.map((width) => '─'.repeat(width + 2)).join(middle)}${right}\n`;
  const drawn = (row: Row, paint: Look['cell']) => drawRow(row, widths, paint);
  return [
    frame(['┌', '┬', '┐']),
    ...(headers ? [drawn(head, title), frame(['├', '┼', '┤'])] : []),
    ...rows.map((row) => drawn(row, cell)),
    frame(['└', '┴', '┘']),
  ].join('');
}

function drawRow(row: Row, widths: readonly number[], paint: Look['cell']): string {
  const cells = row.map((text, index) =>
    wrappedLines(text, widths[index] ?? 0, (whole) => paint(whole, index)),
  );
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) => {
    const texts = cells.map((lines, index) => lines[line] ?? ' '.repeat(widths[index] ?? 0));
    return `│ ${texts.join(' │ ')} │\n`;
  }).join('');
}

/** The lines of a cell, each as wide as its column; colours have no width. */
function wrappedLines(text: string, width: number, paint: (text: string) => string): readonly string[] {
  const painted = paint(text).split('\n');
  return text
    .split('\n')
    .map((line, index) => `${painted[index] ?? ''}${pad(line, width).slice(line.length)}`);
}

/** Draws cards, with a blank line between them and between the sheets of a list. */
function openCards(look: Look): (sheet: Sheet) => string {
  let begun = false;
  return ({ head, rows }) => {
    const before = begun ? '\n' : '';
    begun = true;
    const cards = rows.map((row) => {
      const fields = row.map((cell, index) => ({ label: head[index] ?? '', text: look.cell(cell, index) }));
      return drawCard(
        fields.filter((_, index) => row[index] !== '' || !look.isLines(index)),
        look,
      );
    });
    return before + cards.join('\n');
  };
}

/**
 * One record as lines of `Label: value`, the values below each other.
 *
 * @param fields neutralised. Further lines of a value are aligned with its first.
 */
export function drawCard(
  fields: readonly { readonly label: string; readonly text: string }[],
  { title }: Pick<Paint, 'title'>,
): string {
  const widths = fields.map(({ label }) => displayWidth(label, LONGEST_ALIGNED_LABEL));
  const widest = widths.reduce((one, other) => Math.max(one, other), 0);
  const column = Math.min(widest, LONGEST_ALIGNED_LABEL) + 1;
  const below = `\n${' '.repeat(column + 1)}`;
  return fields
    .map(({ label, text }) => `${title(pad(`${label}:`, column))} ${text.replaceAll('\n', below)}\n`)
    .join('');
}
