import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { CliError } from '../cli/errors.ts';
import { preparePrivateFolder, refuseLink } from '../fs/private-folder.ts';
import type { Change } from './records.ts';
import type { SeedName } from './seeds/seed.ts';
import { seeds } from './seeds/seeds.ts';
import {
  type Header,
  headerOf,
  leftovers,
  lineOf,
  replaceState,
  statePath,
  troubleWith,
  withLock,
} from './store-files.ts';
import { openJournal } from './store-journal.ts';

/** Records in a line of a new log, so that no line grows without bound. */
const CHANGES_A_LINE = 500;

export interface ResetOptions {
  readonly folder: string;
  readonly seed: SeedName;
  /** How many properties, where the seed comes in sizes: `chain`, 240 unless told. */
  readonly size?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Starts a folder's state anew, in one step, whether or not others work on it, and whatever state it is in. */
export async function resetState(options: ResetOptions): Promise<void> {
  const { folder } = options;
  try {
    preparePrivateFolder(folder);
    await withLock(folder, () => {
      sweep(folder);
      plantSeed(options, headerIn(folder));
    });
  } catch (error) {
    throw troubleWith(folder, error);
  }
}

/** Writes a seed in the place of the log. The lock must be held. */
export function plantSeed(options: ResetOptions, before?: Header): void {
  const { folder, seed, size, now } = options;
  const header = headerOf({
    generation: (before?.generation ?? 0) + 1,
    seed,
    secret: before?.secret ?? randomBytes(32).toString('hex'),
  });
  const changes = seeds[seed]({ now: now(), size });
  replaceState(folder, linesOf(header, changes));
}

/** Removes what killed processes left behind. The lock must be held. */
export function sweep(folder: string): void {
  for (const path of leftovers(folder)) rmSync(path, { force: true, recursive: true });
}

/** The secret of the tokens outlives a reset; a state that cannot be read has none. */
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

function* linesOf(header: Header, changes: Iterable<Change>): Generator<Uint8Array> {
  yield lineOf(header);
  let batch: Change[] = [];
  for (const change of changes) {
    batch.push(change);
    if (batch.length < CHANGES_A_LINE) continue;
    yield lineOf(batch);
    batch = [];
  }
  if (batch.length > 0) yield lineOf(batch);
}
