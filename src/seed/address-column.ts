import { isAbsolute, join } from 'node:path';
import { FileProblem, SAVE_AS } from '../fs/read.ts';
import { emailProblem } from '../model/segment.ts';
import { quote } from '../model/text.ts';
import { kindProblem, unspelledCell } from './cells.ts';
import { listed, type Place } from './entry.ts';
import { languageOf } from './files.ts';
import { isSameHeader, meantColumn } from './header-words.ts';
import { Problems } from './problems.ts';
import { type ReadOptions, readSource } from './read.ts';
import { tableIn } from './table-source.ts';

/**
 * The e-mail addresses in one column of a table (CSV or .xlsx). Cells that are empty or a dash have none.
 *
 * @param column its header; default: the one that means e-mail.
 * @param folder where a relative path begins.
 * @throws {CliError} exit 2 with the rows of all that is no address; if there is no such column, or no address.
 */
export async function readAddresses(
  { file, column }: { readonly file: string; readonly column?: string | undefined },
  folder: string,
  { stdin, hidden, warn }: Pick<ReadOptions, 'stdin' | 'hidden' | 'warn'>,
): Promise<readonly string[]> {
  const path = isAbsolute(file) ? file : join(folder, file);
  const language = languageOf(path);
  if (language !== 'csv' && language !== 'xlsx')
    throw new FileProblem(file, 'is not a table that ends in .csv or .xlsx', { hint: SAVE_AS });
  const source = await readSource({ path, language }, file, stdin);
  const { rows, warnings } = await tableIn(source, { signal: stdin.ends, hidden });
  for (const warning of warnings) await warn(warning);
  const problems = new Problems();
  const addresses: string[] = [];
  let index: number | undefined;
  for await (const { number, cells, kinds, problem } of rows) {
    const place: Place = { file, unit: 'row', number };
    if (problem !== undefined) problems.addAt(place, { reason: problem });
    else if (index === undefined) index = columnIn(cells, column, file);
    else {
      const cell = unspelledCell(cells[index] ?? '').trim();
      const reason = kindProblem('email', cell, kinds?.[index]) ?? emailProblem(cell);
      if (/^[-–—]?$/.test(cell)) continue;
      if (reason === undefined) addresses.push(cell);
      else problems.addAt(place, { field: column ?? 'email', reason });
    }
  }
  problems.throwIfAny();
  if (addresses.length === 0) throw new FileProblem(file, 'has no e-mail address');
  return addresses;
}

/** @throws {FileProblem} unless one header is meant. */
function columnIn(cells: readonly string[], column: string | undefined, file: string): number {
  const headers = cells.map((cell) => unspelledCell(cell).trim());
  const isMeant = (header: string) =>
    column === undefined ? meantColumn(header, 'user') === 'email' : isSameHeader(header, column);
  const [index, ...others] = headers.flatMap((header, at) => (isMeant(header) ? [at] : []));
  if (index !== undefined && others.length === 0) return index;
  const named = column === undefined ? 'column of e-mail addresses' : `column ${quote(column)}`;
  const what = index === undefined ? `has no ${named}` : `has more than one ${named}`;
  const shown = listed(headers.filter((header) => header !== '').map(quote));
  throw new FileProblem(file, `${what}; it has ${shown}`, {
    hint: 'Name the column in the policy: employees: {file: ..., column: ...}',
  });
}
