import type { Source } from '../cli/ports.ts';
import { isNestedDeeper, repeatedName } from '../model/json-text.ts';
import { quote, shortened } from '../model/text.ts';
import { inexactNumber } from '../model/values.ts';
import { decodeFile } from './decode.ts';
import { FileProblem, readInput } from './read.ts';

const LARGEST = 1_048_576;

/** Levels of lists and objects that a JSON text may have. */
export const DEEPEST = 50;

/**
 * Reads a file with one value: YAML 1.2 or JSON, by its ending; from stdin by its first character.
 *
 * @param path `-` is stdin.
 * @returns the value in which a plain scalar of YAML is a number, true or false where it is written like one, and the
 * same value in which each of them is its source text.
 * @throws {CliError} exit 2 when it cannot be read or is not valid.
 */
export async function readValue(
  path: string,
  stdin: Source,
  signal?: AbortSignal,
): Promise<{ readonly name: string; readonly value: unknown; readonly texts: unknown }> {
  const name = path === '-' ? 'stdin' : path;
  const text = decodeFile(await readInput(path, stdin, LARGEST, signal), name);
  if (text.trim() === '') throw new FileProblem(name, 'is empty');
  if (path === '-' ? /^\s*[{[]/.test(text) : /\.json$/i.test(path)) {
    const value = await readJson(text, name);
    return { name, value, texts: value };
  }
  const { parseYaml } = await import('./yaml.ts');
  return { name, ...parseYaml(text, name) };
}

/**
 * The value of a JSON text that a person wrote.
 *
 * @param name the file or flag, for sentences.
 * @throws {CliError} exit 2 when it is not JSON, is nested deeply, names a field twice, or has a number that would be sent as another one.
 */
export async function readJson(text: string, name: string): Promise<unknown> {
  if (isNestedDeeper(text, DEEPEST)) throw new FileProblem(name, `is nested deeper than ${DEEPEST}`);
  const value = await parseJson(text, name);
  const repeated = repeatedName(text);
  if (repeated !== undefined) {
    const named = shortened(text.slice(repeated.start, repeated.end));
    throw new FileProblem(name, `names ${named} twice`, placeAt(text, repeated.start));
  }
  const number = inexactNumber(text);
  if (number === undefined) return value;
  throw new FileProblem(
    name,
    `has the number ${quote(number)}, which cannot be sent exactly; write it as a text`,
  );
}

async function parseJson(text: string, name: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { brokenJson } = await import('./json-mistake.ts');
    throw brokenJson(text, name, cause);
  }
}

/** Line and column at an offset, both from 1. */
export function placeAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
