import { setImmediate as turn } from 'node:timers/promises';
import { textOfFormula, unquotedCell } from '../model/text.ts';
import { decodeFile } from './decode.ts';
import { FileProblem } from './read.ts';

/** Characters of a row. A longer one has a quote that is never closed. */
const LONGEST_ROW = 1_048_576;

/** Rows are read so many at a time, and then something else may happen. */
const ROWS_A_TURN = 1_000;

const LONGEST_HEADER = 65_536;

/** To find out that a quote is open takes up to a MiB of text for each. */
const MOST_BROKEN = 100;

/** One row of a table. */
export interface Row {
  /** As a spreadsheet counts, from 1: blank rows count, a cell with line breaks is one row, and `sep=;` is none. */
  readonly number: number;
  readonly cells: readonly string[];
  /** The cells that were written as formulas of a text (`="01067"`), by their indexes. */
  readonly formulas: readonly number[];
  /** What is wrong with its quotes: it has no cells then. */
  readonly problem?: string | undefined;
}

/** A table whose rows are not read yet. */
interface Table {
  readonly text: string;
  /** What stands between cells. */
  readonly delimiter: string;
}

/**
 * Opens a CSV text with the delimiter that a first line `sep=;` states, else with commas, semicolons or tabs, whichever
 * its first row has most of.
 *
 * @throws {FileProblem} when it is not UTF-8 text.
 */
export function openTable(bytes: Uint8Array, name: string): Table {
  // Spreadsheets save as UTF-16 or in the encoding of the system by default.
  const text = decodeFile(bytes, name, 'Save it as "CSV UTF-8", or');
  const stated = statedDelimiter(text);
  if (stated !== undefined) return { text: text.slice(stated.length), delimiter: stated.mark };
  // Headings of spreadsheets may have line breaks.
  const lines = text
    .slice(0, LONGEST_HEADER)
    .replaceAll(/"[^"]*"/g, 'quoted')
    .split(/\r|\n/);
  const unquoted = lines.find((line) => line.trim() !== '') ?? '';
  const counted = [',', ';', '\t'].map((mark) => ({ mark, count: unquoted.split(mark).length }));
  return { text, delimiter: counted.reduce((most, each) => (each.count > most.count ? each : most)).mark };
}

/** The first line that Excel obeys and does not show: `sep=;`. A byte order mark may stand before it. */
const SEPARATOR = /^\ufeff?("?)sep=([^\p{L}\p{N}"'=\s]|\t)\1(?:\r\n|\n|\r|$)/iu;

/** The delimiter that the first line of a table states, and the length of that line; `undefined` where it states none. */
export function statedDelimiter(
  text: string,
): { readonly mark: string; readonly length: number } | undefined {
  const [line, , mark] = SEPARATOR.exec(text) ?? [];
  return line === undefined || mark === undefined ? undefined : { mark, length: line.length };
}

/**
 * The rows of a table; blank ones are left out. The ' that keeps a spreadsheet from taking a cell for a formula is
 * removed, and the formula of a text, `="01067"`, is that text. After a row whose quotes are wrong the reading goes on
 * with the next line.
 *
 * @throws {FileProblem} after 100 rows whose quotes are wrong.
 */
export async function* readRows(table: Table, name: string, signal: AbortSignal): AsyncGenerator<Row> {
  const { text } = table;
  let broken = 0;
  for (let at = 0, number = 1; at < text.length; number += 1) {
    if (number % ROWS_A_TURN === 0) {
      await turn();
      signal.throwIfAborted();
    }
    const { cells, end } = rowAt(table, at);
    if (typeof cells === 'string') {
      const line = text.slice(at, lineEnd(text, at));
      yield { number, cells: [], formulas: [], problem: problemOf(cells, line) };
      broken += 1;
      if (broken === MOST_BROKEN)
        throw new FileProblem(
          name,
          `has ${MOST_BROKEN} rows whose quotes are wrong, and is not read further`,
        );
    } else if (cells.some((cell) => cell.trim() !== '')) yield rowOf(cells, number);
    at = end + (text.startsWith('\r\n', end) ? 2 : 1);
  }
}

function rowOf(written: readonly string[], number: number): Row {
  const texts = written.map(textOfFormula);
  return {
    number,
    cells: written.map((cell, index) => texts[index] ?? unquotedCell(cell)),
    formulas: [...texts.keys()].filter((index) => texts[index] !== undefined),
  };
}

/** What is wrong with the quotes of a row. */
type BrokenQuote = 'open' | 'closed early' | 'inside' | 'long';

/** The cells of the row at an offset, or what is wrong with it, and the offset of the line break behind it. */
function rowAt(
  { text, delimiter }: Table,
  start: number,
): { readonly cells: readonly string[] | BrokenQuote; readonly end: number } {
  const cells: string[] = [];
  for (let at = start; ; at += 1) {
    const end = endOfCell(text, at, delimiter);
    if (typeof end === 'string') return { cells: end, end: lineEnd(text, start) };
    if (end - start > LONGEST_ROW) return { cells: 'long', end: lineEnd(text, start) };
    const written = text.slice(at, end);
    cells.push(written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written);
    at = end;
    if (text[at] !== delimiter) return { cells, end };
  }
}

/** The offset behind the cell at an offset, or what is wrong with its quotes. */
function endOfCell(text: string, start: number, delimiter: string): number | BrokenQuote {
  const isEnd = (at: number) => at >= text.length || text[at] === delimiter || isBreak(text[at]);
  if (text[start] === '"') {
    const end = endOfQuoted(text, start);
    if (end === undefined) return text.length - start > LONGEST_ROW ? 'long' : 'open';
    return isEnd(end) ? end : 'closed early';
  }
  if (text.startsWith('="', start)) {
    const end = endOfQuoted(text, start + 1);
    if (end !== undefined && isEnd(end) && !/[\r\n]/.test(text.slice(start, end))) return end;
  }
  let end = start;
  while (!isEnd(end)) end += 1;
  return text.slice(start, end).includes('"') ? 'inside' : end;
}

/** The offset behind the quote that closes the one at an offset; `undefined` where none in the row does. */
function endOfQuoted(text: string, start: number): number | undefined {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 2)) {
    if (at - start > LONGEST_ROW) return undefined;
    if (text[at + 1] !== '"') return at + 1;
  }
  return undefined;
}

function lineEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && !isBreak(text[end])) end += 1;
  return end;
}

function isBreak(character: string | undefined): boolean {
  return character === '\n' || character === '\r';
}

/** A quote that is open at the end of a line may meet the first one of another row. */
function problemOf(broken: BrokenQuote, line: string): string {
  const isOpen = line.split('"').length % 2 === 0;
  return reasons[broken === 'closed early' && isOpen ? 'open' : broken];
}

const reasons: Readonly<Record<BrokenQuote, string>> = {
  open: 'has a quote (") that is never closed; a quote inside a quoted cell is written ""',
  'closed early': 'has text after a closing quote ("); a quote inside a quoted cell is written ""',
  inside: 'has a quote (") inside a cell that does not begin with one; write the cell as "a ""b"""',
  long: 'is longer than 1 MiB: a quote (") is opened there or before, and not closed',
};
