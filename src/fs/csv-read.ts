import { setImmediate as turn } from 'node:timers/promises';
import type { CsvError } from 'csv-parse/sync';
import { textOfFormula, unquotedCell } from '../model/text.ts';
import { decodeFile } from './decode.ts';
import { FileProblem } from './read.ts';

/** A longer row has a quote that is never closed. */
const LONGEST_ROW = 1_048_576;

/** Rows are read so many at a time, and then something else may happen. */
const ROWS_A_TURN = 1_000;

const LONGEST_HEADER = 65_536;

/** To find out that a quote is open takes up to a MiB of parsing for each. */
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
  readonly bytes: Uint8Array;
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
  const delimiter = stated?.mark ?? mostFrequent(text);
  return { bytes: bytesOf(text.slice(stated?.length), delimiter), delimiter };
}

function mostFrequent(text: string): string {
  // Headings of spreadsheets may have line breaks.
  const lines = text
    .slice(0, LONGEST_HEADER)
    .replaceAll(/"[^"]*"/g, 'quoted')
    .split(/\r|\n/);
  const unquoted = lines.find((line) => line.trim() !== '') ?? '';
  const counted = [',', ';', '\t'].map((mark) => ({ mark, count: unquoted.split(mark).length }));
  return counted.reduce((most, each) => (each.count > most.count ? each : most)).mark;
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
 * A text for the parser: the formula of a text, `="01067"`, in quotes as the format wants it. A formula has at most 255
 * characters of text; what stands in quotes already is left as it is.
 */
function bytesOf(text: string, delimiter: string): Uint8Array {
  if (!text.includes('="')) return Buffer.from(text);
  const end = `[\\r\\n\\u{${delimiter.codePointAt(0)?.toString(16)}}]`;
  const formula = `(?<=^|${end})="(?:[^"\\r\\n]|""){0,255}"(?=$|${end})`;
  const quoted = text.replaceAll(new RegExp(`"[^"]*"|${formula}`, 'gu'), (part) =>
    part.startsWith('=') ? `"${part.replaceAll('"', '""')}"` : part,
  );
  return Buffer.from(quoted);
}

/**
 * The rows of a table; blank ones are left out. The ' that keeps a spreadsheet from taking a cell for a formula is
 * removed, and the formula of a text, `="01067"`, is that text. After a row whose quotes are wrong the reading goes on
 * with the next line.
 *
 * @throws {FileProblem} after 100 rows whose quotes are wrong.
 */
export async function* readRows(table: Table, name: string, signal: AbortSignal): AsyncGenerator<Row> {
  const { parse, CsvError } = await import('csv-parse/sync');
  let number = 0;
  let broken = 0;
  for (let { bytes } = table; bytes.length > 0; ) {
    await turn();
    signal.throwIfAborted();
    const rows: string[][] = [];
    let end = 0;
    let mistake: CsvError | undefined;
    try {
      parse(bytes, {
        delimiter: table.delimiter,
        record_delimiter: ['\r\n', '\n', '\r'],
        relax_column_count: true,
        max_record_size: LONGEST_ROW,
        to: ROWS_A_TURN,
        // The rows before a mistake are wanted, too.
        on_record: (cells: string[], info) => {
          rows.push(cells);
          end = info.bytes;
          return null;
        },
      });
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      mistake = error;
    }
    for (const cells of rows) {
      number += 1;
      if (cells.some((cell) => cell.trim() !== '')) yield rowOf(cells, number);
    }
    bytes = bytes.subarray(end);
    if (mistake === undefined) continue;
    const text = new TextDecoder().decode(bytes);
    const [line = ''] = /^[^\r\n]*(?:\r\n|\r|\n)?/.exec(text) ?? [];
    number += 1;
    yield { number, cells: [], formulas: [], problem: problemOf(mistake, line) };
    broken += 1;
    if (broken === MOST_BROKEN)
      throw new FileProblem(name, `has ${MOST_BROKEN} rows whose quotes are wrong, and is not read further`);
    bytes = bytesOf(text.slice(line.length), table.delimiter);
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

/** A quote that is open at the end of a line may meet the first one of another row. */
function problemOf({ code, message }: CsvError, line: string): string {
  const isOpen = code === 'CSV_INVALID_CLOSING_QUOTE' && line.split('"').length % 2 === 0;
  return reasons[isOpen ? 'CSV_QUOTE_NOT_CLOSED' : code] ?? message;
}

const reasons: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'has a quote (") that is never closed; a quote inside a quoted cell is written ""',
  CSV_INVALID_CLOSING_QUOTE: 'has text after a closing quote ("); a quote inside a quoted cell is written ""',
  INVALID_OPENING_QUOTE:
    'has a quote (") inside a cell that does not begin with one; write the cell as "a ""b"""',
  CSV_MAX_RECORD_SIZE: 'is longer than 1 MiB: a quote (") is opened there or before, and not closed',
};
