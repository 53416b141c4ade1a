import { openCards } from './cards.ts';
import type { Look, Row, Sheet } from './sheet.ts';
import { displayWidth, pad, truncate } from './width.ts';

/** Longest cell of a table that would not fit otherwise. */
const LONGEST_CELL = 60;

/** Where that is not enough the widest column is cut further, but to no less. */
const LEAST_CELL = 30;

/** Longer lists are plain columns, which are easier to scroll through. */
const MOST_BOXED_ROWS = 100;

/** Rows that fit beside each other, how wide their columns are then, and how much of a cell is shown. */
interface Fitting {
  readonly rows: readonly Row[];
  readonly widths: readonly number[];
  readonly cut: (cell: string, column: number) => string;
}

/**
 * The list as a table; as cards where the terminal is too narrow for one, even with long cells cut.
 *
 * @param sheets the first one decides about boxes, cards and widths, and is the only one where it is short.
 */
export async function* drawTable(sheets: AsyncIterable<Sheet>, look: Look): AsyncGenerator<string> {
  let draw: ((sheet: Sheet) => string) | undefined;
  for await (const sheet of sheets) {
    draw ??= drawingFor(sheet, look);
    yield draw(sheet);
  }
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
  const fitting = (longest: (column: number) => number): Fitting => {
    const cut = (cell: string, column: number) => (mayCut(column) ? truncate(cell, longest(column)) : cell);
    const shown = rows.map((row) => row.map(cut));
    return { rows: shown, widths: widthsOf(shown, least, look.columns), cut };
  };
  const excess = ({ widths }: Fitting) => tableWidth(widths, isPlain) - look.columns;
  const entire = { rows, widths: widthsOf(rows, least, look.columns), cut: (cell: string) => cell };
  if (excess(entire) <= 0) return entire;
  const cut = fitting(() => LONGEST_CELL);
  if (excess(cut) <= 0) return cut;
  const widest = Math.max(...cut.widths.filter((_, column) => mayCut(column)));
  const room = widest - excess(cut);
  if (room < LEAST_CELL) return undefined;
  const narrow = fitting((column) => (cut.widths[column] === widest ? room : LONGEST_CELL));
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

/** A table in boxes, and how wide its columns are. */
interface Boxed extends Pick<Sheet, 'head' | 'rows'> {
  readonly widths: readonly number[];
}

/** The table in boxes, each cell as many lines high as the highest of its row. */
export function drawBoxes({ head, rows, widths }: Boxed, { title, headers, cell }: Look): string {
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
