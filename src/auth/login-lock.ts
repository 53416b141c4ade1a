import { join } from 'node:path';
import { credentialsPath } from '../config/credentials.ts';

/** A refresh under way elsewhere may take its tries to connect, and a minute for the one that is sent: nobody is silent for longer. */
const patience = { waitMs: 150_000, silenceMs: 75_000 };

/**
 * Waits for other processes that refresh or end the login of a profile.
 *
 * @param folder where credentials.json is.
 * @returns lets go again.
 * @throws {CliError} `config_not_written` where the disk refuses; otherwise like `takeLock`.
 */
export async function lockLogin(folder: string, profile: string, signal: AbortSignal): Promise<() => void> {
  const { takeLock } = await import('../files/lock.ts');
  const { writingFailed } = await import('../config/rewrite.ts');
  // The name begins as those of our other files do, by which a folder of settings is known.
  const path = join(folder, `credentials.json.refresh-${profile}`);
  return takeLock(path, signal, patience).catch((cause: unknown) => {
    throw writingFailed(credentialsPath(folder), cause);
  });
}
