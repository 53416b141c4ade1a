import { type Dirent, realpathSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { CliError, usageError } from '../cli/errors.ts';
import { FileProblem, refuseNameless, SAVE_AS, unreadable } from '../fs/read.ts';
import { inCodeUnits } from '../model/text.ts';
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
 * @param problems gets folders without such files, unknown endings, and files given twice.
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
  return withoutRepeated(found, problems);
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
  if (language === undefined)
    throw new FileProblem(path, `has an ending that is not known: files end in ${ENDINGS}; - is stdin`);
  yield { path, language };
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

function withoutRepeated(found: readonly FoundFile[], problems: Problems): readonly FoundFile[] {
  const seen = new Set<string>();
  return found.filter(({ path }) => {
    const whole = path === '-' ? path : resolve(path);
    const isFirst = !seen.has(whole);
    if (!isFirst) problems.add(path, 'is given twice');
    seen.add(whole);
    return isFirst;
  });
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
