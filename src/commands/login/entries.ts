import { parseGiven } from '../../config/resolve.ts';
import {
  isSecret,
  type Setting,
  type SettingKey,
  settings,
  settingTable,
  type ValueOf,
} from '../../config/settings.ts';
import { parseProfileName, SANDBOX } from '../../config/urls.ts';
import { readText } from '../../fs/read.ts';
import { type Detail, detailsFor, invalidInput, usageError } from '../../model/errors.ts';
import { camelCase } from '../../model/fields.ts';
import { parsedJson } from '../../model/json-text.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import type { LocalSession } from '../../session/session.ts';

/** The values given for a profile, unchecked, each with its source: a flag, a variable, or a field of a file. */
export type Entries = ReadonlyMap<SettingKey, { readonly given: unknown; readonly field: string }>;

/** The entries of one source, for a Map. */
type EntryList = readonly (readonly [SettingKey, { readonly given: unknown; readonly field: string }])[];

/** The valid values of a profile. */
export type Values = { readonly [Key in SettingKey]?: ValueOf<Key> };

/** Stored credentials are never sent unencrypted to another machine. */
const rules = { insecureHttp: false };

/** The maximum size of a secret or a profile in a file. */
const MAX_BYTES = 65_536;

const allKeys = settings.map(({ key }) => key);
const isKept = (field: string) => settings.some(({ key, place }) => key === field && place !== 'none');

/** The entries of one source: those of these settings that it has. */
export function entriesOf(
  keys: readonly SettingKey[],
  given: (key: SettingKey) => unknown,
  field: (key: SettingKey) => string,
): EntryList {
  return keys
    .map((key) => [key, { given: given(key), field: field(key) }] as const)
    .filter(([, entry]) => entry.given !== undefined);
}

/** The settings given by flags, each named after its setting: `clientId`. */
export function flagEntries(
  flags: object,
  { globals: { caFile, insecureHttp } }: Pick<LocalSession, 'globals'>,
): EntryList {
  const given: Readonly<Record<string, unknown>> = { ...flags, caFile, insecureHttp };
  return entriesOf(allKeys, (key) => given[camelCase(key)], flagFor);
}

/** The secret in a file, if one is given. */
export async function secretEntry(
  key: 'token' | 'client_secret',
  path: string | undefined,
  { context }: LocalSession,
  field = flagFor(key),
): Promise<EntryList> {
  if (path === undefined) return [];
  const { text } = await readText(path, context.stdin, MAX_BYTES);
  return [[key, { given: text, field }]];
}

/**
 * The settings in a JSON file: `{ profile: {...}, token?, client_secret? }`, as `sandbox serve --json` prints it, or only the
 * profile. Unknown keys beside `profile` are ignored; inside it they are errors.
 *
 * @param path `-` is stdin.
 * @throws {CliError} exit 2; does not quote the content, which may be secret.
 */
export async function fileEntries(path: string | undefined, { context }: LocalSession): Promise<EntryList> {
  if (path === undefined) return [];
  const { name, text } = await readText(path, context.stdin, MAX_BYTES);
  // The parser's message would quote the text.
  const document = parsedJson(text);
  if (!isRecord(document)) throw usageError(`${name} is not a JSON object.`);
  const { defaults, ...top } = isRecord(document['profile']) ? document['profile'] : document;
  const given: ServiceRecord = {
    ...Object.fromEntries(settings.filter(isSecret).map(({ key }) => [key, document[key]])),
    ...top,
    ...(isRecord(defaults) ? defaults : { defaults }),
  };
  const unknown = Object.keys(given).filter((field) => given[field] !== undefined && !isKept(field));
  if (unknown.length > 0)
    throw invalidInput(
      unknown.map((field) => ({ field: `${name}: ${field}`, reason: 'is not a setting of a profile' })),
    );
  return entriesOf(
    allKeys,
    (key) => given[key],
    (key) => `${name}: ${key}`,
  );
}

/** The flag of a setting. */
export function flagFor(key: SettingKey): string {
  return `--${key.replaceAll('_', '-')}${isSecret(settingTable[key]) ? '-file' : ''}`;
}

/** What `login` and `profiles add` collected for a profile. */
interface Collected {
  readonly name: string;
  readonly entries: Entries;
  /** The settings that must have a value. */
  readonly needed: readonly SettingKey[];
  /** Problems beside those of the values. */
  readonly problems: readonly Detail[];
  readonly missingDetail: (key: SettingKey) => Detail;
}

/**
 * Checks the name and the values of a profile, and masks its secrets.
 *
 * @param help the command line in the hint.
 * @returns the settings to prompt for.
 * @throws {CliError} exit 2 with all problems and, if prompting is not possible, all missing values.
 */
export function missingIn(
  { name, entries, needed, problems, missingDetail }: Collected,
  session: LocalSession,
  help: string,
): readonly SettingKey[] {
  for (const [key, { given }] of entries)
    if (isSecret(settingTable[key]) && typeof given !== 'object')
      session.context.redactor.add(String(given).trim());
  const missing = needed.filter((key) => !entries.has(key));
  const nameProblem =
    name === SANDBOX ? 'the profile sandbox is built in; choose another name' : parseProfileName(name).reason;
  const details = [
    ...detailsFor('name', nameProblem),
    ...[...entries].flatMap(([key, { given, field }]) =>
      detailsFor(field, parseGiven<unknown>(settingTable[key], given, rules).reason),
    ),
    ...problems,
    ...(session.mayAsk() ? [] : missing.map(missingDetail)),
  ];
  if (details.length > 0) throw invalidInput(details, help);
  return missing;
}

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
  const question = setting.summary.replace(/^./, (letter) => letter.toUpperCase());
  const check = (answer: string) => parseGiven(setting, answer, rules).reason;
  if (!isSecret(setting)) return context.prompter.text(question, { check });
  const secret = await context.prompter.secret(question, { check });
  context.redactor.add(secret);
  return secret;
}

/** The valid ones of the given values. */
export function valuesOf(entries: Entries): Values {
  const values = [...entries].flatMap(([key, { given }]) => {
    const setting: Setting = settingTable[key];
    const parsed = parseGiven(setting, given, rules);
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
