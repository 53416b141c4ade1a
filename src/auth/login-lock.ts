import { join } from 'node:path';
import { takeLock } from '../files/lock.ts';

/** A refresh under way elsewhere may take its tries to connect, and a minute for the one that is sent. */
const patience = { waitMs: 180_000, silenceMs: 150_000 };

/**
 * Waits for other processes that refresh or end the login of a profile.
 *
 * @param folder where credentials.json is.
 * @returns lets go again.
 * @throws like `takeLock`.
 */
export function lockLogin(folder: string, profile: string, signal: AbortSignal): Promise<() => void> {
  // The name begins as those of our other files do, by which a folder of settings is known.
  return takeLock(join(folder, `credentials.json.refresh-${profile}`), signal, patience);
}
