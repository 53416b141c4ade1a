import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Input } from '../cli/ports.ts';
import { inputTimeOver, readHead, readInput, statedDelimiter, TooLarge } from '../fs/read.ts';
import { isJson } from '../model/json-text.ts';
import { isRecord } from '../model/records.ts';
import { hasBlank, type PropertyNames } from '../service/property-names.ts';
import type { ReadHeader } from './columns.ts';
import { connectionProblems } from './connections.ts';
import { type Entry, entriesFor, listed } from './entry.ts';
import { type FoundFile, findFiles, type ReadLanguage } from './files.ts';
import { entriesIn, type Raw, type Reading, withCell } from './grammar.ts';
import { type EntryDialect, openJudge } from './judge.ts';
import { entryKinds } from './kind.ts';
import { Problems, warnOf } from './problems.ts';

const MIB = 1_048_576;

/** Entries are held until all of them are judged: 100,000 hotels take half a gigabyte. */
const MOST_ENTRIES = 250_000;

/** What a language takes of memory while it is read: YAML 60 bytes for each byte, JSON 10, the others what their entries take. */
const largest: Readonly<Record<ReadLanguage, number>> = {
  yaml: 8 * MIB,
  json: 16 * MIB,
  ndjson: 64 * MIB,
  csv: 64 * MIB,
  xlsx: 16 * MIB,
};

/** What reading a manifest needs. */
export interface ReadOptions extends Pick<Reading, 'prune' | 'headers' | 'hidden'> {
  /** The command line, for a hint. */
  readonly argv: readonly string[];
  readonly stdin: Input;
  /** Ends the search for files. */
  readonly signal: AbortSignal;
  /** Of the service that the entries are for: what it does not have is refused. */
  readonly dialect: EntryDialect;
  readonly warn: (sentence: string) => Promise<void>;
  /** The names of the properties of the service; called only if an entry has a name instead of an id. */
  readonly propertyNames: () => Promise<PropertyNames>;
}

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
  { argv, stdin, signal, prune, hidden, headers, dialect, warn, propertyNames }: ReadOptions,
): Promise<FoundEntries> {
  const problems = new Problems();
  for (const { field, reason } of headers.targetProblems()) problems.add(field, reason);
  problems.throwIfAny();
  let names: PropertyNames | undefined;
  const judge = openJudge(dialect, (name) => names?.idsOf(name) ?? []);
  let count = 0;
  const entries: Entry[] = [];
  const skipped: FoundFile[] = [];
  const files = await findFiles(paths, problems, signal);
  for (const file of files) {
    const name = file.path === '-' ? 'stdin' : file.path;
    const reading = { problems, headers, signal: stdin.ends, prune, hidden, warn };
    try {
      const source = await readSource(file, name, stdin);
      if (file.folder !== undefined && !(await isManifest(source, reading))) {
        skipped.push(file);
        continue;
      }
      for await (const raw of await entriesOf(source, reading)) {
        if (names === undefined && mayNameProperties(raw)) {
          names = await propertyNames();
          seeAll(entries, names);
        }
        count += 1;
        if (Math.max(count, entries.length) > MOST_ENTRIES) throw tooMany();
        const { entry, identity, problems: wrong } = judge(raw);
        const isNew = ({ field = '' }) => !raw.damaged?.some((each) => `${each}.`.startsWith(`${field}.`));
        for (const problem of wrong.filter(isNew)) problems.addAt(raw.place, withCell(problem, raw.cells));
        const found = entry === undefined ? [] : entriesFor(entry);
        for (const named of found.length === 0 ? [identity] : found)
          if (named !== undefined) problems.addName(named);
        entries.push(...found);
        if (names !== undefined) seeAll(found, names);
      }
    } catch (error) {
      if (!(error instanceof CliError) || error.code === 'too_many') throw error;
      if (error.exitCode === ExitCode.unavailable) throw inputTimeOver(name);
      if (error instanceof TooLarge && !(await mayBeManifest(file, reading))) skipped.push(file);
      else problems.addError(name, error);
    }
  }
  for (const { field, reason } of headers.sourceProblems()) problems.add(field, reason);
  for (const folder of new Set(skipped.map((file) => file.folder))) {
    const others = skipped.filter((file) => file.folder === folder);
    if (files.filter((file) => file.folder === folder).length === others.length)
      problems.add(String(folder), `has no manifest: ${skippedText(others.map(({ path }) => path))}`);
  }
  for (const { place, ...problem } of connectionProblems(entries)) problems.addAt(place, problem);
  problems.throwIfAny(headers.mapLine(argv));
  for (const sentence of warnOf(entries)) await warn(sentence);
  return { entries, skipped: skipped.map(({ path }) => path) };
}

async function isManifest(source: SourceText, reading: Reading): Promise<boolean> {
  const { isManifestFile } = await import('./manifest-file.ts');
  return isManifestFile(source, reading);
}

/** Whether a file that is too large to be read begins as a manifest does, or was named. */
async function mayBeManifest({ path, language, folder }: FoundFile, reading: Reading): Promise<boolean> {
  if (folder === undefined || language === undefined) return true;
  return isManifest({ name: path, bytes: await readHead(path, LOOKED_AT), language }, reading);
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
  const lists = [value['properties'], value['property_roles']].filter((list) => Array.isArray(list));
  return lists.flat().some((each) => {
    const id = isRecord(each) ? each['id'] : each;
    return typeof id === 'string' && hasBlank(id);
  });
}

function tooMany(): CliError {
  const sentence = `The files hold more than ${MOST_ENTRIES.toLocaleString('en')} entries; give them in parts.`;
  return new CliError('too_many', sentence, { exitCode: ExitCode.usage });
}

/** A file of a manifest, not parsed yet. */
export interface SourceText {
  /** How messages name it. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly language: ReadLanguage;
}

/**
 * Reads a file, or stdin for `-`.
 *
 * @param name how messages name it.
 * @throws {CliError} exit 2 when it cannot be read, or is larger than its language may be.
 */
export async function readSource(
  { path, language }: FoundFile,
  name: string,
  stdin: Input,
): Promise<SourceText> {
  const expected = language ?? 'csv';
  const bytes = await readInput(path, stdin, largest[expected]).catch((cause) => {
    throw cause instanceof TooLarge ? new TooLarge(name, cause.maxBytes, adviceFor(expected)) : cause;
  });
  const found = language ?? languageIn(bytes);
  if (bytes.length > largest[found]) throw new TooLarge(name, largest[found], adviceFor(found));
  return { name, bytes, language: found };
}

function adviceFor(language: ReadLanguage): string {
  const split = 'give it in several files';
  if (language === 'ndjson' || language === 'csv') return split;
  return `${split}, or as NDJSON or CSV, which may have ${largest.csv / MIB} MiB`;
}

/** The entries of a file, in its order. @param readHeader of a table; default: that of manifests. */
export async function entriesOf(
  source: SourceText,
  reading: Reading & Pick<ReadOptions, 'warn'>,
  readHeader?: ReadHeader,
): Promise<AsyncIterable<Raw>> {
  const { language } = source;
  if (language === 'csv' || language === 'xlsx')
    return (await import('./table-source.ts')).entriesInTable(source, reading, readHeader);
  if (language === 'ndjson') return (await import('./documents.ts')).entriesInNdjson(source, reading);
  return entriesInDocuments(source, reading);
}

async function* entriesInDocuments(source: SourceText, reading: Reading): AsyncGenerator<Raw> {
  const { documentsOf } = await import('./documents.ts');
  for await (const document of documentsOf(source, reading.problems))
    for (const raw of entriesIn(document, reading)) yield raw;
}

/** Bytes that a language is recognized by. */
const LOOKED_AT = 1_048_576;

/** What a file without a known ending is written in: a ZIP archive is a workbook, and a text is recognized by its first line. */
function languageIn(bytes: Uint8Array): ReadLanguage {
  if (Buffer.from(bytes.subarray(0, 4)).toString('latin1') === 'PK\x03\x04') return 'xlsx';
  const text = new TextDecoder().decode(bytes.subarray(0, LOOKED_AT)).trimStart();
  const [first = '', ...rest] = text.split(/\r\n|\n|\r/);
  if (/^[[{]/.test(text)) return isJson(first) && rest.some((line) => line.trim() !== '') ? 'ndjson' : 'json';
  return statedDelimiter(first) !== undefined || isHeader(first) ? 'csv' : 'yaml';
}

/** No YAML begins with words between commas, semicolons or tabs; a single word is a header where it names a field. */
function isHeader(line: string): boolean {
  const cells = line.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
  const isPlain = cells.every((cell) => /^[\p{L}\p{N}_][\p{L}\p{N}_.@+ ()/-]*$/u.test(cell));
  const [only = ''] = cells;
  return cells.length > 1 ? isPlain : Object.values(entryKinds).some(({ fields }) => fields.includes(only));
}
