import { existsSync } from 'node:fs';
import { preparePrivateFolder } from '../fs/private-folder.ts';
import type { Change, Records } from './records.ts';
import { plantSeed, sweep } from './reset.ts';
import type { SeedName } from './seeds/seed.ts';
import { leftovers, statePath, troubleWith, withLock } from './store-files.ts';
import { type Contents, type Journal, openJournal } from './store-journal.ts';

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

/** What waits to be done together. */
export interface Queue<T> {
  add(entry: T): void;
  /** Resolves when nothing waits any more. */
  idle(): Promise<void>;
}

/**
 * Hands over what waits, all of it each time, so that a lock costs little however many entries there are.
 *
 * @param work takes the entries when its turn has come; when it fails before that, they are told.
 */
function createQueue<T extends { readonly failed: (error: unknown) => void }>(
  work: (take: () => readonly T[]) => Promise<void>,
): Queue<T> {
  let waiting: T[] = [];
  let draining: Promise<void> | undefined;
  const take = () => {
    const taken = waiting;
    waiting = [];
    return taken;
  };
  const drain = async () => {
    while (waiting.length > 0) {
      try {
        await work(take);
      } catch (error) {
        for (const { failed } of take()) failed(error);
      }
    }
    draining = undefined;
  };
  return {
    add(entry) {
      waiting.push(entry);
      draining ??= drain();
    },
    idle: () => draining ?? Promise.resolve(),
  };
}

/**
 * What is stored without the properties and invitations that were created after a moment.
 *
 * @param moment milliseconds since the epoch.
 */
export function createdBy(moment: number, records: Records): Records {
  const latest = new Date(Math.max(0, moment)).toISOString();
  const only = <Kept extends { readonly created: string }>(all: ReadonlyMap<string, Kept>) =>
    new Map([...all].filter(([, { created }]) => created <= latest));
  return {
    ...records,
    properties: only(records.properties),
    invitations: only(records.invitations),
  };
}
