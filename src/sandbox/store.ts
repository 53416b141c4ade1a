import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../cli/errors.ts';
import { withLock } from '../fs/lock.ts';
import { preparePrivateFolder, refuseLink } from '../fs/private-folder.ts';
import { replaceFile, sweepDrafts } from '../fs/replace.ts';
import type { Answer, Outcome } from './call.ts';
import { createLog, type Header, type Log, logText, stateError } from './log.ts';
import type { Change, Records } from './records.ts';
import { chainSeed } from './seeds/chain.ts';
import { peopleSeed } from './seeds/people.ts';
import type { SeedName, SeedOptions } from './seeds/seed.ts';
import { smallSeed } from './seeds/small.ts';

const seeds: Readonly<Record<SeedName, (options: SeedOptions) => Iterable<Change>>> = {
  small: smallSeed,
  chain: chainSeed,
  people: peopleSeed,
};

/**
 * The sandbox's state, shared by all processes that use the same folder.
 * A write survives a crash of the process, but not of the machine.
 */
export type Store = Awaited<ReturnType<typeof openStore>>;

/** What a folder is planted with. */
export interface StateOptions {
  /** Created if missing. */
  readonly folder: string;
  readonly seed: SeedName;
  /** How many properties, where the seed comes in sizes: `chain`, by default 240. */
  readonly size?: number | undefined;
  /** Milliseconds since the epoch: dates, and the life of tokens and idempotency keys. */
  readonly now: () => number;
}

/**
 * Opens the state of a folder, and makes it from the seed where there is none.
 *
 * @throws {CliError} `sandbox_...` when the state cannot be made or read.
 */
export async function openStore(options: StateOptions) {
  const path = statePath(options);
  const log = await openOrPlant(path, options).catch((error) => {
    throw stateError(path, error);
  });
  let last: Promise<unknown> = Promise.resolve();
  return {
    /**
     * What is stored now, the writes of other processes included.
     *
     * @throws {CliError} `sandbox_...` when the state cannot be read any more.
     */
    read: log.read,
    /**
     * Calls `decide` under the lock, after the writes before it, and stores its changes as one line.
     *
     * @throws {CliError} `sandbox_full` when the disk is full; nothing is stored then. What `decide` throws.
     */
    write(decide: (records: Records) => Outcome): Promise<Answer> {
      const done = last
        .then(() => withLock(path, () => log.write(decide)))
        .catch((error) => {
          throw stateError(path, error);
        });
      last = done.catch(() => {});
      return done;
    },
    /** Resolves when the writes under way are stored. */
    async close(): Promise<void> {
      await last;
    },
  };
}

/** Replaces a folder's state by a seed in one step, even while others use it, and whatever state it is in. */
export async function resetState(options: StateOptions): Promise<void> {
  const path = statePath(options);
  try {
    preparePrivateFolder(options.folder);
    await withLock(path, () => plantSeed(path, options));
  } catch (error) {
    throw stateError(path, error);
  }
}

function statePath({ folder }: StateOptions): string {
  return join(folder, 'state.ndjson');
}

async function openOrPlant(path: string, options: StateOptions): Promise<Log> {
  preparePrivateFolder(options.folder);
  refuseLink(path);
  if (!existsSync(path)) await withLock(path, () => existsSync(path) || plantSeed(path, options));
  const log = createLog(path);
  log.read();
  return log;
}

/** Replaces the log by a seed; keeps the secret of the log before it. The lock must be held. */
function plantSeed(path: string, { seed, size, now }: StateOptions): void {
  refuseLink(path);
  sweepDrafts(path, 0);
  const before = headerOf(path);
  const generation = (before?.generation ?? 0) + 1;
  const secret = before?.secret ?? randomBytes(32).toString('hex');
  const text = logText({ generation, seed, secret }, seeds[seed]({ now: now(), size }));
  replaceFile(path, text, { lasting: false });
}

/** The header of the current state; `undefined` where none can be read. */
function headerOf(path: string): Header | undefined {
  try {
    return existsSync(path) ? createLog(path).read().header : undefined;
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}
