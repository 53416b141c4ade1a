import { takeLock } from '../../files/lock.ts';
import { statePath } from './folder.ts';

/**
 * Does the work while no other process may write to the folder's state.
 *
 * @param work synchronous, so that the lock is held for its time only.
 * @throws {CliError} `busy` when others hold the lock for long.
 */
export async function withLock<T>(folder: string, work: () => T): Promise<T> {
  const release = await takeLock(statePath(folder));
  try {
    return work();
  } finally {
    release();
  }
}
