import type { Source } from '../context.ts';
import { usageError } from '../errors.ts';
import { decodeFile } from './decode.ts';
import { readInput } from './read.ts';

/** One record of a file, and the name under which messages speak of the file. */
export interface Document {
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const LARGEST = 1_048_576;

/**
 * Reads a file with one record: YAML 1.2 or JSON, by its ending; from stdin by its first character.
 * In YAML a plain scalar is its source text, except under `extra`.
 *
 * @param path `-` is stdin.
 * @param signal ends the reading with its reason.
 * @throws {CliError} exit 2 when it cannot be read, is not valid, or holds several records.
 */
export async function readDocument(path: string, stdin: Source, signal?: AbortSignal): Promise<Document> {
  const name = path === '-' ? 'stdin' : path;
  const text = decodeFile(await readInput(path, stdin, LARGEST, signal), name);
  if (text.trim() === '') throw usageError(`${name} is empty.`);
  const isJson = path === '-' ? /^\s*[{[]/.test(text) : /\.json$/i.test(path);
  const { parseYaml, refuseRepeatedKeys } = await import('./yaml.ts');
  const value = isJson ? parseJson(text, name) : parseYaml(text, name);
  if (Array.isArray(value)) throw usageError(`${name} holds a list; one record is wanted.`);
  if (typeof value !== 'object' || value === null)
    throw usageError(`${name} is not a record of fields and values.`);
  if (isJson) refuseRepeatedKeys(text, name);
  // A non-null object that is no array, out of a JSON or YAML parser, maps names to values.
  return { name, fields: value as Record<string, unknown> };
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw usageError(`${name} is not valid JSON: ${cause instanceof Error ? cause.message : String(cause)}.`);
  }
}
