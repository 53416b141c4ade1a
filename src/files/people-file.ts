import { hash } from 'node:crypto';
import { isAbsolute, join } from 'node:path';
import { FileProblem, inputTimeOver, SAVE_AS } from '../fs/read.ts';
import { isOver, lastDayProblem } from '../model/dates.ts';
import { CliError, type Detail } from '../model/errors.ts';
import { ExitCode } from '../model/exit-codes.ts';
import { nearest, suggestion } from '../model/names.ts';
import type { Check, Context } from '../model/ports.ts';
import { isRecord } from '../model/records.ts';
import { emailProblem } from '../model/segment.ts';
import { counted, quote } from '../model/text.ts';
import { kindProblem, unspelledCell } from './cells.ts';
import { type Header, Headers, judgedHeader } from './columns.ts';
import { isMissing, listed, type Place, type PlaceProblem } from './entry.ts';
import { findFiles, languageOf, readSource } from './files.ts';
import { isNew, type Raw, withCell } from './grammar.ts';
import { columnAmong, isSameHeader, LAST_DAY } from './header-words.ts';
import { shownName } from './names.ts';
import { Problems } from './problems.ts';
import { entriesOf, type ReadOptions } from './read.ts';
import { type HeaderReader, lengthProblem, tableIn } from './table-source.ts';

/** A column of a file of people; in YAML and JSON a field. */
export interface PeopleColumn {
  /** `properties` and `roles` hold lists. */
  readonly name: string;
  /** Every row has it. */
  readonly isNeeded?: true;
  /** A table has it, and rows may leave it empty. */
  readonly isColumn?: true;
  /** No two rows have the same, in any case of letters. */
  readonly isUnique?: true;
  /** What is wrong with its text, or with one text of its list. */
  readonly problem?: Check;
}

/** What a row has in one column: a text, or a list of them. */
type Value = string | readonly string[];

/** A row of a file of people; a column without a value is left out. */
export interface PersonRow {
  readonly place: Place;
  readonly fields: Readonly<Record<string, Value>>;
  /** The last day is to come, or is empty in a file that has such days: the row is left out. */
  readonly isLeft?: boolean;
}

/** What reading a file of people needs. */
export interface PeopleOptions {
  readonly context: Pick<Context, 'argv' | 'stdin' | 'signal' | 'clock'>;
  readonly warn: (sentence: string) => Promise<void>;
  /** Words of `--map`: `Ort=property`, or `Ort=` to leave a column out. */
  readonly map?: readonly string[] | undefined;
  /** `ignore`: other columns are not read. */
  readonly mapRest?: string | undefined;
  readonly headerRow?: number | undefined;
  /** Hidden rows and columns of a workbook are read, too. */
  readonly hidden?: boolean | undefined;
  /** Other columns are for people, and are not read. Default: they are mistakes. */
  readonly ignoresOthers?: boolean | undefined;
  /** What is wrong with a row as a whole. */
  readonly judge?: ((fields: PersonRow['fields']) => readonly PlaceProblem[]) | undefined;
  /** Where rows name what the service does not have; called only if the file is wrong, to say all at once. */
  readonly unknownNames?: ((rows: readonly PersonRow[]) => Promise<readonly Detail[]>) | undefined;
}

const LISTS = ['properties', 'roles'];

/**
 * Reads a file with one person a row: a table with a header in English or German, a workbook, or a list in YAML, JSON or NDJSON.
 *
 * @param path `-` is stdin.
 * @returns the rows, and the SHA-256 of the file as it was read, in hex.
 * @throws {CliError} `invalid_input`, exit 2, with all that is wrong, each with file, line or row, and column.
 */
export async function readPeople(
  path: string,
  columns: readonly PeopleColumn[],
  { context: { argv, stdin, signal, clock }, warn, map = [], mapRest, ...options }: PeopleOptions,
): Promise<{ readonly rows: readonly PersonRow[]; readonly sha256: string | undefined }> {
  const problems = new Problems();
  const headers = new Headers(map);
  const { hidden, headerRow, judge, ignoresOthers = mapRest === 'ignore' } = options;
  const reading = { problems, headers, signal: stdin.ends, hidden, headerRow, prune: false, warn };
  const asked: Asked = { columns, headers, problems, ignoresOthers, judge, now: clock.now() };
  const header: HeaderReader = {
    knows: (cells) => knownIn(cells, asked),
    read: (cells, place, delimiter) => headerOf(cells, place, delimiter, asked),
  };
  const rows: PersonRow[] = [];
  let sha256: string | undefined;
  for (const file of await findFiles([path], problems, signal)) {
    const name = file.path === '-' ? 'stdin' : file.path;
    try {
      const source = await readSource(file, name, stdin);
      sha256 = hash('sha256', source.raw, 'hex');
      for await (const raw of entriesOf(source, reading, header)) rows.push(...rowIn(raw, asked));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      if (error.exitCode === ExitCode.unavailable) throw inputTimeOver(name);
      problems.addError(name, error);
    }
  }
  for (const column of columns.filter(({ isUnique }) => isUnique))
    for (const { place, fields } of rows) {
      const value = fields[column.name];
      if (typeof value === 'string') problems.addName({ kind: 'user', name: value, place });
    }
  for (const { field, reason } of headers.sourceProblems()) problems.add(field, reason);
  const left = rows.filter(({ isLeft }) => isLeft).length;
  if (left > 0)
    await warn(`Left out of ${path}: ${counted(left, 'row')} whose last day is today or later, or empty.`);
  if (problems.areAny && rows.length > 0)
    for (const { field, reason } of (await options.unknownNames?.(rows)) ?? []) problems.add(field, reason);
  problems.throwIfAny(headers.mapLine(argv));
  return { rows: rows.filter(({ isLeft }) => !isLeft), sha256 };
}

/** What a file is read for. */
interface Asked extends Pick<PeopleOptions, 'judge'> {
  readonly columns: readonly PeopleColumn[];
  readonly headers: Headers;
  readonly problems: Problems;
  readonly ignoresOthers: boolean;
  readonly now: number;
  /** Whether the table that is read has a column of last days. */
  isDated?: boolean;
}

/** How many cells are headers of columns; an address tells a header alone. */
function knownIn(cells: readonly string[], { columns, headers }: Pick<Asked, 'columns' | 'headers'>): number {
  const known = columns.map(({ name }) => name);
  const meant = cells.map((cell) => columnAmong(headers.columnOf(cell.trim()) ?? cell.trim(), known));
  return meant.filter((name) => name !== undefined).length + (meant.includes('email') ? 1 : 0);
}

/** Reads the header of a table. @returns `undefined` when it names no column; the problems get why. */
function headerOf(
  cells: readonly string[],
  place: Place,
  delimiter: string,
  asked: Asked,
): Header | undefined {
  const { columns, headers, problems, ignoresOthers } = asked;
  const known = columns.map(({ name }) => name);
  const written = cells.map((cell) => cell.trim());
  const names = written.map((header) => {
    if (header === '') return header;
    const word = headers.mappedTo(header);
    if (word === '') return undefined;
    const isOther = ignoresOthers && word === undefined;
    return columnAmong(word ?? header, known) ?? (isOther ? undefined : (word ?? header));
  });
  if (!names.some((name) => name !== undefined && known.includes(name))) {
    const reason = `is not a header; the first row names the columns, or that of --header-row, such as ${known.slice(0, 2).join(delimiter)}`;
    problems.addAt(place, { reason });
    return undefined;
  }
  const needed = columns.flatMap(({ name, isNeeded, isColumn }) => ((isNeeded ?? isColumn) ? [name] : []));
  const missing = needed.filter((name) => !names.includes(name));
  const others = written.filter((_, index) => names[index] === undefined);
  const placeholder = missing.length === 1 && others.length > 0 ? ['HEADER'] : [];
  for (const name of missing) {
    const near = others.filter((header) => nearest(header, [name]) !== undefined);
    for (const header of near.length > 0 ? near : placeholder) headers.noteUnknown(header, name);
  }
  asked.isDated = names.includes(LAST_DAY);
  return judgedHeader(written, names, place, asked, {
    kind: undefined,
    one: 'every row',
    needed,
    problemOf: (name) => (known.includes(name) ? undefined : { reason: unknown(name, known) }),
    near: (name) => nearest(name, known),
  });
}

function unknown(name: string, known: readonly string[]): string {
  return `is not a column of this file${suggestion(nearest(name, known)) || `, which has ${listed(known)}`}`;
}

/** The row of an entry. The problems have what is wrong with it. */
function rowIn(
  raw: Raw,
  { columns, problems, ignoresOthers, judge, now, isDated = false }: Asked,
): readonly PersonRow[] {
  const { place, value, cells } = raw;
  if (!isRecord(value)) {
    problems.addAt(place, { reason: 'holds no fields and values' });
    return [];
  }
  const known = columns.map(({ name }) => name);
  const isOther = (name: string) => ignoresOthers && columnAmong(name, known) === undefined;
  const given = Object.entries(value).filter(([name, each]) => !isOther(name) && !isMissing(each));
  const fields: Record<string, Value> = {};
  const wrong: PlaceProblem[] = columns
    .filter(({ name, isNeeded }) => isNeeded && !given.some(([each]) => each === name))
    .map(({ name }) => ({ field: name, reason: 'is missing' }));
  for (const [name, typed] of given) {
    const each = typeof typed === 'string' ? typed.trim() : typed;
    const column = columns.find((any) => any.name === name);
    if (column === undefined) wrong.push({ field: shownName(name), reason: unknown(name, known) });
    else if (!isValue(name, each)) {
      const what = LISTS.includes(name) ? 'a list of texts' : 'a text';
      wrong.push({ field: name, reason: `must be ${what}` });
    } else {
      fields[name] = each;
      for (const text of [each].flat()) {
        const reason = column.problem?.(text);
        if (reason !== undefined) wrong.push({ field: name, reason });
      }
    }
  }
  const hasDay = isDated || (known.includes(LAST_DAY) && Object.hasOwn(value, LAST_DAY));
  const isStaying = hasDay && !isOver(String(fields[LAST_DAY]), now);
  if (isStaying && wrong.every(({ field }) => field !== LAST_DAY)) return [{ place, fields, isLeft: true }];
  const whole = judge?.(fields).filter(({ field }) => wrong.every((each) => each.field !== field)) ?? [];
  for (const problem of [...wrong, ...whole].filter((each) => isNew(each, raw)))
    problems.addAt(place, withCell(problem, cells));
  return [{ place, fields }];
}

function isValue(name: string, value: unknown): value is Value {
  if (!LISTS.includes(name)) return typeof value === 'string';
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

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
  const knows = (cells: readonly string[]) =>
    2 * cells.filter((cell) => isColumn(cell, 'column', employees)).length;
  const { rows, warnings } = await tableIn(source, { signal: stdin.ends, hidden }, knows);
  for (const warning of warnings) await warn(warning);
  const problems = new Problems();
  const addresses: string[] = [];
  let indexes: readonly [email: number, until: number] | undefined;
  let header: Parameters<typeof lengthProblem>[1] | undefined;
  let gone = 0;
  for await (const { number, cells, kinds, problem } of rows) {
    const place: Place = { file, unit: 'row', number };
    const filled = cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== '') + 1);
    const broken = problem ?? (kinds === undefined && header && lengthProblem({ cells: filled }, header));
    if (broken) problems.addAt(place, { reason: broken });
    else if (indexes === undefined) {
      indexes = [columnIn(cells, 'column', employees), columnIn(cells, 'until', employees)];
      header = { columns: cells, width: 0 };
    } else {
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

/** Whether a header is that of a column of employees. */
function isColumn(cell: string, name: keyof typeof columns, { [name]: named }: Employees): boolean {
  const header = unspelledCell(cell).trim();
  const meant = name === 'column' ? 'email' : name;
  return named === undefined
    ? columnAmong(header, ['email', 'reason', 'until']) === meant
    : isSameHeader(header, named);
}

/** @returns -1 without a column of last days. @throws {FileProblem} unless one header is meant. */
function columnIn(cells: readonly string[], name: keyof typeof columns, employees: Employees): number {
  const { file, [name]: named } = employees;
  const headers = cells.map((cell) => unspelledCell(cell).trim());
  const [index, ...others] = headers.flatMap((header, at) => (isColumn(header, name, employees) ? [at] : []));
  if (index !== undefined && others.length === 0) return index;
  if (index === undefined && named === undefined && name === 'until') return -1;
  const noun = named === undefined ? `column of ${columns[name]}` : `column ${quote(named)}`;
  const shown = listed(headers.filter((header) => header !== '').map(quote));
  throw new FileProblem(file, `needs one ${noun}; it has ${shown}`, {
    hint: `Name the column in the policy: employees: {file: ..., ${name}: ...}`,
  });
}
