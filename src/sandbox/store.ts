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

/** A write that waits for the lock. */
interface Write {
  readonly decide: (records: Records) => Outcome;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
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
  const waiting: Write[] = [];
  let draining: Promise<void> | undefined;
  const drain = async () => {
    while (waiting.length > 0) {
      await withLock(path, () => commit(log, waiting.splice(0))).catch((error) => {
        for (const { reject } of waiting.splice(0)) reject(stateError(path, error));
      });
    }
    draining = undefined;
  };
  return {
    /**
     * What is stored now, the writes of other processes included.
     *
     * @throws {CliError} `sandbox_...` when the state cannot be read any more.
     */
    read: log.read,
    /**
     * Calls `decide` under the lock and stores its changes as one. Writes that wait share one lock and one line of the log.
     *
     * @throws {CliError} `sandbox_full` when the disk is full; nothing is stored then. What `decide` throws.
     */
    write: (decide: Write['decide']): Promise<Answer> =>
      new Promise((resolve, reject) => {
        waiting.push({ decide, resolve, reject });
        draining ??= drain();
      }),
    /** Resolves when the writes under way are stored. */
    async close(): Promise<void> {
      await draining;
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

/** Decides the writes in their order and stores their changes as one line. The lock must be held. */
function commit(log: Log, writes: readonly Write[]): void {
  const decided: (() => void)[] = [];
  const all: Change[] = [];
  try {
    const { records } = log.read();
    for (const { decide, resolve, reject } of writes) {
      try {
        const { changes = [], ...answer } = decide(records);
        for (const change of changes) log.apply(change);
        all.push(...changes);
        decided.push(() => resolve(answer));
      } catch (error) {
        reject(error);
      }
    }
    if (all.length > 0) log.append(all);
    for (const report of decided) report();
  } catch (error) {
    for (const { reject } of writes) reject(error);
  }
}

/**
 * The records without those of properties, what they rent out and invitations that were created after a moment.
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
    unit_groups: only(records.unit_groups),
    units: only(records.units),
    unit_attributes: only(records.unit_attributes),
    invitations: only(records.invitations),
  };
}
