import { inputTimeOver } from '../fs/read.ts';
import { placedRoles } from '../model/access.ts';
import { CliError, type Detail, ExitCode } from '../model/errors.ts';
import { parsedJson } from '../model/json-text.ts';
import { kinds } from '../model/kinds.ts';
import type { Input } from '../model/ports.ts';
import { isRecord } from '../model/records.ts';
import { hasBlank, type PropertyNames } from '../service/property-names.ts';
import { headerOf } from './columns.ts';
import { documentsOf, entriesInNdjson } from './documents.ts';
import {
  connectionProblems,
  type Entry,
  entriesFor,
  listed,
  type Place,
  type PlaceProblem,
} from './entry.ts';
import { type FoundFile, findFiles, readSource, type SourceText } from './files.ts';
import { entriesIn, isNew, type Raw, type Reading, withCell } from './grammar.ts';
import { type EntryDialect, openJudge } from './judge.ts';
import { LEFT_OUT, lists } from './names.ts';
import { Problems, warnOf } from './problems.ts';
import { entriesInTable, type HeaderReader, tableIn } from './table-source.ts';

/** Entries are held until all of them are judged: 100,000 hotels take half a gigabyte. */
const MOST_ENTRIES = 250_000;

/** What reading a manifest needs. */
export interface ReadOptions extends Pick<Reading, 'prune' | 'headers' | 'hidden' | 'headerRow' | 'warn'> {
  /** The command line, for a hint. */
  readonly argv: readonly string[];
  readonly stdin: Input;
  /** Ends the search for files. */
  readonly signal: AbortSignal;
  /** Of the service that the entries are for: what it does not have is refused. */
  readonly dialect: EntryDialect;
  /** The names of the properties of the service; called only if an entry has a name instead of an id. */
  readonly propertyNames: () => Promise<PropertyNames>;
  /** Where entries name what the service does not have; called only if the files are wrong, to say all at once. */
  readonly unknownNames?: (entries: readonly Entry[]) => Promise<readonly (EntryProblem | Detail)[]>;
}

/** What is wrong with an entry. */
export type EntryProblem = PlaceProblem & { readonly entry: Entry };

/** The entries of some files. */
export interface FoundEntries {
  readonly entries: readonly Entry[];
  /** The files of folders that are no manifests. */
  readonly skipped: readonly string[];
}

/**
 * Reads the entries of files, folders and stdin (`-`): YAML, JSON, NDJSON, CSV and Excel workbooks, in the order given.
 *
 * @throws {CliError} `invalid_input`, exit 2, with all that is wrong in all files, each with file, line or row, and field.
 */
export async function readManifest(
  paths: readonly string[],
  { argv, stdin, signal, headers, dialect, warn, propertyNames, unknownNames, ...rest }: ReadOptions,
): Promise<FoundEntries> {
  const problems = new Problems();
  for (const { field, reason } of headers.targetProblems()) problems.add(field, reason);
  problems.throwIfAny();
  let names: PropertyNames | undefined;
  const judge = openJudge(dialect, (name) => names?.idsOf(name) ?? []);
  let count = 0;
  const entries: Entry[] = [];
  const parts: Entry[] = [];
  /** Where entries name others. */
  const places = new Map<Entry, ReadonlyMap<string | undefined, Place>>();
  const skipped: FoundFile[] = [];
  const files = await findFiles(paths, problems, signal);
  for (const file of files) {
    const name = file.path === '-' ? 'stdin' : file.path;
    const reading = { problems, headers, signal: stdin.ends, warn, ...rest };
    try {
      const source = await readSource(file, name, stdin);
      if (file.folder !== undefined && !(await isManifestFile(source, reading))) {
        skipped.push(file);
        continue;
      }
      for await (const raw of entriesOf(source, reading)) {
        if (names === undefined && mayNameProperties(raw)) {
          names = await propertyNames();
          seeAll(entries, names);
        }
        count += 1;
        if (Math.max(count, entries.length) > MOST_ENTRIES) throw tooMany();
        const { entry, part, problems: wrong } = judge(raw);
        for (const problem of wrong.filter((each) => isNew(each, raw)))
          problems.addAt(placeOf(problem, raw), withCell(problem, raw.cells));
        const found = entry === undefined ? [] : entriesFor(entry);
        for (const named of entry === undefined && part !== undefined ? [part] : found)
          problems.addName(named);
        if (part !== undefined) parts.push(part);
        entries.push(...found);
        const named = placesOf(raw);
        if (named !== undefined) for (const each of [part ?? found].flat()) places.set(each, named);
        if (names !== undefined) seeAll(found, names);
      }
    } catch (error) {
      if (!(error instanceof CliError) || error.code === 'too_many') throw error;
      if (error.exitCode === ExitCode.unavailable) throw inputTimeOver(name);
      problems.addError(name, error);
    }
  }
  for (const { field, reason } of headers.sourceProblems()) problems.add(field, reason);
  for (const folder of new Set(skipped.map((file) => file.folder))) {
    const others = skipped.filter((file) => file.folder === folder);
    if (files.filter((file) => file.folder === folder).length === others.length)
      problems.add(String(folder), `has no manifest: ${skippedText(others.map(({ path }) => path))}`);
  }
  for (const { place, ...problem } of connectionProblems(entries)) problems.addAt(place, problem);
  if (problems.areAny)
    for (const problem of (await unknownNames?.([...entries, ...parts])) ?? [])
      if ('entry' in problem)
        problems.addAt(places.get(problem.entry)?.get(problem.field) ?? problem.entry.place, problem);
      else {
        // One of the unknown columns may be it.
        headers.noteLacking();
        problems.add(problem.field, problem.reason);
      }
  problems.throwIfAny(headers.mapLine(argv));
  for (const sentence of warnOf(entries)) await warn(sentence);
  return { entries, skipped: skipped.map(({ path }) => path) };
}

function placeOf({ field }: PlaceProblem, { place, placeOf: find }: Raw): Place {
  return (field === undefined ? undefined : find?.(field.split('.'))) ?? place;
}

const referring = ['role', 'roles', 'properties', 'property'];

/** The places of the names of others in an entry; `undefined` if all are at its own. */
function placesOf({ value, place, placeOf: find }: Raw): ReadonlyMap<string, Place> | undefined {
  if (find === undefined || !isRecord(value)) return undefined;
  const given = referring.filter((field) => Object.hasOwn(value, field));
  const places = given.map((field) => [field, find([field])] as const);
  return places.every(([, { number }]) => number === place.number) ? undefined : new Map(places);
}

const MOST_SKIPPED = 5;

/** `2 files are no manifests (package.json, tsconfig.json)` */
export function skippedText(paths: readonly string[]): string {
  const what = paths.length === 1 ? '1 file is no manifest' : `${paths.length} files are no manifests`;
  return `${what} (${listed(paths, MOST_SKIPPED)})`;
}

/** Adds the properties of the files, for the entries after them. */
function seeAll(entries: readonly Entry[], { see }: PropertyNames): void {
  for (const { kind, name, fields } of entries)
    if (kind === 'property') see({ id: name, name: fields['name'] });
}

/** Whether an entry has a text with a blank in the place of an id. */
function mayNameProperties({ value }: Raw): boolean {
  if (!isRecord(value)) return false;
  const lists = [value['properties'], value[placedRoles]].filter((list) => Array.isArray(list));
  return lists.flat().some((each) => {
    const id = isRecord(each) ? each['id'] : each;
    return typeof id === 'string' && hasBlank(id);
  });
}

function tooMany(): CliError {
  const sentence = `The files hold more than ${MOST_ENTRIES.toLocaleString('en')} entries; give them in parts.`;
  return new CliError('too_many', sentence, { exitCode: ExitCode.usage });
}

/** The entries of a file, in its order. @param header of a table; default: that of manifests. */
export function entriesOf(source: SourceText, reading: Reading, header?: HeaderReader): AsyncIterable<Raw> {
  const { language } = source;
  if (language === 'csv' || language === 'xlsx')
    return entriesInTable(source, reading, header ?? ofManifests(reading));
  return language === 'ndjson' ? entriesInNdjson(source, reading) : entriesInDocuments(source, reading);
}

function ofManifests({ headers }: Pick<Reading, 'headers'>): HeaderReader {
  return { knows: (cells) => headers.knownIn(cells), read: headerOf };
}

async function* entriesInDocuments(source: SourceText, reading: Reading): AsyncGenerator<Raw> {
  for await (const document of documentsOf(source, reading.problems))
    for (const raw of entriesIn(document, reading)) yield raw;
}

/** An entry has one of them, in every kind. */
const ofEntries: readonly string[] = ['code', 'email', 'subject_id'];

/** Of these names, the top level of a manifest has at least one. */
const ours: readonly string[] = [...lists.keys(), LEFT_OUT, ...ofEntries];

/**
 * Whether a file of a folder is a manifest, or should be one: its top level has a name of ours, or its header such a column. A
 * file that is broken counts if it has such a name, so that it is reported.
 */
async function isManifestFile(source: SourceText, reading: Reading): Promise<boolean> {
  const { language, bytes } = source;
  if (language === 'csv' || language === 'xlsx') return isTable(source, reading);
  const text = new TextDecoder().decode(bytes);
  if (language === 'yaml') return isYaml(text);
  const json = language === 'ndjson' ? (text.split(/\r?\n/).find((line) => line.trim() !== '') ?? '') : text;
  const value = parsedJson(json);
  return value === undefined ? namedInJson.test(json) : isOurs(value);
}

async function isTable(source: SourceText, reading: Reading): Promise<boolean> {
  try {
    const { rows } = await tableIn(source, reading, ofManifests(reading).knows);
    for await (const { cells, number } of rows)
      return number > 0 && cells.some((cell) => isKey(cell.trim(), reading.headers));
    return false;
  } catch {
    // Reading it says what is wrong.
    reading.signal.throwIfAborted();
    return true;
  }
}

function isKey(header: string, headers: Reading['headers']): boolean {
  if (header === '') return false;
  return kinds.some((kind) => ['kind', ...ofEntries].includes(headers.columnFor(header, [kind]) ?? ''));
}

/** Whether a value is a manifest, an entry, or a list of entries. A JSON Schema has a part `properties`, too. */
function isOurs(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((each) => isRecord(each) && isOurs(each));
  if (!isRecord(value) || /json-schema\.org/.test(String(value['$schema']))) return false;
  return ours.some((name) => Object.hasOwn(value, name)) || kinds.some((kind) => value['kind'] === kind);
}

const NAME = `["']?(?:(?:${ours.join('|')})["']?\\s*:|kind["']?\\s*:\\s*["']?(?:${kinds.join('|')})\\b)`;

const namedInJson = new RegExp(`[{,[\\s]${NAME}`);
/** At the beginning of a line, of an item, or of a field of an item. */
const namedInMap = new RegExp(`^${NAME}`, 'm');
const namedInList = new RegExp(`^(?:- *(?:\\{(?:.*,)? *)?|  )${NAME}`, 'm');

/** YAML is slow to parse, so its top level is found by the indentation. */
function isYaml(text: string): boolean {
  const first = /^(?!#|---|%|\s*$).+/m.exec(text.replace(/^\ufeff/, ''))?.[0] ?? '';
  if (/^[{[]/.test(first)) return namedInJson.test(text);
  return (first.startsWith('-') ? namedInList : namedInMap).test(text);
}
