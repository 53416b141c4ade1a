import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { invalidInput, usageError } from '../errors.ts';
import { refuseForeign } from './decode.ts';

/** A longer row is a quote that is never closed. */
const LONGEST_ROW = 1_048_576;
const CHUNK = 262_144;
const LONGEST_HEADER = 65_536;

/** One row of a table. */
export interface Row {
  /** As a spreadsheet counts, from 1: blank rows count, and a cell with line breaks is one row. */
  readonly number: number;
  readonly cells: readonly string[];
}

/**
 * The rows of a CSV text with commas, semicolons or tabs, whichever its first row has most of; blank rows are left out.
 * The ' that keeps a spreadsheet from taking a cell for a formula is taken away.
 *
 * @throws {CliError} exit 2 when it is not UTF-8 text, and naming the row whose quotes are wrong.
 */
export async function* readRows(bytes: Uint8Array, name: string, signal: AbortSignal): AsyncGenerator<Row> {
  refuseForeignTable(bytes, name);
  let number = 0;
  const parser = parse({
    bom: true,
    delimiter: delimiterOf(bytes),
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: LONGEST_ROW,
  });
  Readable.from(chunksOf(bytes, signal)).pipe(parser);
  try {
    for await (const record of parser) {
      number += 1;
      // Without options for columns and casts a record is a list of texts.
      const cells = (record as readonly string[]).map(unescapeCell);
      if (cells.some((cell) => cell.trim() !== '')) yield { number, cells };
    }
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof CsvError) throw wrongRow(cause, name, parser.info.records + 1);
    throw cause;
  }
}

/** The text of a cell whose first character is only there to keep a spreadsheet from reading a formula. */
function unescapeCell(cell: string): string {
  return /^'[=+\-@\t\r']/.test(cell) ? cell.slice(1) : cell;
}

/** Spreadsheets save as UTF-16 or in the encoding of the system when nobody tells them otherwise. */
function refuseForeignTable(bytes: Uint8Array, name: string): void {
  try {
    refuseForeign(bytes, name);
  } catch (cause) {
    const isOther = cause instanceof Error && cause.message.endsWith('is not UTF-8 text.');
    if (!isOther) throw cause;
    throw usageError(
      cause.message,
      `Save it as "CSV UTF-8", or: iconv -f WINDOWS-1252 -t UTF-8 ${name} > new-file`,
    );
  }
}

async function* chunksOf(bytes: Uint8Array, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += CHUNK) {
    await turn();
    signal.throwIfAborted();
    yield bytes.subarray(start, start + CHUNK);
  }
}

function delimiterOf(bytes: Uint8Array): string {
  const start = new TextDecoder().decode(bytes.subarray(0, LONGEST_HEADER)).trimStart();
  const unquoted = (start.split(/\r|\n/, 1)[0] ?? '').replaceAll(/"[^"]*"/g, '');
  const counted = [',', ';', '\t'].map((mark) => ({ mark, count: unquoted.split(mark).length }));
  return counted.reduce((most, each) => (each.count > most.count ? each : most)).mark;
}

function wrongRow({ code, message }: CsvError, name: string, number: number): Error {
  const reason = reasons[code] ?? message;
  return invalidInput([{ field: `${name}: row ${number}`, reason }]);
}

const reasons: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'has a quote (") that is never closed; a quote inside a quoted cell is written ""',
  CSV_INVALID_CLOSING_QUOTE: 'has text after a closing quote ("); a quote inside a quoted cell is written ""',
  INVALID_OPENING_QUOTE:
    'has a quote (") inside a cell that does not begin with one; write the cell as "a ""b"""',
  CSV_MAX_RECORD_SIZE: 'is longer than 1 MiB: a quote (") is opened there or before, and not closed',
};
