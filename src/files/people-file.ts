import { createHash } from 'node:crypto';
import { isAbsolute, join } from 'node:path';
import { FileProblem, inputTimeOver, SAVE_AS } from '../fs/read.ts';
import { isOver, lastDayProblem } from '../model/dates.ts';
import { CliError, type Detail, ExitCode } from '../model/errors.ts';
import type { Check, Context } from '../model/ports.ts';
import { isRecord } from '../model/records.ts';
import { counted, emailProblem, nearest, quote, suggestion } from '../model/text.ts';
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
 * Reads files with one person a row: a table with a header in English or German, a workbook, or a list in YAML, JSON or NDJSON.
 *
 * @param paths `-` is stdin.
 * @returns the rows, and the SHA-256 of the files as they were read, one after the other, in hex.
 * @throws {CliError} `invalid_input`, exit 2, with all that is wrong, each with file, line or row, and column.
 */
export async function readPeople(
  paths: readonly string[],
  columns: readonly PeopleColumn[],
  { context: { argv, stdin, signal, clock }, warn, map = [], mapRest, ...options }: PeopleOptions,
): Promise<{ readonly rows: readonly PersonRow[]; readonly sha256: string }> {
  const [problems, where] = [new Problems(), listed(paths)];
  const headers = new Headers(map);
  const { hidden, headerRow, judge, ignoresOthers = mapRest === 'ignore' } = options;
  const reading = { problems, headers, signal: stdin.ends, hidden, headerRow, prune: false, warn };
  const asked: Asked = { columns, headers, problems, ignoresOthers, judge, now: clock.now() };
  const header: HeaderReader = {
    knows: (cells) => knownIn(cells, asked),
    read: (cells, place, delimiter) => headerOf(cells, place, delimiter, asked),
  };
  const rows: PersonRow[] = [];
  const sha256 = createHash('sha256');
  for (const file of await findFiles(paths, problems, signal)) {
    const name = file.path === '-' ? 'stdin' : file.path;
    try {
      const source = await readSource(file, name, stdin);
      sha256.update(source.raw);
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
    await warn(`Left out of ${where}: ${counted(left, 'row')} whose last day is today or later, or empty.`);
  if (problems.areAny && rows.length > 0)
    for (const { field, reason } of (await options.unknownNames?.(rows)) ?? []) problems.add(field, reason);
  problems.throwIfAny(headers.mapLine(argv));
  return { rows: rows.filter(({ isLeft }) => !isLeft), sha256: sha256.digest('hex') };
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

/** A column of a table with one person a row. */
export interface StaffColumn {
  /** Default: one that means the field. */
  readonly header?: string | undefined;
  /** What its cells are, where they are more than texts; a dash is an empty cell. */
  readonly field?: keyof typeof titles | undefined;
  readonly isOptional?: boolean;
  /** What to do if it is not there. */
  readonly hint?: string;
}

/** What the cells of a column are, for sentences. */
const titles = { email: 'e-mail addresses', until: 'last days' } as const;

/** The cells of the columns of one row, trimmed; of a column that is not there they are empty. */
export interface StaffRow {
  readonly place: Place;
  readonly cells: readonly string[];
}

/** What reading a table of staff needs. */
interface StaffReading extends Pick<ReadOptions, 'stdin' | 'hidden' | 'warn'> {
  readonly headerRow?: number | undefined;
  /** Words of `--map`. */
  readonly map?: readonly string[];
  /** A row of a text that lacks cells is a mistake: the file may be cut. */
  readonly isWhole?: true;
}

/**
 * Reads some columns of a table with one person a row (CSV or .xlsx); others are not read.
 *
 * @param file what messages call it.
 * @throws {CliError} exit 2 with the rows of all that cannot be read, is no address or no day; for a column that is not there.
 */
export async function readStaff(
  path: string,
  file: string,
  columns: readonly StaffColumn[],
  { stdin, hidden, headerRow, map = [], warn, isWhole }: StaffReading,
): Promise<readonly StaffRow[]> {
  const language = languageOf(path);
  if (language !== 'csv' && language !== 'xlsx')
    throw new FileProblem(file, 'is not a table that ends in .csv or .xlsx', { hint: SAVE_AS });
  const source = await readSource({ path, language }, file, stdin);
  const textOf = (cell = '') => unspelledCell(cell).trim();
  const headers = new Headers(map);
  const needed = columns.filter(({ isOptional }) => !isOptional);
  const isNeeded = (cell: string) => needed.some((column) => isOf(column, textOf(cell), headers));
  const knows = (cells: readonly string[]) => 2 * cells.filter(isNeeded).length;
  const { rows, warnings } = await tableIn(source, { signal: stdin.ends, hidden, headerRow }, knows);
  for (const warning of warnings) await warn(warning);
  const problems = new Problems();
  const read: StaffRow[] = [];
  let indexes: readonly number[] | undefined;
  let header: Parameters<typeof lengthProblem>[1] | undefined;
  for await (const { number, cells, kinds, problem } of rows) {
    const place: Place = { file, unit: 'row', number };
    const width = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
    const filled = { cells: cells.slice(0, Math.max(width, header?.width ?? 0)) };
    const broken = problem ?? (kinds === undefined && header && lengthProblem(filled, header));
    if (broken) problems.addAt(place, { reason: broken });
    else if (indexes === undefined) {
      indexes = columns.map((column) => indexOf(column, cells.map(textOf), headers, file));
      header = { columns: cells, width: isWhole ? width : 0 };
    } else {
      const picked = indexes.map((index) => textOf(cells[index]));
      for (const [at, { header: name = '', field }] of columns.entries()) {
        const [cell = '', kind] = [picked[at], kinds?.[indexes[at] ?? -1]];
        const reason = kindProblem(field ?? 'extra.', cell, kind) ?? (field && staffProblems[field](cell));
        if (reason !== undefined) problems.addAt(place, { field: name || field, reason });
      }
      read.push({ place, cells: picked });
    }
  }
  for (const { field, reason } of headers.sourceProblems()) problems.add(field, reason);
  problems.throwIfAny();
  return read;
}

/** Whether a cell is the header of a column. */
function isOf({ header, field }: StaffColumn, cell: string, headers: Headers): boolean {
  if (header !== undefined) return isSameHeader(headers.mappedTo(cell) ?? cell, header);
  return columnAmong(cell, ['email', 'reason', 'until']) === field;
}

/** @returns -1 for an optional column that is not there. @throws {FileProblem} unless one header is meant. */
function indexOf(column: StaffColumn, cells: readonly string[], headers: Headers, file: string): number {
  const { header = '', field, isOptional, hint } = column;
  const found = cells.flatMap((cell, at) => (isOf(column, cell, headers) ? [at] : []));
  const [index = -1] = found;
  if (found.length === 1 || (isOptional && index < 0)) return index;
  const shown = listed(cells.filter((each) => each !== '').map(quote));
  const title = header === '' && field ? `of ${titles[field]}` : quote(header);
  throw new FileProblem(file, `needs one column ${title}; it has ${shown}`, { hint });
}

/** Whether a cell has no value. */
export function isDash(cell: string): boolean {
  return /^[-–—]?$/.test(cell);
}

const staffProblems = {
  email: (cell: string) => (isDash(cell) ? undefined : emailProblem(cell)),
  until: lastDayProblem,
} as const;

/** A table, and the headers of its columns; default: those that mean them. */
interface Employees extends Readonly<Partial<Record<'column' | 'until', string | undefined>>> {
  readonly file: string;
}

/**
 * The e-mail addresses of the people who work here in a table (CSV or .xlsx). Cells that are empty or a dash have none, and who
 * has a last day that is over is left out.
 *
 * @param folder where a relative path begins.
 * @throws {CliError} exit 2 as `readStaff`; if there is no address.
 */
export async function readAddresses(
  employees: Employees,
  folder: string,
  { now, ...reading }: Pick<ReadOptions, 'stdin' | 'hidden' | 'warn'> & { readonly now: number },
): Promise<readonly string[]> {
  const { file, column, until } = employees;
  const path = isAbsolute(file) ? file : join(folder, file);
  const hintFor = (name: string) => `Name the column in the policy: employees: {file: ..., ${name}: ...}`;
  const columns = [
    { header: column, field: 'email', hint: hintFor('column') },
    { header: until, field: 'until', isOptional: until === undefined, hint: hintFor('until') },
  ] as const;
  const rows = await readStaff(path, file, columns, reading);
  const staying = rows.filter(({ cells: [, day = ''] }) => !isOver(day, now));
  const gone = rows.length - staying.length;
  if (gone > 0) await reading.warn(`Left out of ${file}: ${counted(gone, 'row')} whose last day is over.`);
  const addresses = staying.flatMap(({ cells: [cell = ''] }) => (isDash(cell) ? [] : cell));
  if (addresses.length === 0) throw new FileProblem(file, 'has no e-mail address');
  return addresses;
}
