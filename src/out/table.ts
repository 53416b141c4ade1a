import { openCards } from './cards.ts';
import type { Look, Row, Sheet } from './sheet.ts';
import { displayWidth, pad, truncate } from './width.ts';

/** Longest cell of a table that would not fit otherwise. */
const LONGEST_CELL = 60;

/** Where that is not enough the widest column is cut further, but to no less. */
const LEAST_CELL = 30;

/** Longer lists are plain columns: whoever scrolls through them needs no boxes. */
const MOST_BOXED_ROWS = 100;

/** Draws the next rows of a list. */
type Draw = (sheet: Sheet) => string;

/** Rows, and how wide a cell of theirs is. */
interface Cells {
  readonly rows: readonly Row[];
  /** @param enough as `displayWidth` has it. */
  readonly widthOf: (cell: string, enough?: number) => number;
}

/** Rows that fit beside each other, and how wide their columns are then. */
interface Fitting extends Cells {
  readonly widths: readonly number[];
}

/**
 * The list as a table; as cards where the terminal is too narrow for one, even with long cells cut.
 *
 * @param sheets the first one decides about boxes and cards, and is the only one where it is short.
 */
export async function* drawTable(sheets: AsyncIterable<Sheet>, look: Look): AsyncGenerator<string> {
  let draw: Draw | undefined;
  for await (const sheet of sheets) {
    draw ??= drawingFor(sheet, look);
    yield draw(sheet);
  }
}

function drawingFor(sheet: Sheet, look: Look): Draw {
  const { head, rows } = sheet;
  const isPlain = look.plain || rows.length > MOST_BOXED_ROWS;
  const least = head.map((title) => (look.headers ? displayWidth(title) : 0));
  const cells = isPlain ? linesOf(sheet) : { rows, widthOf: widestLine };
  const fitting = fittingOf(cells, { least, isPlain }, look);
  if (fitting === undefined) return openCards(look);
  return isPlain ? openColumns(fitting, look) : () => drawBoxes({ head, ...fitting }, look);
}

/** The rows each on one line: without boxes nothing would tell where a row ends. */
function linesOf({ rows, isAscii }: Sheet): Cells {
  return isAscii ? { rows, widthOf: lengthOf } : { rows: rows.map(onOneLine), widthOf: displayWidth };
}

function lengthOf(cell: string): number {
  return cell.length;
}

function onOneLine(row: Row): Row {
  return row.some((cell) => cell.includes('\n')) ? row.map((cell) => cell.replaceAll('\n', '; ')) : row;
}

function widestLine(cell: string, enough?: number): number {
  if (!cell.includes('\n')) return displayWidth(cell, enough);
  return cell.split('\n').reduce((widest, line) => Math.max(widest, displayWidth(line, enough)), 0);
}

/** The rows as they are, else with long cells cut, else with those of the widest column cut further, whichever fits first. */
function fittingOf(
  cells: Cells,
  { least, isPlain }: { readonly least: readonly number[]; readonly isPlain: boolean },
  look: Look,
): Fitting | undefined {
  const measured = (some: Cells): Fitting => ({ ...some, widths: widthsOf(some, least, look.columns) });
  const excess = ({ widths }: Fitting) => tableWidth(widths, isPlain) - look.columns;
  const entire = measured(cells);
  if (excess(entire) <= 0) return entire;
  const cut = measured(shortened(cells, look));
  if (excess(cut) <= 0) return cut;
  const widest = Math.max(...cut.widths.filter((_, index) => mayCut(index, look)));
  const room = widest - excess(cut);
  if (room < LEAST_CELL) return undefined;
  const narrow = measured(
    shortened(cut, look, (index) => (cut.widths[index] === widest ? room : LONGEST_CELL)),
  );
  return excess(narrow) <= 0 ? narrow : undefined;
}

function shortened({ rows, widthOf }: Cells, look: Look, longest = (_: number) => LONGEST_CELL): Cells {
  return {
    // An ellipsis is as wide as it is long.
    widthOf,
    rows: rows.map((row) =>
      row.map((cell, index) => (mayCut(index, look) ? truncate(cell, longest(index)) : cell)),
    ),
  };
}

function mayCut(index: number, { isLines }: Look): boolean {
  return index > 0 && !isLines(index);
}

/** Width of each column; one that is wider than the terminal may be wider still. */
function widthsOf({ rows, widthOf }: Cells, least: readonly number[], columns: number): readonly number[] {
  return least.map((width, index) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? '', columns)), width),
  );
}

function tableWidth(widths: readonly number[], isPlain: boolean): number {
  const text = widths.reduce((sum, width) => sum + width, 0);
  return isPlain ? text + 2 * (widths.length - 1) : text + 3 * widths.length + 1;
}

/**
 * Columns without boxes, the names of the first rows above them. They become wider where later rows need it and there is
 * room; where there is none, the id of a row pushes its other cells to the right.
 */
function openColumns(first: Fitting, look: Look): Draw {
  let { widths } = first;
  let isFirst = true;
  const nextOf = (sheet: Sheet): Fitting => {
    const cells = linesOf(sheet);
    const least = { least: widths, isPlain: true };
    return fittingOf(cells, least, look) ?? { ...shortened(cells, look), widths };
  };
  return (sheet) => {
    const next = isFirst ? first : nextOf(sheet);
    widths = next.widths;
    const head =
      isFirst && look.headers ? `${look.title(lineOf(sheet.head, { widths, widthOf: displayWidth }))}\n` : '';
    isFirst = false;
    return head + next.rows.map((row) => `${lineOf(row, next, look.cell)}\n`).join('');
  };
}

function lineOf(row: Row, { widths, widthOf }: Omit<Fitting, 'rows'>, paint?: Look['cell']): string {
  const last = row.length - 1;
  return row
    .map((cell, index) => {
      const painted = paint === undefined ? cell : paint(cell, index);
      if (index === last) return painted;
      return painted + ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(cell)));
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

/** The lines of a cell, each as wide as its column; colours take no room. */
function wrappedLines(text: string, width: number, paint: (text: string) => string): readonly string[] {
  const painted = paint(text).split('\n');
  return text
    .split('\n')
    .map((line, index) => `${painted[index] ?? ''}${pad(line, width).slice(line.length)}`);
}
