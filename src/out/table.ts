import { memoryLimit, type Page, type ServiceRecord } from '../model/records.ts';
import { absoluteWording, cellText, fieldsOf, linesIn, relativeWording, valueIn } from './cells.ts';
import type { Shape } from './output.ts';
import { openPaint, type Paint } from './paint.ts';
import type { Destination } from './styles.ts';
import { clip, neutraliseLine } from './text.ts';
import { type Measure, openMeasure, pad, truncate } from './width.ts';

/** Code units; longer texts are cut: measuring them takes time. */
const LONGEST_TEXT = 10_000;

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

/** Cells of a list, neutralised, each on one line except those of `Look.isLines`; and how to measure them. */
interface Sheet {
  readonly head: Row;
  readonly rows: readonly Row[];
  readonly measure: Measure;
}

/** How a table or cards are drawn. `columns` is `Infinity` without a terminal. */
interface Look extends Pick<Destination, 'columns' | 'plain' | 'headers'>, Pick<Paint, 'title'> {
  /** Colours one line of a cell, by the text of the cell and its column. */
  readonly paint: (cell: string, column: number) => (line: string) => string;
  /** Columns whose cells have several lines or none. They are never cut; neither is the first column, the id. */
  readonly isLines: (column: number) => boolean;
}

/** Width of each column, and how much of its cells is shown: `Infinity` where nothing is cut. */
interface Layout {
  readonly widths: readonly number[];
  readonly limits: readonly number[];
}

/** The list as a table; as cards where the terminal is too narrow for one, even with long cells cut. */
export async function* tableOf(
  shape: Shape,
  pages: AsyncIterable<Page>,
  destination: Destination,
): AsyncGenerator<string, void> {
  const look = await lookOf(shape, destination);
  // The first sheet decides about boxes, cards and widths, and is the only one where it is short.
  let draw: Drawing | undefined;
  for await (const sheet of sheetsOf(shape, pages, destination)) {
    draw ??= await drawingFor(sheet, look);
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
  const { title } = await openPaint(destination.colour);
  return drawCard(shown, { title, measure: await openMeasure(shown.map(({ label }) => label)) });
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
  const sheetOf = async (rows: readonly Row[]) => {
    return { head, rows, measure: await openMeasure([head, ...rows].flat()) };
  };
  const claim = memoryLimit();
  const first: Row[] = [];
  for await (const { items } of pages) {
    const rows = rowsOf(items, columns, destination);
    if (first.length > MOST_HELD_ROWS) {
      if (rows.length > 0) yield await sheetOf(rows);
      continue;
    }
    for (const row of rows) first.push(row);
    if (first.length > MOST_HELD_ROWS) yield await sheetOf(first);
    else claim(rows);
  }
  if (first.length > 0 && first.length <= MOST_HELD_ROWS) yield await sheetOf(first);
}

/** How a list of these columns is drawn. */
async function lookOf({ columns }: Shape, destination: Destination): Promise<Look> {
  const paint = await openPaint(destination.colour);
  return {
    ...destination,
    columns: destination.isTerminal ? destination.columns : Number.POSITIVE_INFINITY,
    title: paint.title,
    paint: (cell, column) => {
      const tone = columns[column]?.tones?.get(cell);
      return tone === undefined ? (line) => line : paint[tone];
    },
    isLines: (column) => columns[column]?.format === 'lines',
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
  return clip(neutraliseLine(clean(text)), LONGEST_TEXT);
}

type Drawing = (sheet: Sheet) => string;

async function drawingFor(first: Sheet, look: Look): Promise<Drawing> {
  const isPlain = look.plain || first.rows.length > MOST_BOXED_ROWS;
  const layout = layoutOf(isPlain ? inLines(first) : first, isPlain, look);
  if (layout === undefined) return openCards(look);
  if (isPlain) return (sheet) => drawLines(inLines(sheet), layout, look, sheet === first && look.headers);
  const { drawBoxes } = await import('./boxes.ts');
  return (sheet) =>
    drawBoxes(look.headers ? sheet.head : [], cutRows(sheet, layout), { ...look, measure: sheet.measure });
}

/** Each row on one line: without boxes the end of a row would not be visible. */
function inLines(sheet: Sheet): Sheet {
  return { ...sheet, rows: sheet.rows.map((row) => row.map((cell) => cell.replaceAll('\n', '; '))) };
}

/** Nothing cut, else long cells cut, else those of the widest column cut further, whichever fits first. */
function layoutOf({ head, rows, measure }: Sheet, isPlain: boolean, look: Look): Layout | undefined {
  const titles = head.map((title) => (look.headers ? measure(title) : 0));
  const cells = head.map((_, column) => widestOf(rows, column, measure));
  const mayCut = (column: number) => column > 0 && !look.isLines(column);
  const layoutFor = (limitOf: (column: number) => number): Layout => {
    const limits = head.map((_, column) => (mayCut(column) ? limitOf(column) : Number.POSITIVE_INFINITY));
    const widths = limits.map((limit, column) =>
      Math.max(titles[column] ?? 0, Math.min(cells[column] ?? 0, limit)),
    );
    return { widths, limits };
  };
  const excess = ({ widths }: Layout) => tableWidth(widths, isPlain) - look.columns;
  const entire = layoutFor(() => Number.POSITIVE_INFINITY);
  if (excess(entire) <= 0) return entire;
  const cut = layoutFor(() => LONGEST_CELL);
  if (excess(cut) <= 0) return cut;
  const widest = Math.max(...cut.widths.filter((_, column) => mayCut(column)));
  const room = widest - excess(cut);
  if (room < LEAST_CELL) return undefined;
  const narrow = layoutFor((column) => (cut.widths[column] === widest ? room : LONGEST_CELL));
  return excess(narrow) <= 0 ? narrow : undefined;
}

function widestOf(rows: readonly Row[], column: number, measure: Measure): number {
  const lines = rows.flatMap((row) => row[column]?.split('\n') ?? []);
  return lines.reduce((widest, line) => Math.max(widest, measure(line)), 0);
}

function tableWidth(widths: readonly number[], isPlain: boolean): number {
  const text = widths.reduce((sum, width) => sum + width, 0);
  return isPlain ? text + 2 * (widths.length - 1) : text + 3 * widths.length + 1;
}

function cutRows({ rows, measure }: Sheet, { limits }: Layout): readonly Row[] {
  const cut = (cell: string, limit = Number.POSITIVE_INFINITY) =>
    Number.isFinite(limit) ? truncate(cell, limit, measure) : cell;
  return rows.map((row) => row.map((cell, column) => cut(cell, limits[column])));
}

/** Columns without boxes. A later row that is wider than the first ones pushes its other cells to the right. */
function drawLines(sheet: Sheet, layout: Layout, { title, paint }: Look, hasHead: boolean): string {
  const line = (row: Row, paintCell: Look['paint']) => {
    const last = row.length - 1;
    const cells = row.map((cell, column) => {
      const blanks =
        column === last ? '' : pad(cell, layout.widths[column] ?? 0, sheet.measure).slice(cell.length);
      return paintCell(cell, column)(cell) + blanks;
    });
    return cells.join('  ');
  };
  const head = hasHead ? `${title(line(sheet.head, () => (text) => text))}\n` : '';
  return (
    head +
    cutRows(sheet, layout)
      .map((row) => `${line(row, paint)}\n`)
      .join('')
  );
}

/** Draws cards, with a blank line between them and between the sheets of a list. */
function openCards(look: Look): Drawing {
  let begun = false;
  return ({ head, rows, measure }) => {
    const before = begun ? '\n' : '';
    begun = true;
    const cards = rows.map((row) => {
      const fields = row.map((cell, index) => ({
        label: head[index] ?? '',
        text: look.paint(cell, index)(cell),
      }));
      return drawCard(
        fields.filter((_, index) => row[index] !== '' || !look.isLines(index)),
        { title: look.title, measure },
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
  { title, measure }: Pick<Paint, 'title'> & Pick<Sheet, 'measure'>,
): string {
  const widths = fields.map(({ label }) => measure(label));
  const widest = widths.reduce((one, other) => Math.max(one, other), 0);
  const column = Math.min(widest, LONGEST_ALIGNED_LABEL) + 1;
  const below = `\n${' '.repeat(column + 1)}`;
  return fields
    .map(({ label, text }) => `${title(pad(`${label}:`, column, measure))} ${text.replaceAll('\n', below)}\n`)
    .join('');
}
