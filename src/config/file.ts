import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { closeToOthers, quietly, replaceFile } from '../fs/replace.ts';
import { CliError, ExitCode, invalidInput } from '../model/errors.ts';
import type { Context } from '../model/ports.ts';
import { isRecord } from '../model/records.ts';
import { placesOf } from './places.ts';
import { type Setting, settings, settingTable } from './settings.ts';
import { readStored, rewrite } from './stored-file.ts';

/**
 * The folders of innctl's files: `config` for settings and credentials, `state` for the sandbox and journals. Absolute paths,
 * which need not exist.
 */
export type Folders = Readonly<ReturnType<typeof foldersOf>>;

/** As `placesOf`, checked. @throws {CliError} exit 2 when there is no such folder, or INNCTL_CONFIG_DIR is invalid. */
export function foldersOf({ env, platform, home }: Pick<Context, 'env' | 'platform' | 'home'>) {
  const { env: ownVariable, parse } = settingTable.config_dir;
  const own = env[ownVariable] ?? '';
  const parsed = own === '' ? { value: own } : parse(own);
  if (parsed.value === undefined) throw invalidInput([{ field: ownVariable, reason: parsed.reason }]);
  const { config, state } = placesOf({ env: { ...env, [ownVariable]: parsed.value }, platform, home });
  if (config !== undefined && state !== undefined) return { config, state };
  throw new CliError('no_home', 'There is no home folder to keep settings in.', {
    exitCode: ExitCode.usage,
    hint: `Set ${ownVariable} to a folder of your own: ${ownVariable}=/path/to/innctl`,
  });
}

/** The folder of the sandbox's state. */
export function sandboxFolder({ state }: Folders): string {
  return join(state, 'sandbox');
}

/** One profile in config.json. Values may be of any type: they are checked when they are used. */
export type StoredProfile = Readonly<Record<string, unknown>> & {
  readonly defaults?: Readonly<Record<string, unknown>> | undefined;
};

/** The content of config.json. */
export interface ConfigDocument {
  readonly version: 1;
  readonly active_profile?: string | undefined;
  readonly profiles: Readonly<Record<string, StoredProfile>>;
}

/** The shape of config.json; values of settings are not checked here. An unknown key may be a misspelt guard. */
const configSchema = mapping(
  v.strictObject({
    version: v.optional(v.literal(1), 1),
    active_profile: v.optional(v.string()),
    profiles: v.optional(
      mapping(
        v.record(
          v.string(),
          mapping(
            v.strictObject({
              ...storedIn('top'),
              defaults: v.optional(mapping(v.strictObject(storedIn('defaults')))),
            }),
          ),
        ),
      ),
      {},
    ),
  }),
);

function storedIn(place: Setting['place']) {
  const stored = settings.filter((setting) => setting.place === place);
  return Object.fromEntries(stored.map(({ key }) => [key, v.optional(v.unknown())]));
}

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
  // JSON has no `undefined`.
  const set = { [key]: value };
  const changed = place === 'defaults' ? { defaults: { ...profile.defaults, ...set } } : set;
  return withProfile(document, name, { ...profile, ...changed });
}

/** Returns the document with this profile. */
export function withProfile(document: ConfigDocument, name: string, profile: StoredProfile): ConfigDocument {
  return { ...document, profiles: { ...document.profiles, [name]: profile } };
}

/**
 * Reads config.json; an empty document when there is no file.
 *
 * @throws {CliError} exit 2 naming the path when it is corrupt or newer, or has an unknown key.
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
