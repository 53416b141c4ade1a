import { CliError, usageError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Source } from '../cli/ports.ts';
import { statedDelimiter } from '../fs/document.ts';
import { inputTimeOver, readInput, TooLarge } from '../fs/read.ts';
import { isRecord } from '../model/records.ts';
import { shortened } from '../model/text.ts';
import { hasBlank, type PropertyNames } from '../service/property-names.ts';
import { type Entry, type Kind, type Place, placesText } from './entry.ts';
import { type FoundFile, findFiles, type Language } from './files.ts';
import type { Raw, Reading, SourceFile } from './grammar.ts';
import { type EntryDialect, type Judge, openJudge } from './judge.ts';
import { LEFT_OUT } from './kind.ts';
import { fieldsOf } from './names.ts';
import { createDuplicates, createProblems, warnOf } from './problems.ts';

const MIB = 1_048_576;

const NOT_WHOLE =
  'names what this export lacks, and --prune could delete it: export again, or take the line out';

/** Entries are held until all of them are judged: 100,000 hotels take half a gigabyte. */
const MOST_ENTRIES = 250_000;

/** What a language takes of memory while it is read: YAML 60 bytes for each byte, JSON 10, the others what their entries take. */
const largest: Readonly<Record<Language, number>> = {
  yaml: 8 * MIB,
  json: 16 * MIB,
  ndjson: 64 * MIB,
  csv: 64 * MIB,
};

/** What reading a manifest needs. */
export interface ReadOptions {
  readonly stdin: Source;
  readonly signal: AbortSignal;
  /** Entries that do not say their kind are of this one, and others are refused. */
  readonly only?: Kind | undefined;
  /** What the files lack would be deleted: one that says that it is not whole is refused. */
  readonly prune: boolean;
  /** Of the service that the entries are for: what it does not have is refused. */
  readonly dialect: EntryDialect;
  readonly warn: (sentence: string) => Promise<void>;
  /** What the properties of the service are called; only asked for where something is in the place of their ids. */
  readonly propertyNames: () => Promise<PropertyNames>;
}

/**
 * Reads the entries of files, folders and stdin (`-`): YAML, JSON, NDJSON and CSV, in the order given.
 *
 * @throws {CliError} `invalid_input`, exit 2, with all that is wrong in all files, each with file, line or row, and field.
 */
export async function readManifest(
  paths: readonly string[],
  { stdin, signal: run, only, prune, dialect, warn, propertyNames }: ReadOptions,
): Promise<readonly Entry[]> {
  const signal = stdin.ends ?? run;
  const problems = createProblems();
  const formulas = createTextFormulas();
  let names: PropertyNames | undefined;
  const named = (name: string) => names?.idsOf(name) ?? [];
  const judge = judging(await openJudge(problems, only, dialect, named), createDuplicates(problems));
  const entries: Entry[] = [];
  for (const file of await findFiles(paths, problems, run)) {
    const name = file.path === '-' ? 'stdin' : file.path;
    try {
      for await (const raw of await openSource(file, name, stdin, { problems, formulas, signal, only })) {
        if (raw.isGap === true) {
          if (prune) problems.addAt(raw.place, { field: LEFT_OUT, reason: NOT_WHOLE });
          continue;
        }
        if (names === undefined && mayNameProperties(raw)) {
          names = await propertyNames();
          seeAll(entries, names);
        }
        const entry = judge(raw);
        if (entry === undefined) continue;
        entries.push(entry);
        if (names !== undefined) seeAll([entry], names);
      }
    } catch (error) {
      if (!(error instanceof CliError) || error.code === 'too_many') throw error;
      if (error.exitCode === ExitCode.unavailable) throw inputTimeOver(name);
      problems.addError(name, error);
    }
  }
  problems.throwIfAny();
  for (const sentence of [...formulas.sentences(), ...warnOf(entries)]) await warn(sentence);
  return entries;
}

/** Properties of the files may be named as well, from below where they stand. */
function seeAll(entries: readonly Entry[], { see }: PropertyNames): void {
  for (const { kind, name, fields } of entries)
    if (kind === 'property') see({ id: name, name: fields['name'] });
}

/** Whether a text that is no id stands in the place of one. */
function mayNameProperties({ value }: Raw): boolean {
  if (!isRecord(value)) return false;
  const { properties, property_roles: placed } = value;
  const ids = [properties, placed].flatMap((list): readonly unknown[] => (Array.isArray(list) ? list : []));
  return ids.some((each) => {
    const id = isRecord(each) ? each['id'] : each;
    return typeof id === 'string' && hasBlank(id);
  });
}

/** One entry after the other, each name once. */
function judging(judge: Judge, duplicates: ReturnType<typeof createDuplicates>) {
  let count = 0;
  return (raw: Raw): Entry | undefined => {
    count += 1;
    if (count > MOST_ENTRIES) throw tooMany();
    const { kind, name, entry } = judge(raw);
    if (kind !== undefined && name !== undefined) duplicates({ kind, name, place: raw.place });
    return entry;
  };
}

function tooMany(): CliError {
  const { message, exitCode } = usageError(
    `The files hold more than ${MOST_ENTRIES.toLocaleString('en')} entries; give them in parts.`,
  );
  return new CliError('too_many', message, { exitCode });
}

async function openSource(
  { path, language }: FoundFile,
  name: string,
  stdin: Source,
  reading: Reading,
): Promise<AsyncIterable<Raw> | Iterable<Raw>> {
  const expected = language ?? 'csv';
  const bytes = await readInput(path, stdin, largest[expected], reading.signal).catch((cause) => {
    throw cause instanceof TooLarge ? new TooLarge(name, cause.maxBytes, adviceFor(expected)) : cause;
  });
  const told = language ?? tellLanguage(bytes);
  if (bytes.length > largest[told]) throw new TooLarge(name, largest[told], adviceFor(told));
  return entriesIn({ name, bytes }, told, reading);
}

function adviceFor(language: Language): string {
  const split = 'give it in several files';
  if (language === 'ndjson' || language === 'csv') return split;
  return `${split}, or as NDJSON or CSV, which may have ${largest.csv / MIB} MiB`;
}

async function entriesIn(
  file: SourceFile,
  language: Language,
  reading: Reading,
): Promise<AsyncIterable<Raw> | Iterable<Raw>> {
  if (language === 'csv') return (await import('./csv-source.ts')).entriesInCsv(file, reading);
  if (language === 'ndjson') return (await import('./ndjson-source.ts')).entriesInNdjson(file, reading);
  if (language === 'json') return (await import('./json-source.ts')).entriesInJson(file, reading);
  return (await import('./yaml-source.ts')).entriesInYaml(file, reading);
}

/** As much of a text as tells what it is. */
const LOOKED_AT = 1_048_576;

/** What a text without a name is written in: told by its first line. */
function tellLanguage(bytes: Uint8Array): Language {
  const text = new TextDecoder().decode(bytes.subarray(0, LOOKED_AT)).trimStart();
  const [first = '', ...rest] = text.split(/\r\n|\n|\r/);
  if (/^[[{]/.test(text)) return isJson(first) && rest.some((line) => line.trim() !== '') ? 'ndjson' : 'json';
  return statedDelimiter(first) !== undefined || isHeader(first) ? 'csv' : 'yaml';
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** No YAML begins with words between commas, semicolons or tabs; a single word is a header where it names a field. */
function isHeader(line: string): boolean {
  const cells = line.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
  const isPlain = cells.every((cell) => /^[\p{L}\p{N}_][\p{L}\p{N}_.@+ -]*$/u.test(cell));
  const [only = ''] = cells;
  return cells.length > 1 ? isPlain : Object.values(fieldsOf).some((fields) => fields.includes(only));
}

/** The cells of a table that were written as formulas of a text, and are read as that text. */
export interface TextFormulas {
  add(place: Place, column: string, text: string): void;
  /** One sentence for each column of a file. */
  sentences(): readonly string[];
}

/** No cell was written so yet. */
function createTextFormulas(): TextFormulas {
  const columns = new Map<
    string,
    { readonly name: string; readonly text: string; readonly places: Place[] }
  >();
  return {
    add(place, name, text) {
      const key = JSON.stringify([place.file, name]);
      const column = columns.get(key);
      if (column === undefined) columns.set(key, { name, text, places: [place] });
      else column.places.push(place);
    },
    sentences: () =>
      [...columns.values()].map(({ name, text, places }) => {
        const formula = `="${shortened(text.replaceAll('"', '""'))}"`;
        const cell = places.length === 1 ? `${formula} is` : `formulas such as ${formula} are`;
        return `${placesText(places)}: ${name}: ${cell} read as ${shortened(text) || 'an empty cell'}`;
      }),
  };
}
