import { join } from 'node:path';
import * as v from 'valibot';
import { type ConfigDocument, configSchema } from './document.ts';
import { readStored } from './stored-file.ts';

/**
 * What config.json in this folder holds; an empty document where there is no file.
 *
 * @throws {CliError} exit 2 naming the path when it is corrupt or newer.
 */
export function readConfig(folder: string): ConfigDocument {
  return readStored(configPath(folder), configSchema);
}

/**
 * Changes config.json under a lock, atomically. A change that returns the document it was given writes nothing.
 *
 * @param change may throw; then nothing is written.
 * @param signal ends the waiting for the lock.
 * @throws {CliError} `config_not_written` when the disk refuses; exit 2 when the file is corrupt or newer: it stays.
 */
export async function updateConfig(
  folder: string,
  change: (document: ConfigDocument) => ConfigDocument,
  signal: AbortSignal,
): Promise<void> {
  const { rewrite } = await import('./rewrite.ts');
  const { refuseToClose } = await import('./trust.ts');
  const path = configPath(folder);
  refuseToClose(path, readConfig(folder));
  await rewrite({ path, read: () => readConfig(folder), change, signal });
}

/** Where the settings of this folder are kept. */
export function configPath(folder: string): string {
  return join(folder, 'config.json');
}

/** A schema that takes no list: to valibot a list is an object, too, and would be stored as one. */
export function mapping<T extends v.GenericSchema<Record<string, unknown>, unknown>>(schema: T) {
  return v.pipe(v.custom<v.InferInput<T>>(isMapping), schema);
}

function isMapping(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
