import { hasBlank, type PropertyNames } from '../api/property-names.ts';
import type { Source } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import { inputTimeOver, readInput, TooLarge } from '../files/read.ts';
import { isRecord } from '../records.ts';
import type { EntryDialect } from './dialect-problems.ts';
import { createDuplicates } from './duplicates.ts';
import type { Entry, Kind } from './entry.ts';
import { type FoundFile, findFiles, type Language } from './files.ts';
import type { Raw } from './grammar.ts';
import { type Judge, openJudge } from './judge.ts';
import { LEFT_OUT } from './kind.ts';
import type { Reading, SourceFile } from './placed.ts';
import { createProblems } from './problems.ts';
import { tellLanguage } from './tell-language.ts';
import { createTextFormulas } from './text-formulas.ts';
import { warnOf } from './warnings.ts';

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
