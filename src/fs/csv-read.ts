import { setImmediate as turn } from 'node:timers/promises';
import { CsvError, type Parser, parse } from 'csv-parse';
import { textOfFormula, unquotedCell } from '../model/text.ts';
import { refuseForeign, statedDelimiter } from './read.ts';

const CHUNK = 65_536;
const LONGEST_HEADER = 65_536;

/** What a cell of a workbook is; `formula`: one whose value was not saved. */
export type CellKind = 'text' | 'number' | 'date' | 'time' | 'truth' | 'error' | 'formula';

const LONGEST_STATEMENT = 32;

/** One row of a table. */
export interface Row {
  /** As a spreadsheet counts, from 1: blank rows count, a cell with line breaks is one row, and `sep=;` is none. */
  readonly number: number;
  readonly cells: readonly string[];
  /** What each cell was, in a format that knows it. */
  readonly kinds?: readonly CellKind[];
  /** What is wrong with its quotes: it has no cells then. */
  readonly problem?: string;
}

/**
 * The rows of a CSV text; blank rows are left out. The ' that keeps a spreadsheet from taking a cell for a formula is removed,
 * and the formula of a text is that text. After a row whose quotes are wrong, reading goes on with the next line.
 *
 * @param delimiter the mark between cells.
 * @throws {CliError} exit 2 when it is not UTF-8 text.
 */
export async function* readRows(
  file: Uint8Array,
  name: string,
  signal: AbortSignal,
  delimiter: string,
): AsyncGenerator<Row> {
  refuseForeign(file, name);
  const bytes = quoteTextFormulas(file.subarray(startOf(file)), delimiter);
  let [start, number] = [0, 0];
  for (let broken = 1; start < bytes.length && broken <= MOST_BROKEN; broken += 1) {
    let end = start;
    try {
      for await (const { cells, bytes: read } of recordsIn(bytes.subarray(start), delimiter, signal)) {
        number += 1;
        end = start + read;
        const texts = cells.map((cell) => textOfFormula(cell) ?? unquotedCell(cell));
        if (texts.some((text) => text.trim() !== '')) yield { number, cells: texts };
      }
      return;
    } catch (cause) {
      if (!(cause instanceof CsvError)) throw cause;
    }
    number += 1;
    const problem = broken < MOST_BROKEN ? WRONG_QUOTES : `${WRONG_QUOTES}; the rows after it are not read`;
    yield { number, cells: [], problem };
    start = endOfLine(bytes, end);
  }
}

/** Rows with wrong quotes that reading goes on after: each may be searched to the end for its quote. */
const MOST_BROKEN = 20;

/** The records up to the first mistake, each with the bytes up to its end. @throws {CsvError} after them. */
async function* recordsIn(bytes: Uint8Array, delimiter: string, signal: AbortSignal) {
  // A stream that fails drops rows that were not read yet, also those before the mistake.
  const parsed: { readonly cells: readonly string[]; readonly bytes: number }[] = [];
  const parser: Parser = parse({
    bom: true,
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    on_record: (cells: string[]) => {
      parsed.push({ cells, bytes: parser.info.bytes });
      // For a row that is not as long as the first one, the parser would make an error that is not used, and slow.
      Object.assign(parser.info, { records: 0 });
      return null;
    },
  });
  // The callbacks below get the error too.
  parser.on('error', () => undefined);
  for (let at = 0; at < bytes.length; at += CHUNK) {
    await turn();
    signal.throwIfAborted();
    const part = bytes.subarray(at, at + CHUNK);
    const failure = await new Promise<Error | null | undefined>((resolve) => {
      if (at + CHUNK < bytes.length) parser.write(part, resolve);
      else parser.end(part, (error?: Error | null) => resolve(error));
    });
    yield* parsed.splice(0);
    if (failure) throw failure;
  }
}

/** Where the line at an offset is over. */
function endOfLine(bytes: Uint8Array, from: number): number {
  const ends = [bytes.indexOf(10, from), bytes.indexOf(13, from)].filter((at) => at >= 0);
  const at = ends.length === 0 ? bytes.length : Math.min(...ends);
  return at + (bytes[at] === 13 && bytes[at + 1] === 10 ? 2 : 1);
}

function stated(bytes: Uint8Array) {
  return statedDelimiter(Buffer.from(bytes.subarray(0, LONGEST_STATEMENT)).toString('latin1'));
}

/** The offset at which the first row begins. */
function startOf(bytes: Uint8Array): number {
  return stated(bytes)?.length ?? 0;
}

/** What may be the mark between the cells of a table: that of its first line, then those of some lines below. */
export function delimitersOf(bytes: Uint8Array): readonly string[] {
  const { mark } = stated(bytes) ?? {};
  if (mark !== undefined) return [mark];
  const start = new TextDecoder().decode(bytes.subarray(0, LONGEST_HEADER));
  // Headings of spreadsheets may have line breaks.
  const lines = start.replaceAll(/"[^"]*"/g, 'quoted').split(/\r|\n/);
  const filled = lines.filter((line) => line.trim() !== '').slice(0, MOST_LINES);
  return [...new Set([filled[0] ?? '', ...filled].map(mostFrequent))];
}

/** Lines in which a header is looked for, below titles and comments. */
export const MOST_LINES = 11;

function mostFrequent(line: string): string {
  const counted = [',', ';', '\t'].map((mark) => ({ mark, count: line.split(mark).length }));
  return counted.reduce((most, each) => (each.count > most.count ? each : most)).mark;
}

const WRONG_QUOTES = 'has a quote (") in a wrong place; a cell with quotes is written as "a ""b"""';

/** What a spreadsheet calls a cell: `H3`. @param column from 0. @param row from 1. */
export function cellName(column: number, row: number): string {
  let letters = '';
  for (let left = column; left >= 0; left = Math.floor(left / 26) - 1)
    letters = String.fromCharCode(65 + (left % 26)) + letters;
  return `${letters}${row}`;
}

/**
 * The bytes of a CSV text in which each cell `="01067"`, a formula that keeps a spreadsheet from reading a number, is in
 * quotes as the format wants it: `"=""01067"""`. Cells that are in quotes already, and other formulas, stay.
 *
 * @param mark between cells, one character of ASCII.
 */
function quoteTextFormulas(bytes: Uint8Array, mark: string): Uint8Array {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!buffer.includes('="')) return bytes;
  const ends = `\\x${mark.charCodeAt(0).toString(16).padStart(2, '0')}\\r\\n`;
  // More quotes in one cell would overflow the stack.
  const quoted = (inside: string) => `"${inside}*(?:""${inside}*){0,50000}"`;
  const formula = `=${quoted('[^"\\r\\n]')}(?=[${ends}]|$)`;
  const cells = new RegExp(`(^(?:\\xef\\xbb\\xbf)?|[${ends}])(${quoted('[^"]')}?|${formula})`, 'g');
  const text = buffer.toString('latin1').replaceAll(cells, (_, before: string, cell: string) => {
    return before + (cell.startsWith('=') ? `"${cell.replaceAll('"', '""')}"` : cell);
  });
  return Buffer.from(text, 'latin1');
}
