import { forgetCredential, replaceCredential } from '../../auth/replace.ts';
import { invalidInput, usageError } from '../../cli/errors.ts';
import type { Source } from '../../cli/ports.ts';
import type { LocalSession } from '../../cli/session.ts';
import type { Facts, Secrets } from '../../config/credentials.ts';
import {
  type ConfigDocument,
  type StoredProfile,
  storedProfile,
  storedValue,
  updateConfig,
  withProfile,
} from '../../config/file.ts';
import { profileNames } from '../../config/resolve.ts';
import { type Setting, type SettingKey, settings, settingTable } from '../../config/settings.ts';
import { SANDBOX } from '../../config/values.ts';
import { decodeFile } from '../../fs/decode.ts';
import { readInput } from '../../fs/read.ts';
import { repeatedName } from '../../model/json-text.ts';
import { guess } from '../../model/names.ts';
import { isRecord } from '../../model/records.ts';
import { type Entry, guardsOf, withGuards } from './draft.ts';

/** A profile to store. */
export interface Storing {
  readonly name: string;
  readonly profile: StoredProfile;
  /** Keep settings of the existing profile that are not given here; otherwise only its guards. */
  readonly completes?: boolean;
  /** Without it, the profile has no credential. */
  readonly credential?: StoredCredential | undefined;
}

/** A credential to store. */
export interface StoredCredential {
  readonly facts: Facts;
  readonly secrets: Secrets;
}

/**
 * Stores a profile with its credential, or removes the previous credential. Writes the credential first: if the process
 * is killed in between, a credential remains bound to its own origins.
 *
 * @returns whether the profile is active.
 */
export async function storeProfile(
  storing: Storing,
  { folders, context, out }: LocalSession,
): Promise<boolean> {
  const { name } = storing;
  let active = false;
  const change = (document: ConfigDocument): ConfigDocument => {
    const active_profile = activeAfter(document, name);
    active = active_profile === name;
    return { ...withStored(document, storing), active_profile };
  };
  const owner = { folder: folders.config, profile: name, context };
  const keep = () => updateConfig(folders.config, change, context.signal);
  const left =
    storing.credential === undefined
      ? await forgetCredential(owner, keep)
      : await replaceCredential(owner, storing.credential, keep);
  if (left !== undefined)
    await out.warn(`The secret that profile ${name} had in the keyring is still there: the keyring ${left}.`);
  return active;
}

/** The document with the profile and its guards. */
export function withStored(document: ConfigDocument, storing: Storing): ConfigDocument {
  const { name } = storing;
  const profile = completing(storedProfile(document, name), storing);
  return withProfile(document, name, withGuards(profile, guardsOf(document, name)));
}

/** Whether a profile has a service; it may have only guards and defaults. */
export function hasService(profile: StoredProfile): boolean {
  const { identity_url, base_url } = settingTable;
  return [identity_url, base_url].some((setting) => storedValue(profile, setting) !== undefined);
}

function activeAfter({ active_profile, profiles }: ConfigDocument, name: string): string | undefined {
  const others = profileNames({ version: 1, profiles }).filter((each) => each !== SANDBOX);
  return active_profile === undefined && others.length === 0 ? name : active_profile;
}

/** A profile without a service keeps its settings; a service is replaced as a whole. */
function completing(
  before: StoredProfile | undefined,
  { profile, completes = false }: Storing,
): StoredProfile {
  if (before === undefined || (hasService(before) && !completes)) return profile;
  const defaults = { ...before.defaults, ...profile.defaults };
  return { ...before, ...profile, ...(Object.keys(defaults).length === 0 ? {} : { defaults }) };
}

type Fields = Readonly<Record<string, unknown>>;

const LARGEST = 65_536;

/**
 * Reads the settings in a JSON file: `{ profile: {...}, token?, client_secret? }`, as `sandbox serve --json` prints it,
 * or only the profile. Unknown keys beside `profile` are ignored; inside it they are errors.
 *
 * @param path `-` is stdin.
 * @throws {CliError} exit 2; does not quote the content, which may be secret.
 */
export async function readProfileFile(
  path: string,
  { stdin, signal }: { readonly stdin: Source; readonly signal: AbortSignal },
): Promise<readonly (readonly [SettingKey, Entry])[]> {
  const name = path === '-' ? 'stdin' : path;
  const document = parseObject(decodeFile(await readInput(path, stdin, LARGEST, signal), name), name);
  const { profile } = document;
  const { defaults = {}, ...top } = isRecord(profile) ? profile : document;
  if (!isRecord(defaults)) throw invalidInput([{ field: `${name}: defaults`, reason: 'must be an object' }]);
  const around = isRecord(profile)
    ? settings.filter(({ key, place }) => place === 'credentials' && key in document)
    : [];
  return [
    ...around.map(({ key }) => [key, { given: document[key], field: `${name}: ${key}` }] as const),
    ...entriesOf(top, name, ({ place }) => place === 'top' || place === 'credentials'),
    ...entriesOf(defaults, `${name}: defaults`, ({ place }) => place === 'defaults'),
  ];
}

function entriesOf(fields: Fields, name: string, belongs: (setting: Setting) => boolean) {
  const known = settings.filter(belongs);
  const strays = Object.keys(fields).filter((field) => known.every(({ key }) => key !== field));
  if (strays.length > 0) throw invalidInput(strays.map((field) => stray(field, name, known)));
  return known
    .filter(({ key }) => Object.hasOwn(fields, key))
    .map(({ key }) => [key, { given: fields[key], field: `${name}: ${key}` }] as const);
}

function stray(field: string, name: string, known: readonly Setting[]) {
  const keys = known.map(({ key }) => key);
  return { field: `${name}: ${field}`, reason: `is not a setting of a profile${guess(field, keys)}` };
}

function parseObject(text: string, name: string): Fields {
  const value = parseJson(text, name);
  if (!isRecord(value)) throw usageError(`${name} is not a JSON object.`);
  return value;
}

function parseJson(text: string, name: string): unknown {
  const value = parseQuietly(text, name);
  if (repeatedName(text) !== undefined) throw usageError(`${name} names a setting twice.`);
  return value;
}

function parseQuietly(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text.
    throw usageError(text.trim() === '' ? `${name} is empty.` : `${name} is not valid JSON.`);
  }
}
