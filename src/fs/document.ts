import type { ParseError } from 'jsonc-parser';
import { messageOf } from '../model/errors.ts';
import { jsonTokens } from '../model/json-text.ts';
import type { Input } from '../model/ports.ts';
import { quote } from '../model/text.ts';
import { inexactNumber } from '../model/values.ts';
import { FileProblem, inexact, isTooDeep, type Mistake, readText, tooDeep } from './read.ts';

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
  stdin: Input,
): Promise<{ readonly name: string; readonly value: unknown; readonly texts: unknown }> {
  const { name, text } = await readText(path, stdin);
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
 * @throws {CliError} exit 2 when it is not JSON, is nested deeply, names a field twice, or has a number that cannot be sent exactly.
 */
export async function readJson(text: string, name: string): Promise<unknown> {
  const value = await parseJson(text, name);
  const [mistake] = jsonMistakes(text);
  if (mistake === undefined) return value;
  throw new FileProblem(name, mistake.reason, placeAt(text, mistake.offset));
}

/** @throws {FileProblem} with the first mistake, when a text is not JSON, or is nested deeply. */
export async function parseJson(text: string, name: string): Promise<unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (!isTooDeep(value)) return value;
  } catch (cause) {
    throw await brokenJson(text, name, cause);
  }
  throw new FileProblem(name, tooDeep);
}

/** Why JSON.parse refused a text: the first mistake and its place, without the piece of the text that the parser quotes. */
async function brokenJson(text: string, name: string, cause: unknown): Promise<FileProblem> {
  const { parse } = await import('jsonc-parser');
  const errors: ParseError[] = [];
  try {
    parse(text, errors, { disallowComments: true });
  } catch (error) {
    // Searching for the place is recursive.
    throw error instanceof RangeError ? new FileProblem(name, tooDeep) : error;
  }
  const [first] = errors;
  const reason = messageOf(cause)
    .replace(/(?: in JSON)? at position.*$/s, '')
    .replace(/, (?:\.{3})?"[\s\S]* is not valid JSON$/, '');
  const place = first === undefined ? {} : placeAt(text, first.offset);
  return new FileProblem(name, `is not valid JSON: ${reason}`, { ...place, cause });
}

/**
 * What JSON.parse accepts silently: names that an object has twice, and numbers that no double holds.
 *
 * @param json well-formed.
 */
export function* jsonMistakes(json: string): Generator<Mistake> {
  const open: Set<string>[] = [];
  for (const { kind, start, end } of jsonTokens(json)) {
    if (kind === 'open') open.push(new Set());
    if (kind === 'close') open.pop();
    if (kind !== 'name' && kind !== 'number') continue;
    const token = json.slice(start, end);
    if (kind === 'number') {
      if (!/^-?\d{1,15}$/.test(token) && inexactNumber(token) !== undefined)
        yield { offset: start, reason: `${inexact(token)}; write it as a text` };
      continue;
    }
    const name = token.includes('\\') ? String(JSON.parse(token)) : token.slice(1, -1);
    const names = open.at(-1);
    if (names?.has(name) === true) yield { offset: start, reason: `names ${quote(name)} twice` };
    names?.add(name);
  }
}

/** Line and column at an offset, both from 1. */
function placeAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

/**
 * The lines, from 1, on which the whole, its parts and their entries begin; their paths are the keys, as JSON.
 *
 * @param text well-formed, and not nested deeply: the walk is recursive.
 */
export async function linesIn(text: string): Promise<ReadonlyMap<string, number>> {
  const { visit } = await import('jsonc-parser');
  const lines = new Map<string, number>();
  let depth = 0;
  const note = (line: number, path: () => readonly unknown[]) => {
    const key = depth > 2 ? undefined : JSON.stringify(path());
    if (key !== undefined && !lines.has(key)) lines.set(key, line + 1);
  };
  const open = (_o: number, _l: number, line: number, _c: number, path: () => readonly unknown[]) => {
    note(line, path);
    depth += 1;
  };
  const close = () => {
    depth -= 1;
  };
  visit(text, {
    onObjectBegin: open,
    onObjectEnd: close,
    onArrayBegin: open,
    onArrayEnd: close,
    onObjectProperty: (name, _offset, _length, line) => {
      if (depth === 1) note(line, () => [name]);
    },
    onLiteralValue: (_value, _offset, _length, line, _character, path) => note(line, path),
  });
  return lines;
}
