import { isAbsolute, join } from 'node:path';
import { FileProblem, SAVE_AS } from '../fs/read.ts';
import { isOver, lastDayProblem } from '../model/dates.ts';
import { emailProblem } from '../model/segment.ts';
import { counted, quote } from '../model/text.ts';
import { kindProblem, unspelledCell } from './cells.ts';
import { listed, type Place } from './entry.ts';
import { languageOf } from './files.ts';
import { columnAmong, isSameHeader } from './header-words.ts';
import { Problems } from './problems.ts';
import { type ReadOptions, readSource } from './read.ts';
import { tableIn } from './table-source.ts';

/** What the columns of a table of employees hold. */
const columns = { column: 'e-mail addresses', until: 'last days' } as const;

/** A table, and the headers of its columns; default: those that mean them. */
interface Employees extends Readonly<Partial<Record<keyof typeof columns, string | undefined>>> {
  readonly file: string;
}

/**
 * The e-mail addresses of the people who work here in a table (CSV or .xlsx). Cells that are empty or a dash have none, and who
 * has a last day that is over is left out.
 *
 * @param folder where a relative path begins.
 * @throws {CliError} exit 2 with the rows of all that is no address or day; if there is no column of addresses, or no address.
 */
export async function readAddresses(
  employees: Employees,
  folder: string,
  { stdin, hidden, warn, now }: Pick<ReadOptions, 'stdin' | 'hidden' | 'warn'> & { readonly now: number },
): Promise<readonly string[]> {
  const { file, column, until } = employees;
  const path = isAbsolute(file) ? file : join(folder, file);
  const language = languageOf(path);
  if (language !== 'csv' && language !== 'xlsx')
    throw new FileProblem(file, 'is not a table that ends in .csv or .xlsx', { hint: SAVE_AS });
  const source = await readSource({ path, language }, file, stdin);
  const { rows, warnings } = await tableIn(source, { signal: stdin.ends, hidden, dated: true });
  for (const warning of warnings) await warn(warning);
  const problems = new Problems();
  const addresses: string[] = [];
  let indexes: readonly [email: number, until: number] | undefined;
  let gone = 0;
  for await (const { number, cells, kinds, problem } of rows) {
    const place: Place = { file, unit: 'row', number };
    if (problem !== undefined) problems.addAt(place, { reason: problem });
    else if (indexes === undefined)
      indexes = [columnIn(cells, 'column', employees), columnIn(cells, 'until', employees)];
    else {
      const [cell = '', day = ''] = indexes.map((index) => unspelledCell(cells[index] ?? '').trim());
      const reason = kindProblem('email', cell, kinds?.[indexes[0]]) ?? emailProblem(cell);
      const noDay = kindProblem('until', day, kinds?.[indexes[1]]) ?? lastDayProblem(day);
      if (noDay !== undefined) problems.addAt(place, { field: until ?? 'until', reason: noDay });
      else if (isOver(day, now)) gone += 1;
      else if (reason === undefined) addresses.push(cell);
      else if (!/^[-–—]?$/.test(cell)) problems.addAt(place, { field: column ?? 'email', reason });
    }
  }
  problems.throwIfAny();
  if (gone > 0) await warn(`Left out of ${file}: ${counted(gone, 'row')} whose last day is over.`);
  if (addresses.length === 0) throw new FileProblem(file, 'has no e-mail address');
  return addresses;
}

/** @returns -1 without a column of last days. @throws {FileProblem} unless one header is meant. */
function columnIn(cells: readonly string[], name: keyof typeof columns, employees: Employees): number {
  const { file, [name]: named } = employees;
  const headers = cells.map((cell) => unspelledCell(cell).trim());
  const meant = name === 'column' ? 'email' : name;
  const isMeant = (header: string) =>
    named === undefined
      ? columnAmong(header, ['email', 'reason', 'until']) === meant
      : isSameHeader(header, named);
  const [index, ...others] = headers.flatMap((header, at) => (isMeant(header) ? [at] : []));
  if (index !== undefined && others.length === 0) return index;
  if (index === undefined && named === undefined && name === 'until') return -1;
  const noun = named === undefined ? `column of ${columns[name]}` : `column ${quote(named)}`;
  const what = index === undefined ? `has no ${noun}` : `has more than one ${noun}`;
  const shown = listed(headers.filter((header) => header !== '').map(quote));
  throw new FileProblem(file, `${what}; it has ${shown}`, {
    hint: `Name the column in the policy: employees: {file: ..., ${name}: ...}`,
  });
}
