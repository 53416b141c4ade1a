import { fstatSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, rm } from 'node:fs/promises';
import type { CliError } from '../cli/errors.ts';

/** An append-only file. */
export interface DurableFile {
  /**
   * Resolves when the text is on the disk. Texts that come during a sync share the next one, and its promise. A failure is
   * final: every later call rejects with the same error, so that a promise may be ignored.
   */
  append(text: string): Promise<void>;
  /** Waits for what is under way and cuts the file to a length, if one is given. */
  close(length?: number): Promise<void>;
}

/** What appending needs of an open file; each as a file handle has it. */
interface Appendable {
  write(
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesWritten: number }>;
  datasync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Appends to an open file.
 *
 * @param from where the first text goes, in bytes.
 * @param failed the error for what the system said.
 */
export function createDurableFile(
  file: Appendable,
  from: number,
  failed: (cause: unknown) => CliError,
): DurableFile {
  let end = from;
  let buffer = '';
  /** The flush that will take the buffer. */
  let next: Promise<void> | undefined;
  let last = Promise.resolve();
  const flush = async () => {
    const bytes = Buffer.from(buffer);
    buffer = '';
    next = undefined;
    try {
      await writeWhole(file, bytes, end);
      await file.datasync();
      end += bytes.length;
    } catch (cause) {
      // A torn line would take space on a full disk; if this fails as well, the next reader drops it.
      await file.truncate(end).catch(() => {});
      throw failed(cause);
    }
  };
  return {
    append(text) {
      buffer += text;
      if (next === undefined) {
        // Where the last flush failed, this one rejects with its error and writes nothing.
        next = last.then(flush);
        next.catch(() => {});
        last = next;
      }
      return next;
    },
    async close(length) {
      await last.catch(() => {});
      try {
        if (length !== undefined) await file.truncate(length);
      } catch (cause) {
        throw failed(cause);
      } finally {
        // Every text was synced before its promise resolved: closing cannot lose anything.
        await file.close().catch(() => {});
      }
    },
  };
}

async function writeWhole(file: Appendable, bytes: Uint8Array, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, offset + done);
    done += bytesWritten;
  }
}

/**
 * An open file that only this process may write to or remove while it is appended to. A foreign change is found before
 * the next text is written, or when it is synced, and is never cut off. Left empty, the file is removed.
 *
 * @param path by which others find it.
 * @param from its length, in bytes.
 */
export function ownFile(file: FileHandle, path: string, from: number): Appendable {
  let end = from;
  // Each batch of lines asks three times, and on the way through the pool of threads that takes as long as the sync.
  const isOurs = () => fstatSync(file.fd).size === end;
  return {
    async write(bytes, offset, length, position) {
      if (!isOurs()) throw new Error('another program wrote to it');
      const written = await file.write(bytes, offset, length, position);
      end = position + written.bytesWritten;
      return written;
    },
    async datasync() {
      await file.datasync();
      if (!isOne(fstatSync(file.fd), statSync(path, { throwIfNoEntry: false })))
        throw new Error('it was removed or replaced');
    },
    async truncate(length) {
      if (!isOurs()) throw new Error('another program wrote to it');
      await file.truncate(length);
      end = length;
    },
    async close() {
      try {
        if (end === 0 && isOne(fstatSync(file.fd), statSync(path, { throwIfNoEntry: false })))
          await rm(path, { force: true });
      } finally {
        await file.close();
      }
    },
  };
}

function isOne(mine: Stats, other: Stats | undefined): boolean {
  return mine.nlink > 0 && mine.dev === other?.dev && mine.ino === other.ino;
}
