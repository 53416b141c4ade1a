import { invalidInput, usageError } from '../../cli/errors.ts';
import type { Input } from '../../cli/ports.ts';
import { isSecret, type Setting, settings } from '../../config/settings.ts';
import { readText } from '../../fs/read.ts';
import { parsedJson, repeatedName } from '../../model/json-text.ts';
import { guess } from '../../model/names.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import type { EntryList } from './entries.ts';

const MAX_BYTES = 65_536;

/**
 * Reads the settings in a JSON file: `{ profile: {...}, token?, client_secret? }`, as `sandbox serve --json` prints it,
 * or only the profile. Unknown keys beside `profile` are ignored; inside it they are errors.
 *
 * @param path `-` is stdin.
 * @throws {CliError} exit 2; does not quote the content, which may be secret.
 */
export async function readProfileFile(path: string, stdin: Input): Promise<EntryList> {
  const { name, text } = await readText(path, stdin, MAX_BYTES);
  const document = parseObject(text, name);
  const { profile } = document;
  const { defaults = {}, ...top } = isRecord(profile) ? profile : document;
  if (!isRecord(defaults)) throw invalidInput([{ field: `${name}: defaults`, reason: 'must be an object' }]);
  refuseUnknown(top, name, inTop);
  refuseUnknown(defaults, `${name}: defaults`, inDefaults);
  return [
    ...(isRecord(profile) ? entriesOf(document, name, secrets) : []),
    ...entriesOf(top, name, inTop),
    ...entriesOf(defaults, `${name}: defaults`, inDefaults),
  ];
}

const secrets = settings.filter(isSecret);
const inTop = settings.filter((setting) => setting.place === 'top' || isSecret(setting));
const inDefaults = settings.filter(({ place }) => place === 'defaults');

function refuseUnknown(fields: ServiceRecord, name: string, known: readonly Setting[]): void {
  const keys = known.map(({ key }) => key);
  const unknown = Object.keys(fields).filter((field) => keys.every((key) => key !== field));
  if (unknown.length === 0) return;
  throw invalidInput(
    unknown.map((field) => ({
      field: `${name}: ${field}`,
      reason: `is not a setting of a profile${guess(field, keys)}`,
    })),
  );
}

function entriesOf(fields: ServiceRecord, name: string, known: readonly Setting[]): EntryList {
  return known
    .filter(({ key }) => Object.hasOwn(fields, key))
    .map(({ key }) => [key, { given: fields[key], field: `${name}: ${key}` }] as const);
}

/** The parser's message is not passed on: it quotes the text. */
function parseObject(text: string, name: string): ServiceRecord {
  const value = parsedJson(text);
  if (value === undefined)
    throw usageError(text.trim() === '' ? `${name} is empty.` : `${name} is not valid JSON.`);
  if (repeatedName(text) !== undefined) throw usageError(`${name} names a setting twice.`);
  if (!isRecord(value)) throw usageError(`${name} is not a JSON object.`);
  return value;
}
