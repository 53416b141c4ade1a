import { join } from 'node:path';

/** A refresh under way elsewhere may take its tries to connect, and a minute for the one that is sent: nobody is silent for longer. */
const patience = { waitMs: 150_000, silenceMs: 75_000 };

/**
 * Waits for other processes that refresh or end the login of a profile.
 *
 * @param folder where credentials.json is.
 * @returns lets go again.
 * @throws like `takeLock`.
 */
export async function lockLogin(folder: string, profile: string, signal: AbortSignal): Promise<() => void> {
  const { takeLock } = await import('../files/lock.ts');
  // The name begins as those of our other files do, by which a folder of settings is known.
  return takeLock(join(folder, `credentials.json.refresh-${profile}`), signal, patience);
}
