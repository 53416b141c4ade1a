import { inexactNumber } from '../../checks/number.ts';
import { quote } from '../../checks/text.ts';
import type { Context } from '../../context.ts';
import { decodeFile } from '../../files/decode.ts';
import { readJson } from '../../files/document.ts';
import { readInput } from '../../files/read.ts';
import { isNestedDeeper } from '../../json-text.ts';

const LARGEST_TEXT = 1_048_576;

const DEEPEST = 50;

const words = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** A value that was read, or what is wrong with it. */
export type ReadValue = { readonly value: unknown } | { readonly problem: string };

/**
 * Reads the value of a --field: `true`, `false`, `null`, a number, a JSON object or array, `@file`; otherwise a text.
 *
 * @throws {CliError} exit 2 when the file cannot be read, or an object names a member twice.
 */
export async function readTyped(
  text: string,
  { stdin, signal }: Pick<Context, 'stdin' | 'signal'>,
): Promise<ReadValue> {
  if (text.startsWith('@')) {
    const path = text.slice(1);
    const bytes = await readInput(path, stdin, LARGEST_TEXT, signal);
    return { value: decodeFile(bytes, path === '-' ? 'stdin' : path) };
  }
  if (words.has(text)) return { value: words.get(text) };
  const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text);
  if (isNumber) return inexactNumber(text) === undefined ? { value: Number(text) } : inexact(text);
  return /^\s*[{[]/.test(text) ? readStructure(text) : { value: text };
}

async function readStructure(text: string): Promise<ReadValue> {
  try {
    JSON.parse(text);
  } catch {
    return { problem: `${quote(text)} begins like JSON and is none; write -f for a text` };
  }
  const number = inexactNumber(text);
  if (number !== undefined) return inexact(number);
  if (isNestedDeeper(text, DEEPEST)) return { problem: `${quote(text)} is nested deeper than ${DEEPEST}` };
  return { value: await readJson(text, '--field') };
}

function inexact(number: string): ReadValue {
  return { problem: `${quote(number)} cannot be sent exactly as a number; write -f for a text` };
}
