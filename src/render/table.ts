import { drawBoxes } from './boxes.ts';
import { openCards } from './cards.ts';
import type { Look, Row, Sheet } from './sheet.ts';
import { displayWidth, truncate } from './width.ts';

/** Longest cell of a table that would not fit otherwise. */
const LONGEST_CELL = 60;

/** Longer lists are plain columns: whoever scrolls through them needs no boxes. */
const MOST_BOXED_ROWS = 100;

/** Draws the next rows of a list. */
type Draw = (sheet: Sheet) => string;

/** Rows that fit beside each other, and how wide their columns are then. */
interface Fitting {
  readonly rows: readonly Row[];
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

function drawingFor({ head, rows }: Sheet, look: Look): Draw {
  const isPlain = look.plain || rows.length > MOST_BOXED_ROWS;
  const least = head.map((title) => (look.headers ? displayWidth(title) : 0));
  const fitting = fittingOf(isPlain ? rows.map(onOneLine) : rows, { least, isPlain }, look);
  if (fitting === undefined) return openCards(look);
  return isPlain ? openColumns(fitting, look) : () => drawBoxes({ head, ...fitting }, look);
}

/** The rows as they are, else with long cells cut, whichever fits first. */
function fittingOf(
  rows: readonly Row[],
  { least, isPlain }: { readonly least: readonly number[]; readonly isPlain: boolean },
  look: Look,
): Fitting | undefined {
  const fits = (some: readonly Row[]): Fitting | undefined => {
    const widths = widthsOf(some, least, look.columns);
    return tableWidth(widths, isPlain) <= look.columns ? { rows: some, widths } : undefined;
  };
  return fits(rows) ?? fits(rows.map((row) => shortened(row, look)));
}

/** Without boxes nothing would tell where a row ends. */
function onOneLine(row: Row): Row {
  return row.some((cell) => cell.includes('\n')) ? row.map((cell) => cell.replaceAll('\n', '; ')) : row;
}

function shortened(row: Row, { isLines }: Look): Row {
  return row.map((cell, index) => (index === 0 || isLines(index) ? cell : truncate(cell, LONGEST_CELL)));
}

/** Width of each column; one that is wider than the terminal may be wider still. */
function widthsOf(rows: readonly Row[], least: readonly number[], columns: number): readonly number[] {
  const widths = [...least];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, widestLine(cell, columns));
    });
  }
  return widths;
}

function widestLine(cell: string, columns: number): number {
  if (!cell.includes('\n')) return displayWidth(cell, columns);
  return cell.split('\n').reduce((widest, line) => Math.max(widest, displayWidth(line, columns)), 0);
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
  const nextOf = (rows: readonly Row[]): Fitting => {
    const lines = rows.map(onOneLine);
    const least = { least: widths, isPlain: true };
    return fittingOf(lines, least, look) ?? { rows: lines.map((row) => shortened(row, look)), widths };
  };
  return ({ head, rows }) => {
    const next = isFirst ? first : nextOf(rows);
    widths = next.widths;
    let drawn = isFirst && look.headers ? `${look.title(lineOf(head, widths))}\n` : '';
    isFirst = false;
    for (const row of next.rows) drawn += `${lineOf(row, widths, look.cell)}\n`;
    return drawn;
  };
}

function lineOf(row: Row, widths: readonly number[], paint?: Look['cell']): string {
  const last = row.length - 1;
  let line = '';
  row.forEach((cell, index) => {
    line += paint === undefined ? cell : paint(cell, index);
    if (index < last) line += ' '.repeat(2 + Math.max(0, (widths[index] ?? 0) - displayWidth(cell)));
  });
  return line;
}
