import { type Detail, detailsFor, invalidInput } from '../../cli/errors.ts';
import type { GlobalOptions } from '../../cli/flags.ts';
import type { LocalSession } from '../../cli/session.ts';
import { parseGiven } from '../../config/resolve.ts';
import {
  isSecret,
  type Setting,
  type SettingKey,
  settings,
  settingTable,
  type ValueOf,
} from '../../config/settings.ts';
import { isInsecure, parseProfileName, SANDBOX, type UrlRules } from '../../config/urls.ts';
import { readText } from '../../fs/read.ts';
import { camelCase } from '../../model/fields.ts';

/** The given value of a setting, unchecked, and its source: a flag, a variable, or a field of a file. */
export interface Entry {
  readonly given: unknown;
  readonly field: string;
}

/** The values given for a profile. */
export type Entries = ReadonlyMap<SettingKey, Entry>;

/** Entries of one source, for a Map. */
export type EntryList = readonly (readonly [SettingKey, Entry])[];

/** The valid values of a profile. */
export type Values = { readonly [Key in SettingKey]?: ValueOf<Key> };

/** Allows http to other hosts here: `insecureProblem` reports it. */
export const anyHttp: UrlRules = { insecureHttp: true };

const MAX_SECRET_BYTES = 16_384;

/** The settings given by flags, each named after its setting: `--client-id`. */
export function flagEntries(flags: object, { caFile, insecureHttp }: GlobalOptions): EntryList {
  // Both are flags by attribute name: `clientId`.
  const given: Readonly<Record<string, unknown>> = { ...flags, caFile, insecureHttp };
  return settings.flatMap(({ key }) => {
    const value = given[camelCase(key)];
    return value === undefined ? [] : [[key, { given: value, field: flagFor(key) }] as const];
  });
}

/** The secret in a file, if one is given. */
export async function secretEntry(
  key: 'token' | 'client_secret',
  path: string | undefined,
  { context }: LocalSession,
  field = flagFor(key),
): Promise<EntryList> {
  if (path === undefined) return [];
  const { text } = await readText(path, context.stdin, MAX_SECRET_BYTES);
  return [[key, { given: text, field }]];
}

/** The flag of `profiles add` for a setting. */
export function flagFor(key: SettingKey): string {
  return `--${key.replaceAll('_', '-')}${isSecret(settingTable[key]) ? '-file' : ''}`;
}

/** What `login` and `profiles add` collected for a profile. */
export interface Collected {
  readonly name: string;
  readonly entries: Entries;
  /** The settings that must have a value. */
  readonly needed: readonly SettingKey[];
  /** Problems beside those of the values. */
  readonly problems: readonly Detail[];
  /** Describes a missing value. */
  readonly missingDetail?: (key: SettingKey) => Detail;
}

/**
 * Checks the name and the values of a profile, and masks its secrets.
 *
 * @param help the command line in the hint.
 * @returns the settings to prompt for.
 * @throws {CliError} exit 2 with all problems and, if prompting is not possible, all missing values.
 */
export function missingIn(
  { name, entries, needed, problems, missingDetail = isMissing }: Collected,
  session: LocalSession,
  help: string,
): readonly SettingKey[] {
  for (const [key, { given }] of entries)
    if (isSecret(settingTable[key]) && typeof given !== 'object')
      session.context.redactor.add(String(given).trim());
  const missing = needed.filter((key) => !entries.has(key));
  const details = [
    ...detailsFor('name', nameProblem(name)),
    ...[...entries].flatMap(([key, { given, field }]) =>
      detailsFor(field, problemOf(settingTable[key], given)),
    ),
    ...problems,
    ...(session.mayAsk() ? [] : missing.map(missingDetail)),
  ];
  if (details.length > 0) throw invalidInput(details, help);
  return missing;
}

function isMissing(key: SettingKey): Detail {
  return { field: flagFor(key), reason: 'is missing' };
}

function nameProblem(name: string): string | undefined {
  if (name === SANDBOX) return 'the profile sandbox is built in; choose another name';
  return parseProfileName(name).reason;
}

/** URL settings that receive stored secrets. */
const urlKeys: readonly SettingKey[] = ['identity_url', 'base_url', 'issuer', 'token_url'];

/** The problem with a value in a profile with a stored credential, or `undefined`. */
function problemOf(setting: Setting, given: unknown): string | undefined {
  const parsed = parseGiven(setting, given, anyHttp);
  if (parsed.reason !== undefined) return parsed.reason;
  return urlKeys.includes(setting.key) ? insecureProblem(String(parsed.value)) : undefined;
}

/** Stored credentials must not be sent unencrypted. */
export function insecureProblem(url: string): string | undefined {
  return isInsecure(url)
    ? `http to ${new URL(url).host} would send credentials unencrypted; use https: --insecure-http does not allow it for what is stored`
    : undefined;
}

const questions: Readonly<Partial<Record<SettingKey, string>>> = {
  identity_url: 'URL of the identity API',
  base_url: 'URL of the inventory API',
  client_id: 'Client id',
  client_secret: 'Client secret',
  token: 'Token',
};

/** Prompts for missing values in this order, and returns them with the given ones, which are valid. */
export async function askFor(
  missing: readonly SettingKey[],
  entries: Entries,
  session: LocalSession,
): Promise<Values> {
  const complete = new Map(entries);
  for (const key of missing)
    complete.set(key, { given: await ask(settingTable[key], session), field: flagFor(key) });
  return valuesOf(complete);
}

async function ask(setting: Setting, { context }: LocalSession): Promise<string> {
  const question = questions[setting.key] ?? setting.summary;
  const check = (answer: string) => problemOf(setting, answer);
  if (!isSecret(setting)) return context.prompter.text(question, { check });
  const secret = await context.prompter.secret(question, { check });
  context.redactor.add(secret);
  return secret;
}

/** The valid ones of the given values. */
export function valuesOf(entries: Entries): Values {
  const values = [...entries].flatMap(([key, { given }]) => {
    const setting: Setting = settingTable[key];
    const parsed = parseGiven(setting, given, anyHttp);
    return 'value' in parsed ? [[key, parsed.value]] : [];
  });
  // The parser of each setting returned its value.
  return Object.fromEntries(values) as Values;
}

/** The values of all settings stored in this place. */
export function valuesAt(place: Setting['place'], values: Values): Readonly<Record<string, unknown>> {
  const kept = settings.filter((setting) => setting.place === place && values[setting.key] !== undefined);
  return Object.fromEntries(kept.map(({ key }) => [key, values[key]]));
}
