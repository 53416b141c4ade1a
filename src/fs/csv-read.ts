import { setImmediate as turn } from 'node:timers/promises';
import { CsvError, type Parser, parse } from 'csv-parse';
import { textOfFormula, unquotedCell } from '../model/text.ts';
import { refuseForeign, statedDelimiter } from './decode.ts';
import { FileProblem } from './read.ts';

/** A longer row is a quote that is never closed. */
const LONGEST_ROW = 1_048_576;
const CHUNK = 65_536;

/** Blank rows count, because they take time too. */
const MOST_ROWS = 1_000_000;

const LONGEST_HEADER = 65_536;
const LONGEST_STATEMENT = 32;

/** To find that a quote is open takes up to 1 MiB of parsing for each. */
const MOST_BROKEN = 100;

/** One row of a table. */
export interface Row {
  /** As a spreadsheet counts, from 1: blank rows count, a cell with line breaks is one row, and `sep=;` is none. */
  readonly number: number;
  readonly cells: readonly string[];
  /** The cells that were written as formulas of a text (`="01067"`), by their indexes. */
  readonly formulas: readonly number[];
  /** What is wrong with its quotes: it has no cells then. */
  readonly problem?: string;
}

/**
 * The rows of a CSV text with the delimiter that a first line `sep=;` states, else with commas, semicolons or tabs,
 * whichever is most frequent in its first row; blank rows are left out. The ' that keeps a spreadsheet from taking a cell for a
 * formula is removed, and the formula of a text, `="01067"`, is that text. After a row whose quotes are wrong, reading continues with
 * the next line.
 *
 * @throws {CliError} exit 2 when it is not UTF-8 text, or has more than 1,000,000 rows or 100 whose quotes are wrong.
 */
export async function* readRows(file: Uint8Array, name: string, signal: AbortSignal): AsyncGenerator<Row> {
  // Spreadsheets save as UTF-16 or in the encoding of the system by default.
  refuseForeign(file, name, 'Save it as "CSV UTF-8", or');
  const { delimiter, start } = layoutOf(file);
  const bytes = quoteTextFormulas(file.subarray(start), delimiter);
  let number = 0;
  let broken = 0;
  for (let from = 0; from < bytes.length; ) {
    const { parser, parsed, end } = openParser(delimiter);
    let failure: Failure;
    for await (failure of feeding(parser, bytes.subarray(from), signal)) {
      for (const quoted of parsed.splice(0)) {
        number += 1;
        if (number > MOST_ROWS)
          throw new FileProblem(name, 'has more than 1,000,000 rows; give it in several files');
        const row = rowOf(quoted, number);
        if (row.cells.some((cell) => cell.trim() !== '')) yield row;
      }
      if (failure) break;
    }
    if (!failure) return;
    if (!(failure instanceof CsvError)) throw failure;
    number += 1;
    broken += 1;
    const line = lineAt(bytes, from + end());
    yield { number, cells: [], formulas: [], problem: problemOf(failure, line) };
    if (broken === MOST_BROKEN)
      throw new FileProblem(name, `has ${MOST_BROKEN} rows whose quotes are wrong, and is not read further`);
    from += end() + line.length;
  }
}

function rowOf(parsed: readonly string[], number: number): Row {
  const texts = parsed.map(textOfFormula);
  return {
    number,
    cells: parsed.map((cell, index) => texts[index] ?? unquotedCell(cell)),
    formulas: [...texts.keys()].filter((index) => texts[index] !== undefined),
  };
}

/** A parser, the rows that it has ready, and the offset at which the last of them ends. */
function openParser(delimiter: string) {
  const parsed: string[][] = [];
  let end = 0;
  const parser = parse({
    bom: true,
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: LONGEST_ROW,
    // A stream that fails drops rows that were not read yet, also those before the mistake.
    on_record: (cells: string[]) => {
      parsed.push(cells);
      end = parser.info.bytes;
      // For a row that is not as long as the first one, the parser would make an error that is not used, and slow.
      Object.assign(parser.info, { records: 0 });
      return null;
    },
  });
  return { parser, parsed, end: () => end };
}

/** The line at an offset, with its end. */
function lineAt(bytes: Uint8Array, start: number): Uint8Array {
  const stop = bytes.subarray(start).findIndex((byte) => byte === 0x0a || byte === 0x0d);
  if (stop < 0) return bytes.subarray(start);
  const isPair = bytes[start + stop] === 0x0d && bytes[start + stop + 1] === 0x0a;
  return bytes.subarray(start, start + stop + (isPair ? 2 : 1));
}

/** The failure of a stream, or nothing. */
type Failure = Error | null | undefined;

/** Writes bytes to a parser in chunks, and yields after each chunk its failure, if any. */
async function* feeding(parser: Parser, bytes: Uint8Array, signal: AbortSignal): AsyncGenerator<Failure> {
  // The callbacks below get the error too.
  parser.on('error', () => undefined);
  for (let start = 0; start < bytes.length; start += CHUNK) {
    await turn();
    signal.throwIfAborted();
    const part = bytes.subarray(start, start + CHUNK);
    yield new Promise<Failure>((resolve) => parser.write(part, resolve));
  }
  yield new Promise<Failure>((resolve) => parser.end(resolve));
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

/** A quote that is open at the end of a line may meet the first one of another row. */
function problemOf({ code, message }: CsvError, line: Uint8Array): string {
  const isOpen = line.filter((byte) => byte === 0x22).length % 2 === 1;
  const shown = code === 'CSV_INVALID_CLOSING_QUOTE' && isOpen ? 'CSV_QUOTE_NOT_CLOSED' : code;
  return reasons[shown] ?? message;
}

const reasons: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'has a quote (") that is never closed; a quote inside a quoted cell is written ""',
  CSV_INVALID_CLOSING_QUOTE: 'has text after a closing quote ("); a quote inside a quoted cell is written ""',
  INVALID_OPENING_QUOTE:
    'has a quote (") inside a cell that does not begin with one; write the cell as "a ""b"""',
  CSV_MAX_RECORD_SIZE: 'is longer than 1 MiB: a quote (") is opened there or before, and not closed',
};

/** A quote inside a quoted cell is written twice; more of them in one cell would take too much memory to look through. */
const MOST_QUOTES = 50_000;

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
  const quoted = (inside: string) => `"${inside}*(?:""${inside}*){0,${MOST_QUOTES}}"`;
  const formula = `=${quoted('[^"\\r\\n]')}(?=[${ends}]|$)`;
  const cells = new RegExp(`(^(?:\\xef\\xbb\\xbf)?|[${ends}])(${quoted('[^"]')}?|${formula})`, 'g');
  const text = buffer.toString('latin1').replaceAll(cells, (_, before: string, cell: string) => {
    return before + (cell.startsWith('=') ? `"${cell.replaceAll('"', '""')}"` : cell);
  });
  return Buffer.from(text, 'latin1');
}
