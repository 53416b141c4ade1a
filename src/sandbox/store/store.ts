import { existsSync } from 'node:fs';
import { preparePrivateFolder } from '../../files/private-folder.ts';
import type { SeedName } from '../seeds/seed.ts';
import { leftovers, statePath } from './folder.ts';
import { type Contents, type Journal, openJournal } from './journal.ts';
import { withLock } from './lock.ts';
import { createQueue } from './queue.ts';
import type { Change, Records } from './records.ts';
import { plantSeed, sweep } from './reset.ts';
import { troubleWith } from './trouble.ts';

/** What a writer wants: the changes, in one piece, and what to answer once they are stored. */
interface Decision<T> {
  readonly changes: readonly Change[];
  readonly result: T;
}

/**
 * The sandbox's state, shared with every other process that works on the same folder.
 * A write survives the death of the process, though not of the machine.
 */
export interface Store {
  /**
   * What is stored now, the writes of other processes included.
   *
   * @throws {CliError} `sandbox_...` when the state cannot be read any more.
   */
  read(): Contents;
  /**
   * Decides under the lock and stores the changes as one. Writes that wait share one lock and one line of the log.
   *
   * @throws {CliError} `sandbox_full` when there is no room, with nothing stored; whatever `decide` throws.
   */
  write<T>(decide: (records: Records) => Decision<T>): Promise<T>;
  /** Resolves when the writes under way are stored. */
  close(): Promise<void>;
}

export interface StoreOptions {
  readonly folder: string;
  /** What a folder without state starts from. */
  readonly seed: SeedName;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

interface Write {
  /** Returns the changes and what to call when they are stored. */
  readonly prepare: (records: Records) => {
    readonly changes: readonly Change[];
    readonly stored: () => void;
  };
  readonly failed: (error: unknown) => void;
}

/**
 * Opens the state of a folder, and makes it from the seed where there is none.
 *
 * @throws {CliError} `sandbox_...` when the state cannot be made or read.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { folder } = options;
  const journal = await openOrMake(options).catch((error) => {
    throw troubleWith(folder, error);
  });
  const queue = createQueue<Write>((take) => withLock(folder, () => commit(journal, take)));
  return {
    read() {
      try {
        return journal.catchUp();
      } catch (error) {
        throw troubleWith(folder, error);
      }
    },
    write: (decide) =>
      new Promise((resolve, reject) => {
        const failed = (error: unknown) => reject(troubleWith(folder, error));
        queue.add(writeOf(decide, resolve, failed));
      }),
    async close() {
      await queue.idle();
      journal.close();
    },
  };
}

async function openOrMake(options: StoreOptions): Promise<Journal> {
  const { folder } = options;
  const path = statePath(folder);
  preparePrivateFolder(folder);
  if (!existsSync(path) || leftovers(folder).length > 0) {
    await withLock(folder, () => {
      sweep(folder);
      if (!existsSync(path)) plantSeed(options);
    });
  }
  return openJournal(path);
}

function writeOf<T>(
  decide: (records: Records) => Decision<T>,
  resolve: (result: T) => void,
  failed: (error: unknown) => void,
): Write {
  return {
    prepare(records) {
      const { changes, result } = decide(records);
      return { changes, stored: () => resolve(result) };
    },
    failed,
  };
}

function commit(journal: Journal, take: () => readonly Write[]): void {
  const { records } = journal.catchUp();
  const writes = take();
  const accepted: { readonly write: Write; readonly stored: () => void }[] = [];
  const changes: Change[] = [];
  for (const write of writes) {
    try {
      const prepared = write.prepare(records);
      for (const change of prepared.changes) journal.apply(change);
      changes.push(...prepared.changes);
      accepted.push({ write, stored: prepared.stored });
    } catch (error) {
      write.failed(error);
    }
  }
  try {
    if (changes.length > 0) journal.append(changes);
    for (const { stored } of accepted) stored();
  } catch (error) {
    for (const { write } of accepted) write.failed(error);
  }
}
