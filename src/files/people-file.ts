import { hash } from 'node:crypto';
import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Check, Context } from '../cli/ports.ts';
import { inputTimeOver } from '../fs/read.ts';
import { isOver } from '../model/dates.ts';
import { nearest, suggestion } from '../model/names.ts';
import { isRecord } from '../model/records.ts';
import { counted, quote } from '../model/text.ts';
import { sameCommand } from '../print/text.ts';
import { columnsNamed, type Header, type ReadHeader } from './columns.ts';
import { isMissing, listed, type Place, type PlaceProblem } from './entry.ts';
import { findFiles } from './files.ts';
import { type Raw, withCell } from './grammar.ts';
import { columnAmong, LAST_DAY } from './header-words.ts';
import { Headers } from './headers.ts';
import { shownName } from './names.ts';
import { Problems } from './problems.ts';
import { entriesOf, readSource } from './read.ts';

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
  /** It decides nothing: other columns of the same meaning beside it are for people. */
  readonly isRemark?: true;
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
interface PeopleOptions {
  readonly context: Pick<Context, 'argv' | 'stdin' | 'signal' | 'clock'>;
  readonly warn: (sentence: string) => Promise<void>;
  /** Words of `--map`: `Ort=property`, or `Ort=` to leave a column out. */
  readonly map?: readonly string[] | undefined;
  /** Hidden rows and columns of a workbook are read, too. */
  readonly hidden?: boolean | undefined;
  /** Other columns are for people, and are not read. Default: they are mistakes. */
  readonly ignoresOthers?: boolean | undefined;
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
  { context: { argv, stdin, signal, clock }, warn, map = [], hidden, ignoresOthers = false }: PeopleOptions,
): Promise<{ readonly rows: readonly PersonRow[]; readonly sha256: string | undefined }> {
  const problems = new Problems();
  const headers = new Headers(map);
  const dated = columns.some(({ name }) => name === LAST_DAY);
  const reading = { problems, headers, signal: stdin.ends, hidden, dated, prune: false, warn };
  const asked: Asked = { columns, argv, headers, problems, ignoresOthers, now: clock.now() };
  const readHeader: ReadHeader = (cells, place, delimiter) => headerOf(cells, place, delimiter, asked);
  const rows: PersonRow[] = [];
  let sha256: string | undefined;
  for (const file of await findFiles([path], problems, signal)) {
    const name = file.path === '-' ? 'stdin' : file.path;
    try {
      const source = await readSource(file, name, stdin);
      sha256 = hash('sha256', source.bytes, 'hex');
      for await (const raw of await entriesOf(source, reading, readHeader)) rows.push(...rowIn(raw, asked));
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
  problems.throwIfAny();
  return { rows: rows.filter(({ isLeft }) => !isLeft), sha256 };
}

/** What a file is read for. */
interface Asked {
  readonly columns: readonly PeopleColumn[];
  readonly argv: readonly string[];
  readonly headers: Headers;
  readonly problems: Problems;
  readonly ignoresOthers: boolean;
  readonly now: number;
  /** Whether the table that is read has a column of last days. */
  isDated?: boolean;
}

/** Reads the header of a table. @returns `undefined` when it is wrong; the problems get why. */
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
    const mapped = header === '' ? header : (headers.mappedTo(header) ?? header);
    if (mapped === '' && header !== '') return undefined;
    const name = columnAmong(mapped, known) ?? mapped;
    const isBeside = name !== header && written.includes(name);
    return isBeside && columns.some((each) => each.name === name && each.isRemark) ? undefined : name;
  });
  const isRead = (name: string | undefined) => name === undefined || ['', ...known].includes(name);
  const wrong = names.flatMap((name, index): readonly PlaceProblem[] => {
    if (name === undefined || name === '') return [];
    const field = shownName(written[index] ?? '');
    if (!isRead(name))
      return ignoresOthers && name === written[index] ? [] : [{ field, reason: unknown(name, known) }];
    const first = names.indexOf(name);
    if (first === index) return [];
    const other = quote(written[first] ?? '');
    return [
      { field, reason: `is a second column ${name}, after ${other}: leave one out, with --map ${other}=` },
    ];
  });
  const free = columns.filter(({ name }) => !names.includes(name));
  const missing = free.flatMap(({ name, isNeeded, isColumn }) => ((isNeeded ?? isColumn) ? [name] : []));
  const lacking = missing.map((name) => ({ reason: `has no column ${name}, which every row needs` }));
  const isHeader = names.some((name) => name !== undefined && known.includes(name));
  const sample = known.slice(0, 2).join(delimiter);
  const found = isHeader
    ? [...wrong, ...lacking]
    : [{ reason: `is not a header; the first row names the columns, such as ${sample}` }];
  // Without those that --map gives a wrong name.
  const unread = written.filter((header, index) => !isRead(names[index]) && names[index] === header);
  const meant = ignoresOthers ? missing : free.map(({ name }) => name);
  // A row of values, which has addresses, is not to be mapped.
  const isValues = written.some((cell) => cell.includes('@'));
  const hint = isValues ? undefined : mappingLine(unread, meant, lacking.length > 0 ? 'COLUMN' : '', asked);
  for (const problem of found) problems.addAt(place, { ...problem, hint });
  if (found.length > 0) return undefined;
  asked.isDated = known.includes(LAST_DAY) && names.includes(LAST_DAY);
  const read = names.map((name) => (isRead(name) ? name : undefined));
  return { ...columnsNamed(read), kind: undefined };
}

/** The same command line with `--map` for headers that it does not read; `undefined` without any. */
function mappingLine(
  unread: readonly string[],
  free: readonly string[],
  otherwise: string,
  { argv, ignoresOthers }: Asked,
): string | undefined {
  const near = unread.filter((header) => !ignoresOthers || nearest(header, free) !== undefined);
  const words = near.map((header) => `${header}=${nearest(header, free) ?? otherwise}`);
  if (ignoresOthers && near.length === 0 && free.length === 1) words.push(`HEADER=${free[0]}`);
  return words.length > 0 ? sameCommand(argv, ...words.flatMap((word) => ['--map', word])) : undefined;
}

function unknown(name: string, known: readonly string[]): string {
  return `is not a column of this file${suggestion(nearest(name, known)) || `, which has ${listed(known)}`}`;
}

/** The row of an entry; none when it is wrong. */
function rowIn(
  { place, value, cells, damaged = [] }: Raw,
  { columns, problems, ignoresOthers, now, isDated = false }: Asked,
): readonly PersonRow[] {
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
  for (const [name, each] of given) {
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
  const isNew = ({ field }: PlaceProblem) => !damaged.includes(field);
  for (const problem of wrong.filter(isNew)) problems.addAt(place, withCell(problem, cells));
  return wrong.length === 0 ? [{ place, fields }] : [];
}

function isValue(name: string, value: unknown): value is Value {
  if (!LISTS.includes(name)) return typeof value === 'string';
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
