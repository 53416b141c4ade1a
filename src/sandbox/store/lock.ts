import { join } from 'node:path';
import lockfile from 'proper-lockfile';
import { CliError } from '../../errors.ts';
import { statePath } from './folder.ts';

/** A lock whose holder was killed is taken over after this long. */
const STALE_MS = 5_000;

/** About 20 seconds of waiting in all, mostly in steps of 50 ms. */
const waiting = { retries: 400, factor: 1.5, minTimeout: 2, maxTimeout: 50, randomize: true };

/**
 * Does the work while no other process may write to the folder's state.
 *
 * @param work synchronous, so that the lock is held for its time only.
 * @throws {CliError} `sandbox_busy` when others held the lock for some 20 seconds.
 */
export async function withLock<T>(folder: string, work: () => T): Promise<T> {
  const release = await acquire(folder);
  try {
    return work();
  } finally {
    // The work is done or has failed already. A lock that stays behind goes stale, and the next writer takes it.
    await release().catch(() => undefined);
  }
}

async function acquire(folder: string) {
  const path = statePath(folder);
  try {
    return await lockfile.lock(path, {
      realpath: false,
      lockfilePath: join(folder, 'state.lock'),
      stale: STALE_MS,
      retries: waiting,
      // The work is synchronous: a lock lost to a suspended process is noticed after it, and changes nothing then.
      onCompromised: () => undefined,
    });
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ELOCKED')) throw cause;
    throw new CliError('sandbox_busy', `Other processes hold the sandbox's state ${path}.`, {
      hint: 'Try again, or end the other processes.',
      cause,
    });
  }
}
