import { isUtf8 } from 'node:buffer';
import { constants, realpathSync } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CliError, codeOf } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { type Holder, STALE_MS } from '../fs/lock.ts';
import { reasonOf, writeReasonOf } from '../fs/read.ts';
import { hashOf } from '../model/canonical.ts';
import { shellLine } from '../print/text.ts';
import { createHistory, type History } from './history.ts';
import type { RunLine } from './journal-line.ts';
import { isTornLine, parseLine, type RunAbout } from './journal-line.ts';
import { isSameTarget, isUnknown, type Target, targetText, writtenTarget } from './target.ts';

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

/** The journal cannot be written; without it nothing more is sent. Exit 1. */
export function journalFailed(path: string, cause: unknown): CliError {
  return new CliError('journal_failed', `Could not write the journal ${path}: ${writeReasonOf(cause)}.`, {
    cause,
    hint: 'Once it can be written, run the same command again to continue.',
  });
}

/** The journal exists and cannot be read. Exit 2. */
export function journalUnreadable(path: string, cause: unknown): CliError {
  const sentence = `Could not read the journal ${path}: ${reasonOf(cause)}.`;
  return unusable('unreadable_journal', sentence, undefined, cause);
}

/** A line of the journal is invalid. Exit 2; the file is not changed. */
function journalCorrupt(path: string, line: number, reason: string): CliError {
  const hint = `If it is no longer needed, move it away: ${movingLine(path)}`;
  return unusable('corrupt_journal', `The journal ${path} cannot be used: line ${line}: ${reason}.`, hint);
}

/** The journal was written by a newer innctl. Exit 2. */
function journalNewer(path: string, version: number): CliError {
  const sentence = `The journal ${path} was written by a newer innctl (version ${version} of the file).`;
  return unusable('newer_journal', sentence, 'Use that innctl, or another file with --journal.');
}

/** The path of the journal is a link, a folder or a device. Exit 2. */
function noJournal(path: string, what = 'not a regular file'): CliError {
  const hint = 'Name the file itself, or another one, with --journal.';
  return unusable('no_journal', `${path} cannot be a journal: it is ${what}.`, hint);
}

function unusable(code: string, sentence: string, hint?: string, cause?: unknown): CliError {
  return new CliError(code, sentence, { exitCode: ExitCode.usage, hint, cause });
}

/** The journal is of another service or account. Exit 2. */
function otherTarget(path: string, header: RunLine, wanted: Target): CliError {
  const sentence = `The journal ${path} is of runs against ${targetText(header)}, and this one goes to ${targetText(wanted)}`;
  const [end, hint] = isUndetermined(header, wanted)
    ? [': it cannot be determined whether that is the same account', leavingHint(header, path)]
    : ['', 'Give each service and account its own journal with --journal.'];
  return unusable('other_target', `${sentence}${end}.`, hint);
}

/** Whether the service is the same, and the journal does not identify the account. */
function isUndetermined(of: Target, now: Target): boolean {
  const isOneService = of.identity_url === now.identity_url && of.base_url === now.base_url;
  return isOneService && isUnknown(of.account);
}

function leavingHint({ id }: RunLine, path: string): string {
  const show = shellLine(['innctl', 'runs', 'show', id, '--journal', path]);
  return `Look at what it did (${show}), and start without it: ${movingLine(path)}`;
}

function movingLine(path: string): string {
  return shellLine(['mv', path, `${path}.old`]);
}

/** Another process uses the journal. Exit 6. */
export function journalBusy(path: string, { pid, life, silentMs }: Holder): CliError {
  const isVisible = life !== 'unknown';
  const facts = [
    ...(pid === undefined ? [] : [`pid ${pid}`]),
    ...(isVisible ? [] : [`last heartbeat ${Math.round(silentMs / 1000)} s ago`]),
  ];
  const hint = isVisible
    ? 'Wait until it has ended, then run the same command again.'
    : `Wait until it has ended; the lock of a killed run is stale after ${STALE_MS / 1000} s.`;
  const sentence = `The journal ${path} is in use by another innctl (${facts.join(', ')}).`;
  return new CliError('busy', sentence, { exitCode: ExitCode.refused, hint });
}
