import { type Dirent, realpathSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import {
  FileProblem,
  inUtf8,
  readInput,
  refuseNameless,
  SAVE_AS,
  statedDelimiter,
  TooLarge,
  unreadable,
} from '../fs/read.ts';
import { CliError, usageError } from '../model/errors.ts';
import { isJson } from '../model/json-text.ts';
import { kinds } from '../model/kinds.ts';
import type { Input } from '../model/ports.ts';
import { emailProblem, inCodeUnits, shortened } from '../model/text.ts';
import { entryFields } from './names.ts';
import type { Problems } from './problems.ts';

/** The languages that manifests are written in. */
export type Language = 'yaml' | 'json' | 'ndjson' | 'csv';

/** Those that manifests are read from. */
export type ReadLanguage = Language | 'xlsx';

/** A file to read; without a language it is recognized by its first line. */
export interface FoundFile {
  /** As typed, or below a typed folder; `-` is stdin. */
  readonly path: string;
  readonly language: ReadLanguage | undefined;
  /** The folder that was typed, if it is not the file itself. */
  readonly folder?: string;
}

const languages: Readonly<Record<string, ReadLanguage>> = {
  '.yaml': 'yaml',
  '.yml': 'yaml',
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
  '.xlsx': 'xlsx',
};

/** Spreadsheets that cannot be read, by their endings. */
const otherSheets = /\.(xls|xlsm|xlsb|xlt|ods|fods|numbers|gsheet)$/i;

const ENDINGS = Object.keys(languages).join(', ');

/**
 * The files at some paths, in the order given; those of a folder sorted by name, without hidden files and linked folders.
 *
 * @param problems gets folders without such files, and unknown endings.
 * @throws {CliError} exit 2 when stdin is named twice.
 */
export async function findFiles(
  paths: readonly string[],
  problems: Problems,
  signal: AbortSignal,
): Promise<readonly FoundFile[]> {
  if (paths.filter((path) => path === '-').length > 1)
    throw usageError('stdin (-) is given twice; it can be read once.');
  const found: FoundFile[] = [];
  for (const path of paths) {
    signal.throwIfAborted();
    try {
      for await (const file of filesAt(path)) found.push(file);
    } catch (cause) {
      if (!(cause instanceof CliError)) throw cause;
      problems.addError(path, cause);
    }
  }
  return found;
}

async function* filesAt(path: string): AsyncGenerator<FoundFile> {
  if (path === '-' || /^\/(dev|proc)\//.test(path)) {
    yield { path, language: undefined };
    return;
  }
  refuseNameless(path);
  const found = await stat(path).catch((cause) => {
    throw unreadable(path, cause);
  });
  if (found.isDirectory()) {
    let isBare = true;
    for await (const file of filesIn(path)) {
      isBare = false;
      yield { ...file, folder: path };
    }
    if (isBare) throw new FileProblem(path, `has no files that end in ${ENDINGS}`);
    return;
  }
  const language = languageOf(path);
  if (otherSheets.test(path))
    throw new FileProblem(path, 'is a spreadsheet that innctl cannot read', { hint: SAVE_AS });
  if (language === undefined) throw new FileProblem(path, endingProblem(extname(path)));
  yield { path, language };
}

function endingProblem(ending: string): string {
  if (ending === '') return `has no ending: files end in ${ENDINGS}; - is stdin`;
  const others = ending.toLowerCase() === '.txt' ? '' : `, or as one of ${ENDINGS}`;
  return `is a ${shortened(ending)} file; save it as .csv or .xlsx${others}`;
}

/**
 * The files of a folder that a manifest may be read from, by name, with those of its folders; without hidden ones, those of
 * packages, and `~$hotels.xlsx`, which says that a workbook is open.
 *
 * @throws {FileProblem} when a folder cannot be read.
 */
async function* filesIn(folder: string): AsyncGenerator<FoundFile> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause) => {
    throw unreadable(folder, cause);
  });
  for (const entry of entries.sort((one, other) => inCodeUnits(one.name, other.name))) {
    const path = join(folder, entry.name);
    if (/^\.|^~\$|^node_modules$/.test(entry.name)) continue;
    if (entry.isDirectory()) yield* filesIn(path);
    const language = languageOf(path);
    if (language !== undefined && (await isFile(entry, path))) yield { path, language };
  }
}

/** Links to files are followed; a broken link is kept, so that reading reports it. */
async function isFile(entry: Dirent, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isFile();
  return (await stat(path).catch(() => undefined))?.isFile() ?? true;
}

/** The language that a name with this ending is read in. */
export function languageOf(path: string): ReadLanguage | undefined {
  return languages[extname(path).toLowerCase()];
}

/** Files as a journal names them: absolute, with symbolic links resolved; stdin is `-` and the current folder. */
export function absoluteFiles(files: readonly string[]): readonly string[] {
  return files.map((file) => (file === '-' ? `-${realPath('.')}` : realPath(file)));
}

/** The folder in which a run read stdin; `undefined` for a named file. */
export function stdinFolder(file: string): string | undefined {
  return file.startsWith('-') ? file.slice(1) : undefined;
}

/** A missing file keeps its name: reading it reports the error. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return resolve(file);
  }
}

const MIB = 1_048_576;

/** What a language takes of memory while it is read: YAML 60 bytes for each byte, JSON 10, the others what their entries take. */
const largest: Readonly<Record<ReadLanguage, number>> = {
  yaml: 8 * MIB,
  json: 16 * MIB,
  ndjson: 64 * MIB,
  csv: 64 * MIB,
  xlsx: 16 * MIB,
};

/** A file of a manifest, not parsed yet. */
export interface SourceText {
  /** How messages name it. */
  readonly name: string;
  /** In UTF-8, if it is a text. */
  readonly bytes: Uint8Array;
  /** As the file has them. */
  readonly raw: Uint8Array;
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
  const raw = await readInput(path, stdin, largest[expected]).catch((cause) => {
    throw cause instanceof TooLarge ? new TooLarge(name, cause.maxBytes, SPLIT) : cause;
  });
  const bytes = inUtf8(raw);
  const found = language ?? languageIn(bytes);
  if (bytes.length > largest[found]) throw new TooLarge(name, largest[found], SPLIT);
  return { name, bytes, raw, language: found };
}

const SPLIT = `give it in several files; NDJSON and CSV may have ${largest.csv / MIB} MiB`;

/** Bytes that a language is recognized by. */
const LOOKED_AT = 1_048_576;

/** What a file without a known ending is written in: a ZIP archive is a workbook, and a text is recognized by its first line. */
function languageIn(bytes: Uint8Array): ReadLanguage {
  if (Buffer.from(bytes.subarray(0, 4)).toString('latin1') === 'PK\x03\x04') return 'xlsx';
  const text = new TextDecoder().decode(bytes.subarray(0, LOOKED_AT)).trimStart();
  const [first = '', ...rest] = text.split(/\r\n|\n|\r/);
  if (/^[[{]/.test(text)) return isJson(first) && rest.some((line) => line.trim() !== '') ? 'ndjson' : 'json';
  const below = [first, ...rest].find((line) => line.trim() !== '' && !line.startsWith('#')) ?? '';
  return statedDelimiter(first) !== undefined || isHeader(below) ? 'csv' : 'yaml';
}

/** No YAML begins with words between commas, semicolons or tabs; a single word is a header where it names a field, or a row if it is an address. */
function isHeader(line: string): boolean {
  const cells = line.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
  const isPlain = cells.every((cell) => /^(?:[\p{L}\p{N}_][\p{L}\p{N}_.@+ ()/-]*)?$/u.test(cell));
  const [only = ''] = cells;
  if (cells.length > 1) return isPlain;
  return kinds.some((kind) => entryFields(kind).includes(only)) || emailProblem(only) === undefined;
}
