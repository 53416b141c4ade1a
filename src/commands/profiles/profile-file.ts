import { guess } from '../../checks/nearest.ts';
import { type Setting, type SettingKey, settings } from '../../config/settings.ts';
import type { Source } from '../../context.ts';
import { invalidInput, usageError } from '../../errors.ts';
import { decodeFile } from '../../files/decode.ts';
import { readInput } from '../../files/read.ts';
import { repeatedName } from '../../json-text.ts';
import type { Entry } from './entries.ts';

type Fields = Readonly<Record<string, unknown>>;

const LARGEST = 65_536;

/**
 * The settings in a JSON file: `{ profile: {...}, token?, client_secret? }`, as `sandbox serve --json` prints it, or
 * the profile alone. Beside `profile` other keys are for other readers; inside it they are mistakes.
 *
 * @param path `-` is stdin.
 * @throws {CliError} exit 2; nothing of the content is quoted, for it may hold secrets.
 */
export async function readProfileFile(
  path: string,
  { stdin, signal }: { readonly stdin: Source; readonly signal: AbortSignal },
): Promise<readonly (readonly [SettingKey, Entry])[]> {
  const name = path === '-' ? 'stdin' : path;
  const document = parseObject(decodeFile(await readInput(path, stdin, LARGEST, signal), name), name);
  const { profile } = document;
  const { defaults = {}, ...top } = isFields(profile) ? profile : document;
  if (!isFields(defaults)) throw invalidInput([{ field: `${name}: defaults`, reason: 'must be an object' }]);
  const around = isFields(profile)
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
  if (!isFields(value)) throw usageError(`${name} is not a JSON object.`);
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
    // The parser's own words quote the text.
    throw usageError(text.trim() === '' ? `${name} is empty.` : `${name} is not valid JSON.`);
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
