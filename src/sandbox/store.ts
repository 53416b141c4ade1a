import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { CliError } from '../cli/errors.ts';
import { withLock } from '../fs/lock.ts';
import { preparePrivateFolder, refuseLink } from '../fs/private-folder.ts';
import { draftsOf, replaceFile, sweepDrafts } from '../fs/replace.ts';
import type { Change, Records } from './records.ts';
import { chainSeed } from './seeds/chain.ts';
import type { SeedName, SeedOptions } from './seeds/seed.ts';
import { smallSeed } from './seeds/small.ts';
import { type Header, statePath, troubleWith, VERSION } from './store-files.ts';
import { type Contents, type Journal, openJournal } from './store-journal.ts';

const seeds: Readonly<Record<SeedName, (options: SeedOptions) => Iterable<Change>>> = {
  small: smallSeed,
  chain: chainSeed,
};

/** The changes of a write, stored as one, and its result. */
interface Decision<T> {
  readonly changes: readonly Change[];
  readonly result: T;
}

/**
 * The sandbox's state, shared by all processes that use the same folder.
 * A write survives a crash of the process, but not of the machine.
 */
export interface Store {
  /**
   * What is stored now, the writes of other processes included.
   *
   * @throws {CliError} `sandbox_...` when the state cannot be read any more.
   */
  read(): Contents;
  /**
   * Calls `decide` under the lock and stores its changes as one. Writes that wait share one lock and one line of the log.
   *
   * @throws {CliError} `sandbox_full` when the disk is full; nothing is stored then. What `decide` throws.
   */
  write<T>(decide: (records: Records) => Decision<T>): Promise<T>;
  /** Resolves when the writes under way are stored. */
  close(): Promise<void>;
}

export interface StoreOptions {
  readonly folder: string;
  /** For a folder without state. */
  readonly seed: SeedName;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** A write that waits for the lock. */
interface Write {
  readonly decide: (records: Records) => Decision<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
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
  let waiting: Write[] = [];
  let draining: Promise<void> | undefined;
  const drain = async () => {
    while (waiting.length > 0) {
      let taken = waiting;
      try {
        await withLock(statePath(folder), () => {
          taken = waiting;
          waiting = [];
          commit(journal, taken);
        });
      } catch (error) {
        waiting = waiting.filter((write) => !taken.includes(write));
        for (const { reject } of taken) reject(troubleWith(folder, error));
      }
    }
    draining = undefined;
  };
  return {
    read() {
      try {
        return journal.catchUp();
      } catch (error) {
        throw troubleWith(folder, error);
      }
    },
    write: <T>(decide: (records: Records) => Decision<T>) =>
      new Promise<T>((resolve, reject) => {
        // The result is that of this write's own `decide`.
        waiting.push({ decide, resolve: (result) => resolve(result as T), reject });
        draining ??= drain();
      }),
    async close() {
      await draining;
      journal.close();
    },
  };
}

async function openOrMake(options: StoreOptions): Promise<Journal> {
  const { folder } = options;
  const path = statePath(folder);
  preparePrivateFolder(folder);
  if (!existsSync(path) || draftsOf(path, 0).length > 0) {
    await withLock(statePath(folder), () => {
      sweepDrafts(path, 0);
      if (!existsSync(path)) plantSeed(options);
    });
  }
  return openJournal(path);
}

/** Decides the writes in their order and stores their changes as one line. The lock must be held. */
function commit(journal: Journal, writes: readonly Write[]): void {
  const { records } = journal.catchUp();
  const decided: { readonly write: Write; readonly result: unknown }[] = [];
  const all: Change[] = [];
  for (const write of writes) {
    try {
      const { changes, result } = write.decide(records);
      for (const change of changes) journal.apply(change);
      all.push(...changes);
      decided.push({ write, result });
    } catch (error) {
      write.reject(error);
    }
  }
  if (all.length > 0) journal.append(all);
  for (const { write, result } of decided) write.resolve(result);
}

export interface ResetOptions {
  readonly folder: string;
  readonly seed: SeedName;
  /** How many properties, where the seed comes in sizes: `chain`, by default 240. */
  readonly size?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Replaces a folder's state by a seed in one step, even while others use it, and whatever state it is in. */
export async function resetState(options: ResetOptions): Promise<void> {
  const { folder } = options;
  try {
    preparePrivateFolder(folder);
    await withLock(statePath(folder), () => {
      sweepDrafts(statePath(folder), 0);
      plantSeed(options, headerIn(folder));
    });
  } catch (error) {
    throw troubleWith(folder, error);
  }
}

/** Records in a line of a new log, so that no line is too long. */
const CHANGES_PER_LINE = 500;

/** Replaces the log by a seed. The lock must be held. */
function plantSeed({ folder, seed, size, now }: ResetOptions, before?: Header): void {
  const header: Header = {
    version: VERSION,
    generation: (before?.generation ?? 0) + 1,
    seed,
    secret: before?.secret ?? randomBytes(32).toString('hex'),
  };
  const changes = [...seeds[seed]({ now: now(), size })];
  const lines: unknown[] = [header];
  for (let start = 0; start < changes.length; start += CHANGES_PER_LINE) {
    lines.push(changes.slice(start, start + CHANGES_PER_LINE));
  }
  const path = statePath(folder);
  refuseLink(path);
  replaceFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { lasting: false });
}

/** The header of the current state, whose secret outlives a reset; `undefined` where none can be read. */
function headerIn(folder: string): Header | undefined {
  const path = statePath(folder);
  refuseLink(path);
  if (!existsSync(path)) return undefined;
  try {
    const journal = openJournal(path);
    const { header } = journal.catchUp();
    journal.close();
    return header;
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

/**
 * The records without the properties and invitations that were created after a moment.
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
