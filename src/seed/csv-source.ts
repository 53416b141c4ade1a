import { layoutOf, type Row, readRows } from '../fs/csv-read.ts';
import { FileProblem } from '../fs/read.ts';
import { quote, spreadsheetProblem } from '../model/text.ts';
import { type Column, type Header, headerOf } from './columns.ts';
import type { Place } from './entry.ts';
import type { Raw, Reading } from './grammar.ts';
import { EMPTY_LIST, NO_ROLES, truthFields } from './names.ts';
import type { SourceText } from './read.ts';
import { unspelledCell } from './spelled-cell.ts';

/** Fields whose cells hold a list. */
const lists: readonly string[] = ['properties', 'roles'];

/** What stands between two of a list; a blank is part of a name. */
const BETWEEN = /\s*[,;\n\r]\s*/;

/** The same in the cell of `property_roles`. */
const BETWEEN_ROLES = /\s*(?:[,;\n\r]|:\s)\s*/;

/**
 * The entries of a CSV text, one a row; a header alone is an empty list, as --failed-out writes it.
 *
 * @throws {CliError} exit 2 where it is empty or no text; what is wrong with the header or a row goes to the problems.
 */
export async function* entriesInCsv(
  { name, bytes }: SourceText,
  { problems, formulas, signal, only }: Reading,
): AsyncGenerator<Raw> {
  let header: Header | undefined;
  for await (const read of readRows(bytes, name, signal)) {
    const row: Row = { ...read, cells: read.cells.map(unspelledCell) };
    const place: Place = { file: name, unit: 'row', number: row.number };
    if (header === undefined) {
      if (row.problem !== undefined) return problems.addAt(place, { reason: row.problem });
      header = headerOf(row.cells, { place, delimiter: layoutOf(bytes).delimiter, problems, only });
      if (header === undefined) return;
      noteFormulas(row, header, place, formulas);
      continue;
    }
    const problem = row.problem ?? raggedness(row, header);
    if (problem !== undefined) {
      problems.addAt(place, { reason: problem });
      continue;
    }
    noteFormulas(row, header, place, formulas);
    complainOfNameless(row, header, place, problems);
    if (hasSpoiltCells(row, header, place, problems)) continue;
    const { columns, kind, known } = header;
    yield { place, value: valueOfRow(row.cells, columns), kind, known };
  }
  if (header === undefined) throw new FileProblem(name, 'is empty');
}

function noteFormulas(
  { cells, formulas: indexes }: Row,
  { columns }: Header,
  place: Place,
  formulas: Reading['formulas'],
): void {
  for (const index of indexes) {
    const column = columns[index];
    if (column !== undefined) formulas.push({ place, column: column.name, text: cells[index] ?? '' });
  }
}

/** Spreadsheets write columns without a name and without cells; a value in one would be lost. */
function complainOfNameless(
  { cells }: Row,
  { nameless }: Header,
  place: Place,
  problems: Reading['problems'],
): void {
  for (const index of nameless) {
    const cell = cells[index]?.trim() ?? '';
    if (cell === '') continue;
    const reason = `has the value ${quote(cell)}, and the header has no name for its column`;
    problems.addAt(place, { field: `column ${index + 1}`, reason });
  }
}

function raggedness({ cells }: Row, { columns, width }: Header): string | undefined {
  if (cells.length >= width && cells.length <= columns.length) return undefined;
  const advice =
    cells.length > columns.length
      ? 'a cell with the delimiter in it is written in quotes'
      : 'an empty cell keeps its delimiter';
  return `has ${count(cells.length, 'cell')}, and the header ${columns.length}; ${advice}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Whether a spreadsheet has spoilt cells of a row; they go to the problems. */
function hasSpoiltCells(
  { cells }: Row,
  { columns }: Header,
  place: Place,
  problems: Reading['problems'],
): boolean {
  const spoilt = columns.flatMap((column, index) => {
    const reason = column && spoiltReason(column, cells[index] ?? '');
    return column === undefined || reason === undefined ? [] : [{ field: column.name, reason }];
  });
  for (const problem of spoilt) problems.addAt(place, problem);
  return spoilt.length > 0;
}

function spoiltReason({ name, above }: Column, cell: string): string | undefined {
  const isText = above[0] !== 'extra';
  const between = name === 'property_roles' ? BETWEEN_ROLES : BETWEEN;
  const parts = name === 'property_roles' || lists.includes(name) ? cell.split(between) : [];
  return [cell, ...parts]
    .map((part) => spreadsheetProblem(part, isText))
    .find((reason) => reason !== undefined);
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
  if (name === 'property_roles') return word === EMPTY_LIST ? [] : rolesIn(word);
  if (lists.includes(name))
    return word === EMPTY_LIST ? [] : word.split(BETWEEN).filter((each) => each !== '');
  if (truthFields.includes(name) && /^(true|false)$/i.test(word)) return word.toLowerCase() === 'true';
  return name === 'kind' ? word : cell;
}

/** `BER: FrontDesk, Auditor; VIE: none`; anything else is refused with the entry. */
function rolesIn(word: string): readonly unknown[] {
  const parts = word.split(';').map((part) => part.trim());
  return parts.filter((part) => part !== '').map(rolesAtOne);
}

function rolesAtOne(part: string): Record<string, unknown> {
  const [, id, roles] = /^(\S+?):\s+(.+)$/.exec(part) ?? /^([^:]+):(.+)$/.exec(part) ?? [];
  if (id === undefined || roles === undefined) return { id: part };
  const names = roles.split(',').map((role) => role.trim());
  return { id, roles: roles.trim() === NO_ROLES ? [] : names };
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
