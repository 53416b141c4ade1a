import { isUtf8 } from 'node:buffer';
import { constants, realpathSync } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CliError, codeOf } from '../cli/errors.ts';
import { hashOf } from '../model/canonical.ts';
import { createHistory, type History } from './history.ts';
import { journalCorrupt, journalNewer, journalUnreadable, noJournal, otherTarget } from './journal-errors.ts';
import { isTornLine, parseLine, type RunAbout } from './journal-line.ts';
import { isSameTarget, type Target, writtenTarget } from './target.ts';

/** What identifies a journal: command, files, service and account. */
export interface RunIdentity extends RunAbout {
  readonly target: Target;
}

/** The default folder of journals. */
export function runsFolder(state: string): string {
  return join(state, 'runs');
}

/**
 * The path of a run's journal: one file for each identity.
 *
 * @param named the path given by --journal.
 */
export function journalPath(state: string, { command, files, target }: RunIdentity, named?: string): string {
  if (named !== undefined) return resolve(named);
  const digest = hashOf({ ...writtenTarget(target), command, files });
  return join(runsFolder(state), `${digest.slice(0, 32)}.ndjson`);
}

/**
 * Files as a journal names them: absolute, with symbolic links resolved; stdin is `-` and the current folder.
 */
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

const NEWLINE = 0x0a;
const CHUNK = 64 * 1_024;
/** Bytes. */
const LONGEST_LINE = 1_048_576;

/**
 * Reads a journal without a lock: a run may be writing it.
 *
 * @returns `undefined` when there is no such file.
 * @throws {CliError} exit 2 when it cannot be read, or is invalid.
 */
export async function readHistory(path: string): Promise<History | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await openRegular(path, constants.O_RDONLY);
    return (await readJournal(file, path)).history;
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw journalUnreadable(path, cause);
  } finally {
    await file?.close();
  }
}

/**
 * Opens a regular file, or creates a private one; symbolic links are refused.
 *
 * @throws {CliError} when it is a link, a folder or a device; the system's own errors.
 */
export async function openRegular(path: string, flags: number): Promise<FileHandle> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink() === true) throw noJournal(path, 'a symbolic link');
  // Without O_NONBLOCK, opening a named pipe waits for its other end.
  const all = flags | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, all, 0o600).catch((cause: unknown) => {
    throw codeOf(cause) === 'EISDIR' || codeOf(cause) === 'ENXIO' ? noJournal(path) : cause;
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw noJournal(path);
}

/**
 * Reads the lines of an open journal; a torn last line is dropped.
 *
 * @returns the history, and where the last whole line ends, in bytes.
 * @throws {CliError} exit 2 naming path and line when a line is invalid.
 */
export async function readJournal(file: FileHandle, path: string) {
  const history = createHistory();
  const decoder = new TextDecoder();
  const chunk = Buffer.allocUnsafe(CHUNK);
  let rest = Buffer.alloc(0);
  let end = 0;
  let number = 1;
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK, end + rest.length);
    if (bytesRead === 0) break;
    const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    let start = 0;
    for (let stop = bytes.indexOf(NEWLINE); stop !== -1; stop = bytes.indexOf(NEWLINE, start)) {
      const line = bytes.subarray(start, stop);
      take(history, isUtf8(line) ? decoder.decode(line) : undefined, { path, number });
      start = stop + 1;
      number += 1;
    }
    end += start;
    rest = bytes.subarray(start);
    if (rest.length > LONGEST_LINE) throw journalCorrupt(path, number, 'it is not a line of a journal');
  }
  // A torn line may end inside a character.
  if (!isTornLine(rest.toString())) throw journalCorrupt(path, number, 'it is not a line of a journal');
  return { history, end };
}

/** @throws {CliError} exit 2 when the journal is of another service or account. */
export function refuseOtherTarget(path: string, history: History, target: Target): void {
  for (const { header } of history.runs()) {
    if (!isSameTarget(header, target)) throw otherTarget(path, header, target);
  }
}

function take(history: History, text: string | undefined, place: { path: string; number: number }): void {
  const parsed = text === undefined ? { reason: 'it is not UTF-8 text' } : parseLine(text);
  if ('newer' in parsed) throw journalNewer(place.path, parsed.newer);
  const reason = 'line' in parsed ? history.take(parsed.line) : parsed.reason;
  if (reason !== undefined) throw journalCorrupt(place.path, place.number, reason);
}
