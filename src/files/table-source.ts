import { cellName, delimitersOf, MOST_LINES, type Row, readRows } from '../fs/csv-read.ts';
import { FileProblem } from '../fs/read.ts';
import { counted, emailProblem, quote } from '../model/text.ts';
import { COMMENT, cellProblem, cellValue, kindProblem, putAt, unspelledCell } from './cells.ts';
import type { Column, Header, ReadHeader } from './columns.ts';
import { listed, type Place, type PlaceProblem } from './entry.ts';
import type { SourceText } from './files.ts';
import { type Raw, type Reading, withCell } from './grammar.ts';

/** Reads the header of a table. */
export interface HeaderReader {
  /** How many of some cells are headers of columns. */
  readonly knows: (cells: readonly string[]) => number;
  readonly read: ReadHeader;
}

/** The rows of a source, without blank ones. */
interface Table {
  /** The marks that may be between cells. */
  readonly delimiters: readonly string[];
  readonly open: (delimiter: string) => AsyncIterable<Row> | Iterable<Row>;
  /** What else of a workbook is not read. */
  readonly warnings: readonly string[];
}

async function openTable(
  { name, bytes, language }: SourceText,
  { signal, hidden }: Pick<Reading, 'signal' | 'hidden'>,
): Promise<Table> {
  if (language !== 'xlsx') {
    const open = (delimiter: string) => readRows(bytes, name, signal, delimiter);
    return { delimiters: delimitersOf(bytes), open, warnings: [] };
  }
  const { readFirstSheet } = await import('../fs/xlsx.ts');
  const { name: sheet, others, rows } = await readFirstSheet(bytes, name, hidden);
  const only = `${name}: only the sheet ${quote(sheet)} is read, not ${listed(others.map(quote))}.`;
  return { delimiters: [','], open: rows, warnings: others.length > 0 ? [only] : [] };
}

/**
 * The rows of a CSV text, or of the first sheet of a workbook, from the header on: titles and comments may be above it. A list of
 * addresses gets a header, as row 0.
 *
 * @returns the mark between cells, and warnings about what is not read, too.
 * @throws {CliError} exit 2 if it cannot be read; a CSV text may do so at its first row.
 */
export async function tableIn(
  source: SourceText,
  reading: Pick<Reading, 'signal' | 'hidden' | 'headerRow'>,
  knows: HeaderReader['knows'],
) {
  const { name } = source;
  const { headerRow } = reading;
  const { delimiters, open, warnings } = await openTable(source, reading);
  const tops = new Map<string, readonly Row[]>();
  for (const delimiter of delimiters) {
    const top: Row[] = [];
    for await (const row of open(delimiter))
      if (top.push(row) >= MOST_LINES && row.number >= (headerRow ?? 0)) break;
    tops.set(delimiter, top);
  }
  const isFound = (delimiter: string) => headerAt(tops.get(delimiter) ?? [], knows, headerRow) >= 0;
  const delimiter = delimiters.find(isFound) ?? delimiters[0] ?? ',';
  const top = tops.get(delimiter) ?? [];
  const stated = headerRow === undefined ? 0 : top.findIndex(({ number }) => number === headerRow);
  if (stated < 0) throw new FileProblem(name, `has nothing in row ${headerRow}, which --header-row names`);
  const found = headerAt(top, knows, headerRow);
  const at = Math.max(found, stated);
  const above = `${name}: what is above the header in row ${top[at]?.number} is not read.`;
  return {
    rows: fromRow(open(delimiter), at, found < 0 && at === 0 ? addressHeader(top[0]) : []),
    delimiter,
    warnings: at > 0 ? [...warnings, above] : warnings,
  };
}

async function* fromRow(rows: ReturnType<Table['open']>, first: number, before: readonly Row[]) {
  yield* before;
  let index = 0;
  for await (const row of rows) {
    if (index >= first) yield row;
    index += 1;
  }
}

/**
 * The index of the header, or -1: the row that is stated; or the first that names several columns, if all above are titles and
 * comments; or the first row, if it names one.
 */
function headerAt(rows: readonly Row[], knows: HeaderReader['knows'], stated?: number): number {
  const known = rows.map(({ cells, problem }) => (problem === undefined ? knows(cells) : 0));
  if (stated !== undefined)
    return rows.findIndex(({ number }, index) => number === stated && known[index] !== 0);
  const below = rows.findIndex((row, at) => {
    const width = filledIn(row).length;
    return width > 1 && (known[at] ?? 0) > 1 && rows.slice(0, at).every((above) => isTitle(above, width));
  });
  return below < 0 && (known[0] ?? 0) > 0 ? 0 : below;
}

/** Whether a row above a header is a title, or a comment. @param width filled cells of the header. */
function isTitle(row: Row, width: number): boolean {
  const [first = '', ...others] = filledIn(row);
  return (
    row.problem !== undefined || first.startsWith('#') || (others.length < 2 && others.length + 1 < width)
  );
}

function filledIn({ cells }: Pick<Row, 'cells'>): readonly string[] {
  return cells.filter((cell) => cell.trim() !== '');
}

/** The header of a list of e-mail addresses that has none. */
function addressHeader(first: Row = { number: 0, cells: [] }): readonly Row[] {
  const [address = '', ...others] = filledIn(first);
  if (others.length > 0 || emailProblem(address.trim()) !== undefined) return [];
  return [{ number: 0, cells: first.cells.map((cell) => (cell.trim() === '' ? '' : 'email')) }];
}

/**
 * The entries of a table, one a row; a header alone is an empty list.
 *
 * @param header reads the header; `undefined` when its columns are not known, and the problems have why.
 * @throws {CliError} exit 2 if it is empty or cannot be read; mistakes in the header or in rows go to the problems.
 */
export async function* entriesInTable(
  source: SourceText,
  reading: Reading,
  { knows, read: readHeader }: HeaderReader,
): AsyncGenerator<Raw> {
  const { name } = source;
  const { rows, delimiter, warnings } = await tableIn(source, reading, knows);
  for (const warning of warnings) await reading.warn(warning);
  const { problems } = reading;
  let header: Header | undefined;
  for await (const read of rows) {
    const row: Row = { ...read, cells: read.cells.map(unspelledCell) };
    const place: Place = { file: name, unit: 'row', number: row.number };
    const reason = row.problem ?? (header && lengthProblem(row, header));
    if (reason !== undefined) {
      problems.addAt(place, { reason });
      if (header === undefined) return;
      continue;
    }
    if (header === undefined) {
      header = readHeader(row.cells, place, delimiter, reading);
      if (header === undefined) return;
      continue;
    }
    if (isComment(read)) continue;
    const damaged = cellProblems(row, read.cells, header);
    const cells = row.kinds && namedCells(row.number, header);
    for (const problem of [...valuesWithoutName(row, header), ...damaged])
      problems.addAt(place, withCell(problem, cells));
    const { columns, kind, isWrong } = header;
    const value = valueOfRow(row.cells, columns);
    const known = isWrong ? columns.flatMap((column) => column?.name ?? []) : undefined;
    yield { place, value, kind, cells, damaged: damaged.map(({ field }) => field), columns: known };
  }
  if (header === undefined) throw new FileProblem(name, 'is empty');
}

/** The cells of a row of a workbook, by the names of their columns: `H3`. */
function namedCells(row: number, { columns }: Header): ReadonlyMap<string, string> {
  return new Map(
    columns.map((column, index) => [column?.name ?? `column ${index + 1}`, cellName(index, row)] as const),
  );
}

/** Whether a row is one of comments, as a template has it. */
function isComment({ cells }: Row): boolean {
  return cells.every((cell) => cell.trim() === '' || cell.startsWith(COMMENT));
}

/** What is wrong with the number of cells of a row, or `undefined`. */
export function lengthProblem(
  { cells }: Pick<Row, 'cells'>,
  { columns, width }: { readonly columns: readonly unknown[]; readonly width: number },
): string | undefined {
  if (cells.length >= width && cells.length <= columns.length) return undefined;
  const advice =
    cells.length > columns.length
      ? 'a cell with the delimiter in it is written in quotes'
      : 'an empty cell keeps its delimiter';
  return `has ${counted(cells.length, 'cell')}, and the header ${columns.length}; ${advice}`;
}

/** Spreadsheets write columns without a name and without cells; a value in one would be lost. */
function valuesWithoutName({ cells }: Row, { nameless }: Header): readonly PlaceProblem[] {
  return nameless.flatMap((index) => {
    const cell = cells[index]?.trim() ?? '';
    const reason = `has the value ${quote(cell)}, and the header has no name for its column`;
    return cell === '' ? [] : [{ field: `column ${index + 1}`, reason }];
  });
}

const NOT_FILLED_IN = `begins with ${COMMENT}, as a comment does: write a value, or nothing`;

/** @param written the cells as the file has them. */
function cellProblems({ cells, kinds }: Row, written: Row['cells'], { columns }: Header) {
  return columns.flatMap((column, index): readonly PlaceProblem[] => {
    if (column === undefined) return [];
    const [field, cell] = [column.name, cells[index] ?? ''];
    const isComment = written[index]?.startsWith(COMMENT) === true;
    const reason = isComment
      ? NOT_FILLED_IN
      : (kindProblem(field, cell, kinds?.[index]) ?? cellProblem(field, cell));
    return reason === undefined ? [] : [{ field, reason }];
  });
}

/** The fields of a row; an empty cell gives none. */
function valueOfRow(
  cells: readonly string[],
  columns: readonly (Column | undefined)[],
): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (column !== undefined && cell.trim() !== '') putAt(value, column.path, cellValue(column.name, cell));
  }
  return value;
}
