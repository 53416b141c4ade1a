import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { acquireLock, withLock } from '../fs/lock.ts';
import { reasonOf, writeReasonOf } from '../fs/read.ts';
import { makePrivateFolder, replaceFile, syncFolder } from '../fs/replace.ts';
import { CliError, codeOf, ExitCode } from '../model/errors.ts';
import { shellLine } from '../print/text.ts';
import { createHistory, type History } from './history.ts';
import { isTornLine, type JournalLine, parseLine } from './line.ts';

const hint = 'Every write is kept there before it is sent. INNCTL_CONFIG_DIR moves its folder.';
const NEWLINE = 0x0a;
const CHUNK = 64 * 1_024;
/** Bytes. */
const LONGEST_LINE = 16 * 1_048_576;

/** Lines to append together. */
interface Pending {
  /**
   * Called under the lock, after everything that others wrote was read.
   *
   * @returns the lines; `undefined` to be asked again at the next append.
   * @throws what the caller of `append` gets; then nothing is written of these.
   */
  readonly lines: (history: History) => string | undefined;
  readonly resolve: () => void;
  readonly reject: (cause: unknown) => void;
}

/** A journal that several processes append to. */
export type JournalFile = ReturnType<typeof createJournalFile>;

/**
 * Reads a journal, and appends to it under a lock that is held for the append alone. Appends that wait share one.
 *
 * @param isWhole see `createHistory`.
 */
export function createJournalFile(path: string, isWhole = false) {
  let history = createHistory(isWhole);
  /** Where the last whole line ends that was read, the number of the next one, and the file that has them. */
  let [end, number, inode] = [0, 1, 0];
  let pending: Pending[] = [];
  let flushing = Promise.resolve();
  let isScheduled = false;
  let broken: CliError | undefined;
  /** Reads what is new. A torn last line is left: its writer may still be writing it, or is dead. */
  const catchUp = async (file: FileHandle) => {
    const { ino, size } = await file.stat();
    if (ino !== inode || size < end) [history, end, number, inode] = [createHistory(isWhole), 0, 1, ino];
    let rest = Buffer.alloc(0);
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK);
      const { bytesRead } = await file.read(chunk, 0, CHUNK, end + rest.length);
      if (bytesRead === 0) break;
      const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      let start = 0;
      for (let stop = bytes.indexOf(NEWLINE); stop !== -1; stop = bytes.indexOf(NEWLINE, start)) {
        take(bytes.subarray(start, stop));
        start = stop + 1;
      }
      end += start;
      rest = bytes.subarray(start);
      if (rest.length > LONGEST_LINE) throw corrupt(path, number, 'it is not a line of a journal');
    }
    // A torn line may end inside a character.
    if (!isTornLine(rest.toString())) throw corrupt(path, number, 'it is not a line of a journal');
  };
  const take = (bytes: Buffer) => {
    const parsed = isUtf8(bytes) ? parseLine(bytes.toString()) : { reason: 'it is not UTF-8 text' };
    if ('newer' in parsed) throw newer(path, parsed.newer);
    const reason = 'line' in parsed ? history.take(parsed.line) : parsed.reason;
    if (reason !== undefined) throw corrupt(path, number, reason);
    number += 1;
  };
  const flush = async () => {
    const release = await lockIn(path);
    try {
      const file = await openRegular(path, constants.O_RDWR | constants.O_CREAT);
      try {
        await catchUp(file);
        await write(file);
      } finally {
        await file.close();
      }
    } finally {
      release();
    }
  };
  const write = async (file: FileHandle) => {
    const taken: Pending[] = [];
    let texts = '';
    for (const each of pending) {
      try {
        const text = each.lines(history);
        if (text === undefined) continue;
        texts += text;
      } catch (cause) {
        each.reject(cause);
      }
      taken.push(each);
    }
    pending = pending.filter((each) => !taken.includes(each));
    try {
      if (texts !== '') await add(Buffer.from(texts), file);
    } catch (cause) {
      for (const each of taken) each.reject(cause instanceof CliError ? cause : failed(path, cause));
      throw cause;
    }
    for (const each of taken) each.resolve();
  };
  const add = async (bytes: Buffer, file: FileHandle) => {
    if ((await file.stat()).size > end) await file.truncate(end);
    try {
      for (let written = 0; written < bytes.length; )
        written += (await file.write(bytes, written, bytes.length - written, end + written)).bytesWritten;
      await file.datasync();
      if (end === 0) syncFolder(dirname(path));
      const found = await stat(path);
      if (found.ino !== inode) throw new Error('it was removed or replaced');
    } catch (cause) {
      // A torn line would take space on a full disk; if this fails as well, the next reader drops it.
      await file.truncate(end).catch(() => {});
      throw cause;
    }
    await catchUp(file);
  };
  const flushAll = async () => {
    isScheduled = false;
    try {
      if (pending.length > 0) await flush();
    } catch (cause) {
      broken = cause instanceof CliError && cause.code !== 'busy' ? cause : failed(path, cause);
      for (const each of pending.splice(0)) each.reject(broken);
    }
  };
  /** What is asked for in the meantime shares the next append. */
  const schedule = () => {
    if (!isScheduled) flushing = flushing.then(flushAll);
    isScheduled = true;
    return flushing;
  };
  return {
    path,
    /** Reads what is new, without a lock. @throws {CliError} exit 1 when it cannot be read, exit 2 when it is invalid. */
    async read(): Promise<History> {
      let file: FileHandle | undefined;
      try {
        file = await openRegular(path, constants.O_RDONLY);
        await catchUp(file);
      } catch (cause) {
        if (cause instanceof CliError) throw cause;
        if (codeOf(cause) === 'ENOTDIR') throw failed(path, cause);
        if (codeOf(cause) !== 'ENOENT') throw unreadable(path, cause);
      } finally {
        await file?.close();
      }
      return history;
    },
    /**
     * Resolves when the lines are on the disk.
     *
     * @throws {CliError} `journal_failed`, exit 1, when they could not be written, and then at every later call; exit 2 when the
     *   journal is invalid; what `lines` throws.
     */
    append(lines: Pending['lines']): Promise<void> {
      if (broken !== undefined) return Promise.reject(broken);
      const written = new Promise<void>((resolve, reject) => pending.push({ lines, resolve, reject }));
      schedule();
      return written;
    },
    /**
     * Removes what is older than a time; a creation that was not deleted stays.
     *
     * @param before milliseconds since the epoch.
     */
    async sweep(before: number): Promise<void> {
      if (history.oldest() >= before) return;
      await withLock(path, async () => {
        const whole = createHistory(true);
        const texts = (await readFile(path, 'utf8')).split('\n').filter((text) => text !== '');
        const parsed = texts.map((text) => ({ text, ...parseLine(text) }));
        const all = parsed.flatMap((each) => ('line' in each ? [each] : []));
        // What cannot be read must not be lost: a newer innctl may have written it.
        if (all.length < texts.length || all.some(({ line }) => whole.take(line) !== undefined)) return;
        const isKept = (line: JournalLine) => line.is !== 'start' && !whole.isStale(line, before);
        const runs = new Set(all.flatMap(({ line }) => (isKept(line) ? [line.run] : [])));
        const left = all.filter(({ line }) => (line.is === 'start' ? runs.has(line.run) : isKept(line)));
        if (left.length < all.length)
          replaceFile(path, left.map(({ text }) => `${text}\n`).join(''), { lasting: true });
      });
    },
    /** Asks again for lines that were put off, and waits for all pending ones. */
    settled: schedule,
  };
}

async function lockIn(path: string) {
  if (makePrivateFolder(dirname(path))) syncFolder(dirname(dirname(path)));
  return acquireLock(path);
}

/**
 * Opens a regular file, or creates a private one; symbolic links are refused.
 *
 * @throws {CliError} when it is a link, a folder or a device; the system's own errors.
 */
async function openRegular(path: string, flags: number): Promise<FileHandle> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink() === true) throw notRegular(path, 'a symbolic link');
  // Without O_NONBLOCK, opening a named pipe waits for its other end.
  const all = flags | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, all, 0o600).catch((cause: unknown) => {
    throw codeOf(cause) === 'EISDIR' || codeOf(cause) === 'ENXIO' ? notRegular(path) : cause;
  });
  if ((await file.stat()).isFile()) {
    // The umask may have removed the owner's rights.
    if (found === undefined) await file.chmod(0o600);
    return file;
  }
  await file.close();
  throw notRegular(path);
}

/** The journal cannot be written; without it nothing is sent. Exit 1. */
function failed(path: string, cause: unknown): CliError {
  const reason = cause instanceof CliError ? cause.message.replace(/\.$/, '') : writeReasonOf(cause);
  return new CliError('journal_failed', `Could not write the journal ${path}: ${reason}.`, { cause, hint });
}

/** The journal cannot be read. Exit 1. */
function unreadable(path: string, cause: unknown): CliError {
  const sentence = `Could not read the journal ${path}: ${reasonOf(cause)}.`;
  return new CliError('unreadable_journal', sentence, { cause, hint });
}

/** A line of the journal is invalid. Exit 2; the file is not changed. */
function corrupt(path: string, line: number, reason: string): CliError {
  const advice = `If it is no longer needed, move it away: ${shellLine(['mv', path, `${path}.old`])}`;
  return unusable('corrupt_journal', `The journal ${path} cannot be used: line ${line}: ${reason}.`, advice);
}

/** The journal was written by a newer innctl. Exit 2. */
function newer(path: string, version: number): CliError {
  const sentence = `The journal ${path} was written by a newer innctl (version ${version} of the file).`;
  return unusable('newer_journal', sentence, 'Use that innctl.');
}

/** The path of the journal is a link, a folder or a device. Exit 2. */
function notRegular(path: string, what = 'not a regular file'): CliError {
  return unusable('no_journal', `${path} cannot be a journal: it is ${what}.`);
}

function unusable(code: string, sentence: string, advice?: string): CliError {
  return new CliError(code, sentence, { exitCode: ExitCode.usage, hint: advice });
}
