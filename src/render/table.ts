import Table from 'cli-table3';
import { drawCards } from './cards.ts';
import { coloured, type Look, type Sheet } from './sheet.ts';
import { displayWidth, pad, truncate } from './width.ts';

/** Longest cell of a table that would not fit otherwise. */
const LONGEST_CELL = 60;

/** Beyond this many rows cli-table3 takes more than linear time: seconds for ten thousand. */
const MOST_BOXED_ROWS = 100;

/** Characters for private use: from the first on each stands for a text, and the filling widens it. */
const standIns = { first: 0xf0000, most: 0x1fffe, filling: '\ue000', all: /[\u{f0000}-\u{10fffd}]\ue000*/gu };

/** What every table of characters measures alike. */
const ASCII = /^[ -~]*$/;

/** The list as a table; as cards where the terminal is too narrow for one, even with long cells cut. */
export function drawList(sheet: Sheet, look: Look): string {
  const plain = look.plain || sheet.rows.length > MOST_BOXED_ROWS;
  const named = look.headers ? sheet : { ...sheet, head: sheet.head.map(() => '') };
  const whole = plain ? onOneLine(named) : named;
  const fitting = [whole, shortened(whole, look)].find(
    (candidate) => tableWidth(widthsOf(candidate, look.columns), plain) <= look.columns,
  );
  if (fitting === undefined) return drawCards(coloured(sheet, look), look);
  const drawn = coloured(fitting, look);
  return plain ? drawPlain(drawn, look) : drawBoxes(drawn, look);
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

function drawBoxes({ head, rows }: Sheet, { title, headers }: Look): string {
  const { standIn, drawn } = openStandIns();
  const table = new Table({
    head: headers ? head.map((text) => standIn(title(text))) : [],
    style: { head: [], border: [], compact: true },
  });
  table.push(...rows.map((cells) => cells.map((cell) => cell.split('\n').map(standIn).join('\n'))));
  return `${drawn(table.toString())}\n`;
}

/**
 * The library measures by an old table of characters: Thai, pointed Hebrew or a new emoji would bend the frame. It draws
 * stand-ins of the right width, and the texts take their place afterwards.
 */
function openStandIns() {
  const texts: string[] = [];
  return {
    standIn: (text: string) => {
      const width = ASCII.test(text) ? 0 : displayWidth(text);
      if (width === 0 || texts.length === standIns.most) return text;
      const character = String.fromCodePoint(standIns.first + texts.length);
      texts.push(text);
      return character + standIns.filling.repeat(width - 1);
    },
    drawn: (table: string) =>
      table.replaceAll(standIns.all, (found) => texts[(found.codePointAt(0) ?? 0) - standIns.first] ?? found),
  };
}

function drawPlain({ head, rows }: Sheet, { title, columns, headers }: Look): string {
  const widths = widthsOf({ head, rows }, columns);
  const line = (cells: readonly string[]) =>
    cells.map((cell, index) => (index < cells.length - 1 ? pad(cell, widths[index] ?? 0) : cell)).join('  ');
  return [...(headers ? [title(line(head))] : []), ...rows.map(line)].map((text) => `${text}\n`).join('');
}
