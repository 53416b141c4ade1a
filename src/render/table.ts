import Table from 'cli-table3';
import { drawCards } from './cards.ts';
import { displayWidth, pad, truncate } from './width.ts';

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
  readonly title: (text: string) => string;
  /** Colours a cell, by its text and its column. */
  readonly cell?: (text: string, column: number) => string;
  /** Columns whose cells have several lines or none, and are never cut, as the first one is not, the id. */
  readonly isLines?: (column: number) => boolean;
}

/** Longest cell of a table that would not fit otherwise. */
const LONGEST_CELL = 60;

/** Beyond this many rows cli-table3 takes more than linear time: seconds for ten thousand. */
const MOST_BOXED_ROWS = 100;

/** The list as a table; as cards where the terminal is too narrow for one, even with long cells cut. */
export function drawList(sheet: Sheet, look: Look): string {
  const plain = look.plain || sheet.rows.length > MOST_BOXED_ROWS;
  const whole = plain ? onOneLine(sheet) : sheet;
  const fitting = [whole, shortened(whole, look)].find(
    (candidate) => tableWidth(widthsOf(candidate, look.columns), plain) <= look.columns,
  );
  if (fitting === undefined) return drawCards(coloured(sheet, look), look);
  const drawn = coloured(fitting, look);
  return plain ? drawPlain(drawn, look) : drawBoxes(drawn, look);
}

function coloured({ head, rows }: Sheet, { cell }: Look): Sheet {
  return cell === undefined ? { head, rows } : { head, rows: rows.map((cells) => cells.map(cell)) };
}

/** Without boxes nothing would tell where a row ends. */
function onOneLine({ head, rows }: Sheet): Sheet {
  return { head, rows: rows.map((cells) => cells.map((cell) => cell.replaceAll('\n', '; '))) };
}

function shortened({ head, rows }: Sheet, { isLines }: Look): Sheet {
  const fitting = (cell: string, index: number) =>
    index === 0 || isLines?.(index) === true ? cell : truncate(cell, LONGEST_CELL);
  return { head, rows: rows.map((cells) => cells.map(fitting)) };
}

/** Width of each column; one that is wider than the terminal may be wider still. */
function widthsOf({ head, rows }: Sheet, columns: number): readonly number[] {
  return head.map((title, index) =>
    rows.reduce(
      (width, cells) => Math.max(width, widestLine(cells[index] ?? '', columns)),
      displayWidth(title),
    ),
  );
}

function widestLine(cell: string, columns: number): number {
  if (!cell.includes('\n')) return displayWidth(cell, columns);
  return cell.split('\n').reduce((widest, line) => Math.max(widest, displayWidth(line, columns)), 0);
}

function tableWidth(widths: readonly number[], plain: boolean): number {
  const text = widths.reduce((sum, width) => sum + width, 0);
  return plain ? text + 2 * (widths.length - 1) : text + 3 * widths.length + 1;
}

function drawBoxes({ head, rows }: Sheet, { title }: Look): string {
  const table = new Table({ head: head.map(title), style: { head: [], border: [], compact: true } });
  table.push(...rows.map((cells) => [...cells]));
  return `${table.toString()}\n`;
}

function drawPlain({ head, rows }: Sheet, { title, columns }: Look): string {
  const widths = widthsOf({ head, rows }, columns);
  const line = (cells: readonly string[]) =>
    cells.map((cell, index) => (index < cells.length - 1 ? pad(cell, widths[index] ?? 0) : cell)).join('  ');
  return [title(line(head)), ...rows.map(line)].map((text) => `${text}\n`).join('');
}
