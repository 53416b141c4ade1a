import { fstatSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, rm } from 'node:fs/promises';
import type { CliError } from '../cli/errors.ts';

/** A file that grows by whole texts, each of which is on the disk before its promise resolves. */
export interface DurableFile {
  /**
   * Texts that come while the disk is at work share the next sync. A failure is final: it and every later call rejects
   * with the same error. The promise may be left alone: whoever comes next learns of the failure.
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

/** Texts that are written together, and the promise that all of them have in common. */
interface Batch {
  texts: string;
  readonly written: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: CliError) => void;
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
  let waiting: Batch | undefined;
  let end = from;
  let failure: CliError | undefined;
  let work: Promise<void> | undefined;
  const write = async (batch: Batch) => {
    try {
      const bytes = Buffer.from(batch.texts);
      await writeWhole(file, bytes, end);
      await file.datasync();
      end += bytes.length;
      batch.resolve();
    } catch (cause) {
      failure = failed(cause);
      // Half a line must not stay where room for it is missing; should this fail as well, the next reader drops it.
      await file.truncate(end).catch(() => {});
      for (const each of [batch, waiting]) each?.reject(failure);
    }
  };
  const drain = async () => {
    // What is said in the same moment comes together.
    await Promise.resolve();
    while (waiting !== undefined && failure === undefined) {
      const batch = waiting;
      waiting = undefined;
      await write(batch);
    }
    work = undefined;
  };
  return {
    append(text) {
      waiting ??= openBatch();
      const { written, reject } = waiting;
      if (failure === undefined) {
        waiting.texts += text;
        work ??= drain();
      } else reject(failure);
      return written;
    },
    async close(length) {
      await work;
      try {
        if (length !== undefined) await file.truncate(length);
      } catch (cause) {
        throw failed(cause);
      } finally {
        // Every text was on the disk before its promise resolved: there is nothing left that closing could lose.
        await file.close().catch(() => {});
      }
    },
  };
}

function openBatch(): Batch {
  let [resolve, reject]: [Batch['resolve'], Batch['reject']] = [() => {}, () => {}];
  const written = new Promise<void>((...settle) => {
    [resolve, reject] = settle;
  });
  // Whoever comes next learns of it.
  written.catch(() => {});
  return { texts: '', written, resolve, reject };
}

async function writeWhole(file: Appendable, bytes: Uint8Array, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, offset + done);
    done += bytesWritten;
  }
}

/**
 * An open file that nobody else may write to or remove while it is appended to. What somebody else did is found before
 * the next text is written, or when it is synced, and nothing of theirs is cut off. Left empty, it is removed.
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
      if (!isOurs()) throw new Error('somebody else wrote to it');
      const written = await file.write(bytes, offset, length, position);
      end = position + written.bytesWritten;
      return written;
    },
    async datasync() {
      await file.datasync();
      if (!isOne(fstatSync(file.fd), statSync(path, { throwIfNoEntry: false })))
        throw new Error('somebody removed it, or put another file in its place');
    },
    async truncate(length) {
      if (!isOurs()) throw new Error('somebody else wrote to it');
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
