import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { CliError } from '../cli/errors.ts';
import { closeToOthers } from '../fs/private-folder.ts';
import { quietly, replaceFile } from '../fs/replace.ts';
import { isRecord } from '../model/records.ts';
import type { Setting } from './settings.ts';
import { readStored } from './stored-file.ts';

/** One profile in config.json. Values may be of any type: they are checked when they are used. */
export type StoredProfile = Readonly<Record<string, unknown>> & {
  readonly defaults?: Readonly<Record<string, unknown>> | undefined;
};

/** The content of config.json. Unknown keys are kept. */
export interface ConfigDocument {
  readonly version: 1;
  readonly active_profile?: string | undefined;
  readonly profiles: Readonly<Record<string, StoredProfile>>;
}

/** The shape of config.json; values of settings are not checked here. */
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

/** The value that a profile stores for a setting, unchecked. */
export function storedValue(profile: StoredProfile, { key, place }: Setting): unknown {
  if (place === 'top') return profile[key];
  return place === 'defaults' ? profile.defaults?.[key] : undefined;
}

/** Returns the document with this value for the setting; `undefined` removes the value. */
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

/** Returns the document with this profile. */
export function withProfile(document: ConfigDocument, name: string, profile: StoredProfile): ConfigDocument {
  return { ...document, profiles: { ...document.profiles, [name]: profile } };
}

function put(record: Readonly<Record<string, unknown>>, key: string, value: unknown) {
  const { [key]: _, ...rest } = record;
  return value === undefined ? rest : { ...rest, [key]: value };
}

/**
 * Reads config.json; an empty document when there is no file.
 *
 * @throws {CliError} exit 2 naming the path when it is corrupt or newer.
 */
export function readConfig(folder: string): ConfigDocument {
  return readStored(configPath(folder), configSchema);
}

/**
 * Changes config.json under a lock, atomically. Writes nothing if `change` returns the same document.
 *
 * @param change may throw; then nothing is written.
 * @param signal cancels the wait for the lock.
 * @throws {CliError} `config_not_written` when it cannot be written; exit 2 when the file is corrupt or newer: it stays.
 */
export async function updateConfig(
  folder: string,
  change: (document: ConfigDocument) => ConfigDocument,
  signal: AbortSignal,
): Promise<void> {
  const { rewrite } = await import('./rewrite.ts');
  const { default: Conf } = await import('conf');
  const path = configPath(folder);
  const write = (document: ConfigDocument) => {
    const store = new Conf<Record<string, unknown>>({
      cwd: folder,
      configName: 'config',
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      clearInvalidConfig: false,
      // `readConfig` has checked the file. Editors may have put a byte order mark before the text.
      deserialize: (text) => JSON.parse(text.replace(/^\uFEFF/, '')),
      serialize: textOf,
    });
    keepOnFailure(path, textOf(document), () => {
      store.store = { ...document };
    });
  };
  await rewrite(path, () => readConfig(folder), change, write, signal);
}

/** Restores the file after a failure: conf does not notice when a full disk takes only a part of the text. */
function keepOnFailure(path: string, text: string, write: () => void): void {
  const content = () => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);
  const before = content();
  let failure: unknown = new CliError(
    'config_not_written',
    `Could not write ${path}: only a part of it was written.`,
    { hint: 'Make room on the disk, or set INNCTL_CONFIG_DIR to a writable folder.' },
  );
  try {
    write();
    if (content() === text) {
      // Inside a snap conf writes into the file, and does not change its mode.
      quietly(() => closeToOthers(path));
      return;
    }
  } catch (cause) {
    failure = cause;
  }
  if (before === undefined) rmSync(path, { force: true });
  else if (content() !== before) replaceFile(path, before, { lasting: true });
  throw failure;
}

function textOf(document: object): string {
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** The path of config.json. */
export function configPath(folder: string): string {
  return join(folder, 'config.json');
}

/** A schema that rejects arrays, which valibot accepts as objects. */
export function mapping<T extends v.GenericSchema<Record<string, unknown>, unknown>>(schema: T) {
  return v.pipe(v.custom<v.InferInput<T>>(isRecord), schema);
}
