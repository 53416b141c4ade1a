import { join } from 'node:path';
import * as v from 'valibot';
import { isRecord } from '../model/records.ts';
import type { Setting } from './settings.ts';
import { readStored } from './stored-file.ts';

/** What config.json says of one profile. Values may be of any type: they are checked when they are used. */
export type StoredProfile = Readonly<Record<string, unknown>> & {
  readonly defaults?: Readonly<Record<string, unknown>> | undefined;
};

/** What config.json holds. Unknown keys are kept. */
export interface ConfigDocument {
  readonly version: 1;
  readonly active_profile?: string | undefined;
  readonly profiles: Readonly<Record<string, StoredProfile>>;
}

/** The shape of config.json; values of settings are not looked at. */
const configSchema = mapping(
  v.looseObject({
    version: v.optional(v.literal(1), 1),
    active_profile: v.optional(v.string()),
    profiles: v.optional(
      mapping(
        v.record(v.string(), mapping(v.looseObject({ defaults: v.optional(mapping(v.looseObject({}))) }))),
      ),
      {},
    ),
  }),
);

/** The profile of that name in the file; `undefined` when there is none. */
export function storedProfile(document: ConfigDocument, name: string): StoredProfile | undefined {
  return Object.hasOwn(document.profiles, name) ? document.profiles[name] : undefined;
}

/** The value that a profile stores for a setting, as it stands in the file. */
export function storedValue(profile: StoredProfile, { key, place }: Setting): unknown {
  if (place === 'top') return profile[key];
  return place === 'defaults' ? profile.defaults?.[key] : undefined;
}

/** A document in which the profile stores this value for the setting; `undefined` takes the value away. */
export function withValue(
  document: ConfigDocument,
  name: string,
  { key, place }: Setting,
  value: unknown,
): ConfigDocument {
  const profile = storedProfile(document, name) ?? {};
  const changed =
    place === 'defaults'
      ? { ...profile, defaults: put(profile.defaults ?? {}, key, value) }
      : put(profile, key, value);
  return withProfile(document, name, changed);
}

/** A document in which that profile is this one. */
export function withProfile(document: ConfigDocument, name: string, profile: StoredProfile): ConfigDocument {
  return { ...document, profiles: { ...document.profiles, [name]: profile } };
}

function put(record: Readonly<Record<string, unknown>>, key: string, value: unknown) {
  const { [key]: _, ...rest } = record;
  return value === undefined ? rest : { ...rest, [key]: value };
}

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
  return v.pipe(v.custom<v.InferInput<T>>(isRecord), schema);
}
