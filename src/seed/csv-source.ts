import { layoutOf, type Row, readRows } from '../fs/csv-read.ts';
import { FileProblem } from '../fs/read.ts';
import { counted, quote } from '../model/text.ts';
import { COMMENT, cellProblem, cellValue, putAt, unspelledCell } from './cells.ts';
import { type Column, type Header, headerOf } from './columns.ts';
import type { Place, PlaceProblem } from './entry.ts';
import type { Raw, Reading } from './grammar.ts';
import type { SourceText } from './read.ts';

/**
 * The entries of a CSV text, one a row; a header alone is an empty list, as --failed-out writes it.
 *
 * @throws {CliError} exit 2 if it is empty or not text; mistakes in the header or in rows go to the problems.
 */
export async function* entriesInCsv({ name, bytes }: SourceText, reading: Reading): AsyncGenerator<Raw> {
  const { problems, signal } = reading;
  let header: Header | undefined;
  for await (const read of readRows(bytes, name, signal)) {
    const row: Row = { ...read, cells: read.cells.map(unspelledCell) };
    const place: Place = { file: name, unit: 'row', number: row.number };
    const reason = row.problem ?? (header && lengthProblem(row, header));
    if (reason !== undefined) {
      problems.addAt(place, { reason });
      if (header === undefined) return;
      continue;
    }
    if (header === undefined) {
      header = headerOf(row.cells, place, layoutOf(bytes).delimiter, reading);
      if (header === undefined) return;
      continue;
    }
    if (isComment(read)) continue;
    const damaged = [...comments(read, header), ...cellProblems(row, header)];
    for (const problem of [...valuesWithoutName(row, header), ...damaged]) problems.addAt(place, problem);
    if (damaged.length > 0) continue;
    const { columns, kind } = header;
    yield { place, value: valueOfRow(row.cells, columns), kind };
  }
  if (header === undefined) throw new FileProblem(name, 'is empty');
}

/** Whether a row is one of comments, as a template has it. */
function isComment({ cells }: Row): boolean {
  return cells.every((cell) => cell.trim() === '' || cell.startsWith(COMMENT));
}

/** The comments in a row of an entry: a template was filled in only partly. */
function comments({ cells }: Row, { columns }: Header): readonly PlaceProblem[] {
  const reason = `begins with ${COMMENT}, as a comment does: write a value, or nothing`;
  return columns.flatMap((column, index) =>
    column !== undefined && cells[index]?.startsWith(COMMENT) ? [{ field: column.name, reason }] : [],
  );
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

function cellProblems({ cells }: Row, { columns }: Header): readonly PlaceProblem[] {
  return columns.flatMap((column, index) => {
    const reason = column && cellProblem(column.name, cells[index] ?? '');
    return column === undefined || reason === undefined ? [] : [{ field: column.name, reason }];
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
