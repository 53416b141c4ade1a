import { fstatSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, rm } from 'node:fs/promises';
import type { Appendable } from './durable-file.ts';

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
