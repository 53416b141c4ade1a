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
 * The rows of a CSV text with commas, semicolons or tabs, whichever is most frequent in its first row; blank rows are left
 * out. The ' that keeps a spreadsheet from taking a cell for a formula is removed, and the formula of a text is that
 * text. A row whose quotes are wrong is the last.
 *
 * @throws {CliError} exit 2 when it is not UTF-8 text.
 */
export async function* readRows(file: Uint8Array, name: string, signal: AbortSignal): AsyncGenerator<Row> {
  refuseForeign(file, name);
  const { delimiter, start } = layoutOf(file);
  const bytes = quoteTextFormulas(file.subarray(start), delimiter);
  // A stream that fails drops rows that were not read yet, also those before the mistake.
  const parsed: string[][] = [];
  const parser: Parser = parse({
    bom: true,
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    on_record: (cells: string[]) => {
      parsed.push(cells);
      // For a row that is not as long as the first one, the parser would make an error that is not used, and slow.
      Object.assign(parser.info, { records: 0 });
      return null;
    },
  });
  // The callbacks below get the error too.
  parser.on('error', () => undefined);
  let number = 0;
  for (let at = 0; at < bytes.length; at += CHUNK) {
    await turn();
    signal.throwIfAborted();
    const part = bytes.subarray(at, at + CHUNK);
    const failure = await new Promise<Error | null | undefined>((resolve) => {
      if (at + CHUNK < bytes.length) parser.write(part, resolve);
      else parser.end(part, (error?: Error | null) => resolve(error));
    });
    for (const cells of parsed.splice(0)) {
      number += 1;
      const texts = cells.map((cell) => textOfFormula(cell) ?? unquotedCell(cell));
      if (texts.some((text) => text.trim() !== '')) yield { number, cells: texts };
    }
    if (!failure) continue;
    if (!(failure instanceof CsvError)) throw failure;
    yield { number: number + 1, cells: [], problem: WRONG_QUOTES };
    return;
  }
}

/** The mark between the cells of a table, and the offset at which its first row begins. */
export function layoutOf(bytes: Uint8Array): { readonly delimiter: string; readonly start: number } {
  const stated = statedDelimiter(Buffer.from(bytes.subarray(0, LONGEST_STATEMENT)).toString('latin1'));
  if (stated !== undefined) return { delimiter: stated.mark, start: stated.length };
  return { delimiter: mostFrequent(bytes), start: 0 };
}

function mostFrequent(bytes: Uint8Array): string {
  const start = new TextDecoder().decode(bytes.subarray(0, LONGEST_HEADER));
  // Headings of spreadsheets may have line breaks.
  const lines = start.replaceAll(/"[^"]*"/g, 'quoted').split(/\r|\n/);
  const unquoted = lines.find((line) => line.trim() !== '') ?? '';
  const counted = [',', ';', '\t'].map((mark) => ({ mark, count: unquoted.split(mark).length }));
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
