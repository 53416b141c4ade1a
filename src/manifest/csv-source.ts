import { usageError } from '../errors.ts';
import { type Row, readRows } from '../files/csv-read.ts';
import { type Column, type Header, headerOf } from './columns.ts';
import { type Place, placeText } from './entry.ts';
import type { Raw } from './grammar.ts';
import type { Reading, SourceFile } from './placed.ts';

/** Fields whose cells hold a list of ids. */
const ID_LIST = 'properties';

/**
 * The entries of a CSV text, one a row.
 *
 * @throws {CliError} exit 2 where it is empty, no text, or its quotes are wrong; what is wrong with the header or a row
 *   goes to the problems.
 */
export async function* entriesInCsv(
  { name, bytes }: SourceFile,
  { problems, signal, only }: Reading,
): AsyncGenerator<Raw> {
  let header: Header | undefined;
  let isHeaderOnly = true;
  for await (const row of readRows(bytes, name, signal)) {
    const place: Place = { file: name, unit: 'row', number: row.number };
    if (header === undefined) {
      header = headerOf(row.cells, placeText(place), problems, only);
      if (header === undefined) return;
      continue;
    }
    isHeaderOnly = false;
    const problem = raggedness(row, header);
    if (problem === undefined)
      yield { place, value: valueOfRow(row.cells, header.columns), kind: header.kind };
    else problems.add(placeText(place), problem);
  }
  if (header === undefined) throw usageError(`${name} is empty.`);
  if (isHeaderOnly) throw usageError(`${name} has a header and no rows.`);
}

function raggedness({ cells }: Row, { columns }: Header): string | undefined {
  if (cells.length === columns.length) return undefined;
  const advice =
    cells.length > columns.length
      ? 'a cell with the delimiter in it is written in quotes'
      : 'an empty cell keeps its delimiter';
  return `has ${count(cells.length, 'cell')}, and the header ${columns.length}; ${advice}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** The fields of a row; an empty cell gives none. */
function valueOfRow(
  cells: readonly string[],
  columns: readonly (Column | undefined)[],
): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (column !== undefined && cell.trim() !== '') put(value, column.path, cellValue(column, cell));
  }
  return value;
}

function cellValue({ name }: Column, cell: string): unknown {
  if (name === ID_LIST) return cell.split(/[,;\s]+/).filter((id) => id !== '');
  return name === 'kind' ? cell.trim() : cell;
}

/** Into an object of our own: its header has no name that objects carry themselves but `constructor`, and that is asked for. */
function put(record: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    record[name] = value;
    return;
  }
  const inner = Object.hasOwn(record, name) ? record[name] : undefined;
  // Whatever stands here was put by the line below: no column is inside a column.
  const outer = (inner ?? {}) as Record<string, unknown>;
  record[name] = outer;
  put(outer, rest, value);
}
