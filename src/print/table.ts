import { allOf, onePage, type Page, type ServiceRecord } from '../model/records.ts';
import { counted } from '../model/text.ts';
import { absoluteWording, cardFields, cellsOf, MISSING, relativeWording, toneOf } from './cells.ts';
import type { Column, Destination, Gathered, ListForm, Matrix, Remark, Shape } from './output.ts';
import { openPaint, type Paint, type Tone } from './paint.ts';
import { clip, escapeMarkdown, neutraliseLine } from './text.ts';
import { isLatin, type Measure, openMeasure, pad, truncate, widthOf } from './width.ts';

/** Code units; longer texts are cut: measuring them takes time. */
const LONGEST_TEXT = 10_000;

/** Longer lists are plain columns, which are easier to scroll through. */
const MOST_BOXED_ROWS = 100;

/** The first records of a longer list decide how wide its columns are. */
const MOST_MEASURED = 1_000;

/** A cell that is to be copied is not cut shorter. */
const LEAST_COPIED = 40;

/** So many columns of a list are not left out. */
const LEAST_COLUMNS = 2;

/** Columns between two entries of the legend. */
const LEGEND_GAP = 3;

/** Columns of a legend. */
const MOST_WIDE = 120;

/** How a table or cards are drawn. */
type Look = Awaited<ReturnType<typeof lanesOf>>['look'];

/**
 * The list as people see it: a table, where the widest column shrinks on a narrow terminal, then the last columns are left out
 * and counted in a remark, and which else is cards; a `wide` one with all columns and whole cells; or `cards`, one block for
 * each record; or `md`, a table in Markdown.
 *
 * @throws {CliError} `endless_list` when it is too long to be held.
 */
export async function* listOf(
  form: ListForm,
  { columns, table = columns, id = columns[0]?.field, isAsked }: Shape,
  pages: AsyncIterable<Page>,
  destination: Destination,
): AsyncGenerator<string | Remark, void> {
  const isWide = form === 'wide';
  const leastOf = ({ field, isCutLast }: Column) => {
    if (isWide || field === id) return Number.POSITIVE_INFINITY;
    return isCutLast === true ? LEAST_COPIED : LEAST_CELL;
  };
  const records = await recordsOf(pages);
  if (records.length === 0) return;
  const measured = form === 'cards' || form === 'md' ? records : records.slice(0, MOST_MEASURED);
  const { lanes, look } = await lanesOf(measured, table, leastOf, destination);
  const isFilled = ({ cells }: Lane) => cells.some((cell) => cell !== '' && cell !== MISSING);
  const filled = isAsked ? lanes : lanes.filter(isFilled);
  const all = filled.length === 0 ? lanes.slice(0, 1) : filled;
  if (form === 'md') return yield markdown([all.map(({ title }) => title), ...rowsOf(all)], look);
  const isLong = destination.plain || records.length > MOST_BOXED_ROWS;
  const least = isWide || isAsked === true ? all.length : LEAST_COLUMNS;
  const fitted = fittedTo(all, { columns: widthOf(destination), isBoxed: !isLong, least }, look.measure);
  if (form === 'cards' || (fitted === undefined && !isWide)) return yield drawCards(all, look);
  const shown = fitted ?? all;
  if (!isLong && fitted !== undefined) yield await drawBoxes(shown, look);
  else yield* drawLines(shown, look);
  for (let start = MOST_MEASURED; start < records.length; start += MOST_MEASURED) {
    const some = records.slice(start, start + MOST_MEASURED);
    const columnsShown = shown.map(({ column }) => column);
    const later = await lanesOf(some, columnsShown, leastOf, destination);
    const asBefore = later.lanes.map((lane, at) => asWideAs(shown[at] ?? lane, lane, later.look));
    yield* drawLines(asBefore, { ...later.look, headers: false });
  }
  const leftOut = all.length - shown.length;
  if (leftOut > 0) yield { remark: `${counted(leftOut, 'column')} more with -o wide or --fields.` };
}

/** One record as a card with every field. */
export async function cardOf(
  form: ListForm,
  { columns, forPeople }: Shape,
  record: ServiceRecord,
  destination: Destination,
): Promise<string> {
  const shownRecord = forPeople === undefined ? record : forPeople(record);
  const fields = cardFields(shownRecord, columns, wordingOf(destination, true));
  const paint = await openPaint(destination.colour);
  const shown = fields.map(({ label, text, tone }) => ({
    label: shownText(label, destination),
    text: painted(shownText(text, destination), tone, paint),
  }));
  if (form === 'md')
    return markdown([['Field', 'Value'], ...shown.map(({ label, text }) => [label, text])], destination);
  return drawCard(shown, { title: paint.title, measure: await openMeasure(shown.map(({ label }) => label)) });
}

/** A table in Markdown. @param rows the titles, then neutralised cells. */
function markdown(
  [titles = [], ...rows]: readonly (readonly string[])[],
  { headers }: Pick<Destination, 'headers'>,
): string {
  const head = headers ? [titles.map(escapeMarkdown), titles.map(() => '---')] : [];
  const lines = [...head, ...rows.map((cells) => cells.map(escapeMarkdown))];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

/** The records of all pages; a list that the service sends at once is in memory anyway. */
function recordsOf(pages: AsyncIterable<Page>): Promise<readonly ServiceRecord[]> {
  return allOf(
    pages,
    ({ items }) => items,
    (page) => page.whole !== undefined,
  );
}

/** The columns with the cells of records, and how they are drawn. */
async function lanesOf(
  records: readonly ServiceRecord[],
  columns: readonly Column[],
  leastOf: (column: Column) => number,
  destination: Destination,
) {
  const wording = wordingOf(destination, false);
  const { headers, colour } = destination;
  const titles = columns.map(({ header }) => shownText(header, destination));
  const cellsAt = columns.map((): string[] => []);
  for (const record of records)
    for (const [at, cell] of cellsOf(record, columns, wording).entries())
      cellsAt[at]?.push(shownText(cell, destination));
  const measure = await openMeasure(titles, ...cellsAt);
  const lanes = columns.map((column, at): Lane => {
    const [title, cells] = [titles[at] ?? '', cellsAt[at] ?? []];
    const width = cells.reduce((widest, cell) => Math.max(widest, measure(cell)), 0);
    const titleWidth = headers ? measure(title) : 0;
    return { title, cells, width, titleWidth, least: leastOf(column), column };
  });
  return { lanes, look: { headers, measure, paint: await openPaint(colour) } };
}

function wordingOf({ isTerminal, now }: Destination, withDate: boolean) {
  return isTerminal ? relativeWording(now(), withDate) : absoluteWording;
}

/** The text for people: secrets masked, neutralised, on one line, clipped. */
function shownText(text: string, { clean }: Pick<Destination, 'clean'>): string {
  return clip(neutraliseLine(clean(text)), LONGEST_TEXT);
}

/** A column of later records, in the width that the first ones had; what is to be copied stays whole. */
function asWideAs({ width, titleWidth }: Lane, lane: Lane, { measure }: Look): Lane {
  const most = lane.least === Number.POSITIVE_INFINITY ? lane.least : Math.max(width, titleWidth);
  const cells = lane.cells.map((cell) => truncate(cell, most, measure));
  return { ...lane, width, titleWidth, cells };
}

/** Rows that are drawn at a time. */
const ROWS_A_PIECE = 1_000;

/** Rows below each other, in pieces. */
function* drawLines(lanes: readonly Lane[], { headers, paint, measure }: Look): Generator<string> {
  const line = (textOf: (lane: Lane) => string, paintOf: (text: string, lane: Lane) => string) => {
    const cells = lanes.map((lane, at) => {
      const text = textOf(lane);
      const width = at === lanes.length - 1 ? 0 : Math.max(lane.width, lane.titleWidth);
      return paintOf(text, lane) + pad(text, width, measure).slice(text.length);
    });
    return `${cells.join('  ')}\n`;
  };
  const tone = (cell: string, { column }: Lane) => painted(cell, toneOf(cell, column), paint);
  if (headers)
    yield line(
      ({ title }) => title,
      (title) => paint.title(title),
    );
  const count = lanes[0]?.cells.length ?? 0;
  for (let start = 0; start < count; start += ROWS_A_PIECE) {
    const rows = Array.from({ length: Math.min(ROWS_A_PIECE, count - start) }, (_, at) =>
      line(({ cells }) => cells[start + at] ?? '', tone),
    );
    yield rows.join('');
  }
}

/** Stands for a column of a text: the library knows plain Latin alone, so that others take their places afterwards. */
const COLUMN = '\ue000';

async function drawBoxes(lanes: readonly Lane[], { headers, paint, measure }: Look): Promise<string> {
  const { default: Boxes } = await import('cli-table3');
  const others: string[] = [];
  const placed = (line: string) => {
    if (isLatin(line)) return line;
    const width = measure(line);
    others.push(width === 0 ? ` ${line}` : line);
    return COLUMN.repeat(Math.max(1, width));
  };
  const head = headers ? lanes.map(({ title }) => paint.title(placed(title))) : [];
  const table = new Boxes({ head, style: { head: [], border: [], compact: true } });
  for (const row of rowsOf(lanes))
    table.push(
      lanes.map((lane, at) => painted(placed(row[at] ?? ''), toneOf(row[at] ?? '', lane.column), paint)),
    );
  return `${table.toString().replaceAll(new RegExp(`${COLUMN}+`, 'g'), () => others.shift() ?? '')}\n`;
}

function rowsOf(lanes: readonly Lane[]): readonly (readonly string[])[] {
  return (lanes[0]?.cells ?? []).map((_, row) => lanes.map(({ cells }) => cells[row] ?? ''));
}

function painted(text: string, tone: Tone | undefined, paint: Paint): string {
  return tone === undefined ? text : paint[tone](text);
}

/** Cards with a blank line between them. */
function drawCards(lanes: readonly Lane[], { paint, measure }: Look): string {
  const cards = (lanes[0]?.cells ?? []).map((_, row) => {
    const fields = lanes.map((lane) => {
      const cell = lane.cells[row] ?? '';
      return { label: lane.title, text: painted(cell, toneOf(cell, lane.column), paint) };
    });
    return drawCard(fields, { title: paint.title, measure });
  });
  return cards.join('\n');
}

/**
 * One record as lines of `Label: value`, the values below each other.
 *
 * @param fields neutralised. Further lines of a value are aligned with its first.
 */
export function drawCard(
  fields: readonly { readonly label: string; readonly text: string }[],
  { title, measure }: Pick<Paint, 'title'> & Pick<Look, 'measure'>,
): string {
  const column = fields.reduce((most, { label }) => Math.max(most, measure(label)), 0) + 1;
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
  const { shape, records, matrix } = gather(await recordsOf(pages));
  const isDrawn = form === 'table' && !destination.plain && records.length > 0 && matrix !== undefined;
  const text = isDrawn ? await matrixText(matrix, records, destination) : undefined;
  if (text !== undefined) yield text;
  else yield* listOf(form, shape, onePage(records), destination);
}

/** Only the first column is cut, or left out. @returns `undefined` if it does not fit. */
async function matrixText(
  { leading, columns: places, legend }: Matrix,
  records: readonly ServiceRecord[],
  destination: Destination,
): Promise<string | undefined> {
  const columns = widthOf(destination);
  // Titles alone may be too wide, and there may be many cells.
  if (places.reduce((sum, { header }) => sum + header.length, 0) > columns) return undefined;
  const all = [...leading, ...places];
  const leastOf = (column: Column) => (column === all[0] ? LEAST_CELL : Number.POSITIVE_INFINITY);
  const { lanes, look } = await lanesOf(records, all, leastOf, destination);
  const room = { columns, isBoxed: false, least: lanes.length };
  const fitted = fittedTo(lanes, room, look.measure) ?? fittedTo(lanes.slice(1), room, look.measure);
  if (fitted === undefined) return undefined;
  const entries = legend.map((entry) => shownText(entry, destination));
  return `${[...drawLines(fitted, look)].join('')}\n${legendText(entries, columns)}`;
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

/** A column of a table with its cells, neutralised, each on one line. */
export interface Lane {
  readonly column: Column;
  readonly title: string;
  readonly cells: readonly string[];
  /** Of the widest cell. */
  readonly width: number;
  readonly titleWidth: number;
  /** Its cells are not cut shorter: `Infinity` for an id. */
  readonly least: number;
}

/** What a table may fill. */
export interface Room {
  /** `Infinity` without a terminal. */
  readonly columns: number;
  readonly isBoxed: boolean;
  /** So many lanes stay, from the first. */
  readonly least: number;
}

/** Below this no column becomes narrower, so that what is left of a cell can be read. */
export const LEAST_CELL = 24;

/**
 * The table that fits: its widest column shrinks, and where that is not enough, its last columns are left out.
 *
 * @returns `undefined` if nothing fits.
 */
export function fittedTo(
  lanes: readonly Lane[],
  { columns, isBoxed, least }: Room,
  measure: Measure,
): readonly Lane[] | undefined {
  for (let count = lanes.length; count >= Math.min(least, lanes.length); count -= 1) {
    const some = lanes.slice(0, count);
    const between = isBoxed ? 3 * count + 1 : 2 * (count - 1);
    for (let most = columns; most >= LEAST_CELL; most -= 1) {
      const width = some.reduce((sum, lane) => sum + widthAt(lane, most), between);
      if (width <= columns) return some.map((lane) => cutTo(lane, most, measure));
    }
  }
  return undefined;
}

function widthAt({ width, titleWidth, least }: Lane, most: number): number {
  return Math.max(titleWidth, Math.min(width, Math.max(least, most)));
}

function cutTo(lane: Lane, most: number, measure: Measure): Lane {
  const limit = Math.max(lane.least, most);
  if (lane.width <= limit) return lane;
  return { ...lane, width: limit, cells: lane.cells.map((cell) => truncate(cell, limit, measure)) };
}
