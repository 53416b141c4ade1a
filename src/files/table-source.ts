import { cellName, layoutOf, type Row, readRows } from '../fs/csv-read.ts';
import { FileProblem } from '../fs/read.ts';
import { counted, quote } from '../model/text.ts';
import { COMMENT, cellProblem, cellValue, kindProblem, putAt, unspelledCell } from './cells.ts';
import { type Column, type Header, headerOf, type ReadHeader } from './columns.ts';
import { listed, type Place, type PlaceProblem } from './entry.ts';
import type { SourceText } from './files.ts';
import { type Raw, type Reading, withCell } from './grammar.ts';

/**
 * The rows of a CSV text, or of the first sheet of a workbook, and what else of the workbook is not read.
 *
 * @throws {CliError} exit 2 if it cannot be read; a CSV text may do so at its first row.
 */
export async function tableIn(source: SourceText, { signal, hidden }: Pick<Reading, 'signal' | 'hidden'>) {
  const { name, bytes, language } = source;
  if (language !== 'xlsx') {
    const rows = readRows(bytes, name, signal);
    return { rows, delimiter: layoutOf(bytes).delimiter, warnings: [] };
  }
  const { readFirstSheet } = await import('../fs/xlsx.ts');
  const { name: sheet, others, rows } = await readFirstSheet(bytes, name, hidden);
  const only = `${name}: only the sheet ${quote(sheet)} is read, not ${listed(others.map(quote))}.`;
  return { rows, delimiter: ',', warnings: others.length > 0 ? [only] : [] };
}

/**
 * The entries of a table, one a row; a header alone is an empty list.
 *
 * @param readHeader reads the first row; `undefined` when it is wrong, and the problems have why.
 * @throws {CliError} exit 2 if it is empty or cannot be read; mistakes in the header or in rows go to the problems.
 */
export async function* entriesInTable(
  source: SourceText,
  reading: Reading,
  readHeader: ReadHeader = headerOf,
): AsyncGenerator<Raw> {
  const { name } = source;
  const { rows, delimiter, warnings } = await tableIn(source, reading);
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
    const { columns, kind } = header;
    const value = valueOfRow(row.cells, columns);
    yield { place, value, kind, cells, damaged: damaged.map(({ field }) => field) };
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

function lengthProblem({ cells }: Row, { columns, width }: Header): string | undefined {
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
