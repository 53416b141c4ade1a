import { layoutOf, type Row, readRows } from '../files/csv-read.ts';
import { FileProblem } from '../files/file-problem.ts';
import { type Column, type Header, headerOf } from './columns.ts';
import type { Place } from './entry.ts';
import type { Raw } from './grammar.ts';
import { EMPTY_LIST, truthFields } from './names.ts';
import type { Reading, SourceFile } from './placed.ts';
import { unspelledCell } from './spelled-cell.ts';

/** Fields whose cells hold a list, and what stands between two of it: names of roles may have blanks. */
const lists: ReadonlyMap<string, RegExp> = new Map([
  ['properties', /[,;\s]+/],
  ['roles', /\s*[,;]\s*/],
]);

/**
 * The entries of a CSV text, one a row; a header alone is an empty list, as --failed-out writes it.
 *
 * @throws {CliError} exit 2 where it is empty, no text, or its quotes are wrong; what is wrong with the header or a row
 *   goes to the problems.
 */
export async function* entriesInCsv(
  { name, bytes }: SourceFile,
  { problems, signal, only }: Reading,
): AsyncGenerator<Raw> {
  let header: Header | undefined;
  for await (const { number, cells } of readRows(bytes, name, signal)) {
    const row = { number, cells: cells.map(unspelledCell) };
    const place: Place = { file: name, unit: 'row', number: row.number };
    if (header === undefined) {
      header = headerOf(row.cells, { place, delimiter: layoutOf(bytes).delimiter, problems, only });
      if (header === undefined) return;
      continue;
    }
    const problem = raggedness(row, header);
    if (problem === undefined)
      yield { place, value: valueOfRow(row.cells, header.columns), kind: header.kind, known: header.known };
    else problems.addAt(place, { reason: problem });
  }
  if (header === undefined) throw new FileProblem(name, 'is empty');
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
    if (column !== undefined && cell.trim() !== '') put(value, column, cellValue(column, cell));
  }
  return value;
}

function cellValue({ name }: Column, cell: string): unknown {
  const word = cell.trim();
  const between = lists.get(name);
  if (between !== undefined)
    return word === EMPTY_LIST ? [] : word.split(between).filter((each) => each !== '');
  if (truthFields.includes(name) && /^(true|false)$/i.test(word)) return word.toLowerCase() === 'true';
  return name === 'kind' ? word : cell;
}

/** Into an object of our own: its header has no name that objects carry themselves but `constructor`, and that is asked for. */
function put(record: Record<string, unknown>, { above, last }: Column, value: unknown): void {
  let outer = record;
  for (const name of above) {
    if (!Object.hasOwn(outer, name)) outer[name] = {};
    // Whatever stands here was put by the line above: no column is inside a column.
    outer = outer[name] as Record<string, unknown>;
  }
  outer[last] = value;
}
