import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { CliError, usageError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import { reasonOf } from '../files/reason.ts';
import type { Problems } from './problems.ts';

/** The languages that manifests are written in. */
export type Language = 'yaml' | 'json' | 'ndjson' | 'csv';

/** A file to be read; without a language its first characters tell it. */
export interface FoundFile {
  /** As it was typed, or found in a folder that was; `-` is stdin. */
  readonly path: string;
  readonly language: Language | undefined;
}

const languages: Readonly<Record<string, Language>> = {
  '.yaml': 'yaml',
  '.yml': 'yaml',
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
};

const ENDINGS = Object.keys(languages).join(', ');

/** Folders inside each other; more are a circle that no link made. */
const DEEPEST = 50;

/**
 * The files that paths lead to, in the order given; those of a folder by name, hidden ones and linked folders left out.
 *
 * @param problems hears of folders without such files, endings that nobody knows, and files named twice.
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
      for (const file of await filesAt(path)) found.push(file);
    } catch (cause) {
      if (!(cause instanceof CliError)) throw cause;
      problems.addError(path, cause);
    }
  }
  return withoutRepeated(found, problems);
}

async function filesAt(path: string): Promise<readonly FoundFile[]> {
  if (path === '-' || /^\/(dev|proc)\//.test(path)) return [{ path, language: undefined }];
  if (path === '' || path.includes('\0'))
    throw usageError(`${JSON.stringify(path)} is not the name of a file.`);
  if (await isFolder(path)) {
    const files = await inFolder(path, 1);
    if (files.length === 0) throw usageError(`${path} has no files that end in ${ENDINGS}.`);
    return files;
  }
  const language = languageOf(path);
  if (language === undefined)
    throw usageError(`${path} has an ending that is not known: files end in ${ENDINGS}; - is stdin.`);
  return [{ path, language }];
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

async function inFolder(folder: string, depth: number): Promise<readonly FoundFile[]> {
  if (depth > DEEPEST) throw usageError(`${folder} is nested deeper than ${DEEPEST} folders.`);
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause) => {
    throw unreadable(folder, cause);
  });
  const found: FoundFile[] = [];
  for (const entry of entries.sort(byName)) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) found.push(...(await inFolder(path, depth + 1)));
    const language = languageOf(path);
    if (language !== undefined && (await isFile(entry, path))) found.push({ path, language });
  }
  return found;
}

/** Links to files are followed; one that leads nowhere is kept, so that reading reports it. */
async function isFile(entry: Dirent, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isFile();
  return (await stat(path).catch(() => undefined))?.isFile() ?? true;
}

/** The same order whatever the language of the machine. */
function byName(one: Dirent, other: Dirent): number {
  return one.name < other.name ? -1 : 1;
}

function languageOf(path: string): Language | undefined {
  return languages[extname(path).toLowerCase()];
}

function withoutRepeated(found: readonly FoundFile[], problems: Problems): readonly FoundFile[] {
  const seen = new Set<string>();
  return found.filter(({ path }) => {
    const whole = path === '-' ? path : resolve(path);
    if (seen.has(whole)) problems.add(path, 'is given twice');
    else if (seen.add(whole)) return true;
    return false;
  });
}

function unreadable(path: string, cause: unknown): CliError {
  return new CliError('unreadable_file', `Cannot read ${path}: ${reasonOf(cause)}.`, {
    cause,
    exitCode: ExitCode.usage,
  });
}
