import { fstatSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, rm } from 'node:fs/promises';
import type { CliError } from '../cli/errors.ts';

/** An append-only file. */
export type DurableFile = ReturnType<typeof createDurableFile>;

/**
 * Appends to an open file that only this process may write to or remove. A foreign change is found before the next text is
 * written, or when it is synced, and is never cut off.
 *
 * @param path by which others find it.
 * @param length of the file, in bytes.
 * @param failed the error for what the system said.
 */
export function createDurableFile(
  file: FileHandle,
  path: string,
  length: number,
  failed: (cause: unknown) => CliError,
) {
  /** Where the last whole text ends, and where the last write. */
  let [end, written] = [length, length];
  let buffer = '';
  /** The flush that will take the buffer. */
  let next: Promise<void> | undefined;
  let last = Promise.resolve();
  // Synchronous: through the pool of threads a look takes as long as the sync.
  const refuseOtherWriter = () => {
    if (fstatSync(file.fd).size !== written) throw new Error('another program wrote to it');
  };
  const isInPlace = () => isOne(fstatSync(file.fd), statSync(path, { throwIfNoEntry: false }));
  const cut = async () => {
    refuseOtherWriter();
    await file.truncate(end);
    written = end;
  };
  const removeIfEmpty = async () => {
    if (fstatSync(file.fd).size === 0 && isInPlace()) await rm(path, { force: true });
  };
  const flush = async () => {
    const bytes = Buffer.from(buffer);
    buffer = '';
    next = undefined;
    try {
      for (const whole = end + bytes.length; written < whole; ) {
        refuseOtherWriter();
        const { bytesWritten } = await file.write(bytes, written - end, whole - written, written);
        written += bytesWritten;
      }
      await file.datasync();
      if (!isInPlace()) throw new Error('it was removed or replaced');
      end = written;
    } catch (cause) {
      // A torn line would take space on a full disk; if this fails as well, the next reader drops it.
      await cut().catch(() => {});
      throw failed(cause);
    }
  };
  return {
    /**
     * Resolves when the text, and all before it, is on the disk. Texts that come during a sync share the next one, and its
     * promise. A failure is final: every later call rejects with the same error, so that a promise may be ignored.
     */
    append(text: string): Promise<void> {
      buffer += text;
      if (next === undefined) {
        // Where the last flush failed, this one rejects with its error and writes nothing.
        next = last.then(flush);
        next.catch(() => {});
        last = next;
      }
      return next;
    },
    /** Waits for pending writes. Removes the file if it is empty. */
    async close(): Promise<void> {
      await last.catch(() => {});
      // Every text was synced before its promise resolved: closing cannot lose anything.
      await removeIfEmpty().catch(() => {});
      await file.close().catch(() => {});
    },
  };
}

function isOne(mine: Stats, other: Stats | undefined): boolean {
  return mine.nlink > 0 && mine.dev === other?.dev && mine.ino === other.ino;
}
