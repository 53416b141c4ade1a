import type Table from 'cli-table3';
import { memoryLimit, onePage, type Page, type ServiceRecord } from '../model/records.ts';
import { counted } from '../model/text.ts';
import { absoluteWording, cardFields, cellsOf, relativeWording, toneOf } from './cells.ts';
import {
  filledIn,
  type Layout,
  layoutOf,
  only,
  type Ranking,
  type Room,
  type Row,
  type Sheet,
  widestOf,
} from './fitting.ts';
import type { Column, Gathered, Matrix, Shape } from './output.ts';
import { asItIs, openPaint, type Paint } from './paint.ts';
import { allOf, type Destination, type Remark } from './styles.ts';
import { clip, neutraliseLine } from './text.ts';
import { isLatin, openMeasure, pad, truncate, widthOf } from './width.ts';

/** Code units; longer texts are cut: measuring them takes time. */
const LONGEST_TEXT = 10_000;

/** A list of at most so many records is printed whole or not at all; of a longer one these decide how wide columns are. */
const MOST_HELD_ROWS = 1_000;

/** Longer lists are plain columns, which are easier to scroll through. */
const MOST_BOXED_ROWS = 100;

/** Columns; the values of longer labels are not aligned with the others. */
const LONGEST_ALIGNED_LABEL = 60;

/** Columns between two cells. */
const GAP = 2;

/** Columns between two entries of the legend. */
const LEGEND_GAP = 3;

/** A longer cell in the first column is cut: one long name must not cost the column. */
const LONGEST_FIRST = 24;

/** Stands for one column of a text that is not Latin, until boxes are drawn: the library knows older widths. */
const COLUMN = '\ue000';

/** Columns of a legend. */
const MOST_WIDE = 120;

/** How a table or cards are drawn. */
interface Look extends Room, Pick<Destination, 'plain'> {
  readonly colours: Paint;
}

/** How a list is shown. */
export type ListForm = 'table' | 'wide' | 'cards';

/** Draws the sheets of a list; `leftOut` says how many columns there are besides. */
type Drawing = ReturnType<typeof cardsFor>;

/**
 * The list as people see it: a table, where long cells are cut on a narrow terminal, then the last columns left out and counted
 * in a remark, and which else is cards; a `wide` one with all columns and whole cells; or `cards`, one block for each record.
 */
export async function* listOf(
  form: ListForm,
  shape: Shape,
  pages: AsyncIterable<Page>,
  destination: Destination,
): AsyncGenerator<string | Remark, void> {
  const look = await lookOf(destination, form === 'wide');
  // The first sheet decides about columns, boxes, cards and widths, and is the only one where it is short.
  let drawing: Drawing | undefined;
  for await (const sheet of sheetsOf(shape, pages, destination)) {
    drawing ??= form === 'cards' ? cardsFor(sheet, shape, look) : await drawingFor(sheet, shape, look);
    yield drawing.draw(sheet);
  }
  if (drawing === undefined || drawing.leftOut === 0) return;
  yield { remark: `${counted(drawing.leftOut, 'column')} more with -o wide or --fields.` };
}

/** One record as a card with every field. */
export async function cardOf(
  { columns, forPeople }: Shape,
  record: ServiceRecord,
  destination: Destination,
): Promise<string> {
  const wording = destination.isTerminal ? relativeWording(destination.now(), true) : absoluteWording;
  const fields = cardFields(forPeople === undefined ? record : forPeople(record), columns, wording);
  const paint = await openPaint(destination.colour);
  const shown = fields.map(({ label, text, tone }) => {
    const value = shownText(text, destination.clean);
    return {
      label: shownText(label, destination.clean),
      text: tone === undefined ? value : paint[tone](value),
    };
  });
  return drawCard(shown, { title: paint.title, measure: await openMeasure(shown.map(({ label }) => label)) });
}

/**
 * A list as cells: one sheet for at most a thousand rows, else several as the pages arrive, the first of them with more
 * than a thousand. Each has rows; an empty list has no sheet.
 *
 * @throws {CliError} `endless_list` when the first is too long to be held.
 */
async function* sheetsOf(
  { columns: all, table: columns = all }: Shape,
  pages: AsyncIterable<Page>,
  destination: Destination,
): AsyncGenerator<Sheet> {
  const head = columns.map(({ header }) => shownText(header, destination.clean));
  const sheetOf = async (rows: readonly Row[]) => {
    return { columns, head, rows, measure: await openMeasure([head, ...rows].flat()) };
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

/** How tables look at a destination. */
async function lookOf(destination: Destination, isWide: boolean) {
  const { plain, headers, colour } = destination;
  return { columns: widthOf(destination), plain, headers, colours: await openPaint(colour), isWide };
}

/** The cells of records. */
function rowsOf(
  items: readonly ServiceRecord[],
  columns: Shape['columns'],
  { isTerminal, now, clean }: Destination,
): readonly Row[] {
  const wording = isTerminal ? relativeWording(now(), false) : absoluteWording;
  return items.map((item) => cellsOf(item, columns, wording).map((cell) => shownText(cell, clean)));
}

/** The text for people: secrets masked, neutralised, on one line, clipped. */
function shownText(text: string, clean: Destination['clean']): string {
  return clip(neutraliseLine(clean(text)), LONGEST_TEXT);
}

async function drawingFor(first: Sheet, ranking: Ranking, look: Look): Promise<Drawing> {
  const filled = filledIn(first, ranking);
  const sheet = only(first, filled);
  const isLong = look.plain || first.rows.length > MOST_BOXED_ROWS;
  const boxed = isLong ? undefined : layoutOf(sheet, ranking, false, look);
  const layout = boxed ?? (isLong || look.isWide ? layoutOf(sheet, ranking, true, look) : undefined);
  if (layout === undefined) return cardsFor(first, ranking, look);
  const shown = filled.slice(0, layout.widths.length);
  const leftOut = filled.length - shown.length;
  if (boxed === undefined) {
    const hasHead = (each: Sheet) => each === first && look.headers;
    return { leftOut, draw: (each) => drawLines(only(each, shown), layout, look, hasHead(each)) };
  }
  const { default: Boxes } = await import('cli-table3');
  return { leftOut, draw: (each) => drawBoxes(Boxes, only(each, shown), layout, look) };
}

function drawBoxes(Boxes: typeof Table, sheet: Sheet, layout: Layout, { headers, colours }: Look): string {
  const others: string[] = [];
  const placed = (line: string) => {
    if (isLatin(line)) return line;
    const width = sheet.measure(line);
    others.push(width === 0 ? ` ${line}` : line);
    return COLUMN.repeat(Math.max(1, width));
  };
  const head = headers ? sheet.head.map((text) => colours.title(placed(text))) : [];
  const table = new Boxes({ head, style: { head: [], border: [], compact: true } });
  const paint = painting(sheet.columns, { colours });
  for (const row of cutRows(sheet, layout))
    table.push(row.map((cell, column) => paint(cell, column)(placed(cell))));
  return `${table.toString().replaceAll(new RegExp(`${COLUMN}+`, 'g'), () => others.shift() ?? '')}\n`;
}

/** A colour for what is shown of a cell. */
type Painting = (cell: string, column: number) => (text: string) => string;

function painting(columns: readonly Column[], { colours }: Pick<Look, 'colours'>): Painting {
  return (cell, column) => {
    const tone = toneOf(cell, columns[column]);
    return tone === undefined ? asItIs : colours[tone];
  };
}

function cutRows({ rows, measure }: Sheet, { limits }: Layout): readonly Row[] {
  const cut = (cell: string, limit = Number.POSITIVE_INFINITY) =>
    Number.isFinite(limit) ? truncate(cell, limit, measure) : cell;
  return rows.map((row) => row.map((cell, column) => cut(cell, limits[column])));
}

/** Columns without boxes. A later row that is wider than the first ones pushes its other cells to the right. */
function drawLines(sheet: Sheet, layout: Layout, look: Look, hasHead: boolean): string {
  const widths = layout.widths.with(-1, 0);
  const filled = (cell: string, column: number, paint: Painting) =>
    paint(cell, column)(cell) + pad(cell, widths[column] ?? 0, sheet.measure).slice(cell.length);
  const line = (row: Row, paint: Painting) =>
    row.map((cell, column) => filled(cell, column, paint)).join('  ');
  const head = hasHead ? `${look.colours.title(line(sheet.head, () => asItIs))}\n` : '';
  const paint = painting(sheet.columns, look);
  const rows = cutRows(sheet, layout).map((row) => `${line(row, paint)}\n`);
  return head + rows.join('');
}

/** Cards of the columns that have a value, with a blank line between them and between the sheets of a list. */
function cardsFor(first: Sheet, ranking: Ranking, { colours }: Look) {
  const shown = filledIn(first, ranking);
  const draw = (each: Sheet) => {
    const { columns, head, rows, measure } = only(each, shown);
    const paint = painting(columns, { colours });
    const cards = rows.map((row) => {
      const fields = row.map((cell, index) => ({ label: head[index] ?? '', text: paint(cell, index)(cell) }));
      return drawCard(fields, { title: colours.title, measure });
    });
    return (each === first ? '' : '\n') + cards.join('\n');
  };
  return { draw, leftOut: 0 };
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

/** A list as the matrix that was gathered of it, if that fits; otherwise, and where it is asked for, as a table or cards. */
export async function* matrixOf(
  gather: (records: readonly ServiceRecord[]) => Gathered,
  pages: AsyncIterable<Page>,
  form: ListForm,
  destination: Destination,
): AsyncGenerator<string | Remark, void> {
  const { shape, records, matrix } = gather(await allOf(pages, ({ items }) => items));
  const isDrawn = form === 'table' && !destination.plain && records.length > 0 && matrix !== undefined;
  const text = isDrawn ? await matrixText(matrix, records, destination) : undefined;
  if (text !== undefined) yield text;
  else yield* listOf(form, shape, onePage(records), destination);
}

/** @returns `undefined` if it does not fit. */
async function matrixText(
  { leading, columns: places, legend }: Matrix,
  records: readonly ServiceRecord[],
  destination: Destination,
): Promise<string | undefined> {
  const look = await lookOf(destination, true);
  const { columns: width } = look;
  // Titles alone may be too wide, and there may be many cells.
  if (places.reduce((sum, { header }) => sum + header.length + GAP, 0) > width) return undefined;
  const columns = [...leading, ...places];
  const shown = (text: string) => shownText(text, destination.clean);
  const head = columns.map(({ header }) => shown(header));
  const rows = rowsOf(records, columns, destination);
  const measure = await openMeasure([head, ...rows].flat());
  const lines = look.headers ? [head, ...rows] : rows;
  const limits = columns.map((_, column) => (column === 0 ? LONGEST_FIRST : Number.POSITIVE_INFINITY));
  const widths = limits.map((most, column) => Math.min(most, widestOf(lines, column, measure)));
  const from = [0, 1].find(
    (first) => widths.slice(first).reduce((sum, each) => sum + each + GAP, -GAP) <= width,
  );
  if (from === undefined) return undefined;
  const sheet = only({ columns, head, rows, measure }, [...columns.keys()].slice(from));
  const layout = { widths: widths.slice(from), limits: limits.slice(from) };
  return `${drawLines(sheet, layout, look, look.headers)}\n${legendText(legend.map(shown), width)}`;
}

/** The entries below each other in columns. */
function legendText(entries: readonly string[], width: number): string {
  const widest = entries.reduce((most, { length }) => Math.max(most, length), 0);
  const across = Math.max(1, Math.floor((Math.min(width, MOST_WIDE) + LEGEND_GAP) / (widest + LEGEND_GAP)));
  const down = Math.ceil(entries.length / across);
  const lines = entries.slice(0, down).map((_, row) => {
    const line = entries.filter((_entry, index) => index % down === row);
    return line
      .map((entry) => entry.padEnd(widest + LEGEND_GAP))
      .join('')
      .trimEnd();
  });
  return lines.map((line) => `${line}\n`).join('');
}
