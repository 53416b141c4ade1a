import { readJson } from '../../fs/document.ts';
import { FileProblem, readText } from '../../fs/read.ts';
import type { Detail } from '../../model/errors.ts';
import type { Input } from '../../model/ports.ts';
import { isRecord } from '../../model/records.ts';
import { quote, textProblem } from '../../model/text.ts';

/** One field of the command line. */
export interface FieldFlag {
  /** The value of --field is typed, that of --raw-field is a string. */
  readonly flag: '--field' | '--raw-field';
  readonly text: string;
}

/** The object built from the fields, and the problems of invalid ones. */
export type ReadFields = Awaited<ReturnType<typeof readFields>>;

export function readsStdin({ flag, text }: FieldFlag): boolean {
  return flag === '--field' && valueIn(text) === '@-';
}

/**
 * Reads fields in the order of the command line.
 */
export async function readFields(given: readonly FieldFlag[], stdin: Input) {
  const object = emptyObject();
  const details: Detail[] = [];
  for (const field of given) {
    const read = await readField(field, stdin).catch(mistakeIn);
    const problem = typeof read === 'string' ? read : put(object, read.path, read.value);
    if (problem !== undefined) details.push({ field: field.flag, reason: problem });
  }
  return { object, details };
}

function mistakeIn(cause: unknown): string {
  if (cause instanceof FileProblem) return cause.file === '--field' ? cause.reason : cause.message;
  throw cause;
}

/** Fields as query parameters: a list repeats its name, a member of an object is `name[member]`. */
export function queryOf({ object, details }: ReadFields) {
  const pairs: [string, string][] = [];
  const problems: Detail[] = [];
  const add = (name: string, value: unknown, isEntry: boolean) => {
    if (Array.isArray(value) && !isEntry) for (const entry of value) add(name, entry, true);
    else if (isRecord(value) && !isEntry)
      for (const [member, inner] of Object.entries(value)) add(`${name}[${member}]`, inner, false);
    else if (value === null || typeof value === 'object')
      problems.push({
        field: '--field',
        reason: `${quote(name)} has a value that cannot be sent in a query`,
      });
    else pairs.push([name, String(value)]);
  };
  for (const [name, value] of Object.entries(object)) add(name, value, false);
  return { query: String(new URLSearchParams(pairs)), details: [...details, ...problems] };
}

/** A field: `a[b][]` has the path `['a', 'b', '']`, in which an empty last part is the next entry of a list. */
interface Field {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The field, or what is wrong with it. */
async function readField({ flag, text }: FieldFlag, stdin: Input): Promise<Field | string> {
  const equals = text.indexOf('=');
  if (equals === -1 && !text.endsWith('[]')) return `${quote(text)} is not name=value`;
  // Without a value, `a[]` is an empty list.
  const path = parseName(text.slice(0, equals === -1 ? -2 : equals));
  if (typeof path === 'string') return path;
  if (equals === -1) return { path, value: [] };
  const typed = valueIn(text);
  return { path, value: flag === '--field' ? await readTyped(typed, stdin) : typed };
}

function valueIn(text: string): string {
  return text.slice(text.indexOf('=') + 1);
}

/** The parts of a name, at most 21, or what is wrong with it. */
function parseName(name: string): readonly string[] | string {
  const [, first, rest = ''] = /^([^[\]]+)((?:\[[^[\]]+\]){0,20}(?:\[\])?)$/s.exec(name) ?? [];
  if (first === undefined)
    return `${quote(name)} is not a name such as a, a[b] or a[]; write more as JSON: -F 'a=[{"b":1}]'`;
  const parts = [first, ...(rest === '' ? [] : rest.slice(1, -1).split(']['))];
  const problem = parts.map((part) => (part === '' ? undefined : textProblem(part))).find(Boolean);
  return problem === undefined ? parts : `${quote(name)} is not a name: a part of it ${problem}`;
}

/** An object that fields make has no prototype, so that `__proto__` is an ordinary member. */
function emptyObject(): Record<string, unknown> {
  return Object.create(null);
}

/** Adds a value at a path. @returns the problem, if there is one. */
function put(
  object: Record<string, unknown>,
  [name = '', next, ...rest]: readonly string[],
  value: unknown,
): string | undefined {
  const before = object[name];
  if (next === undefined && name in object)
    return `${quote(name)} is given twice; write ${name}[]= for the entries of a list`;
  if (next === undefined) {
    object[name] = value;
    return undefined;
  }
  const inner = before ?? (next === '' ? [] : emptyObject());
  object[name] = inner;
  if (next === '' && Array.isArray(inner)) {
    inner.push(value);
    return undefined;
  }
  // What was given whole as JSON is not extended.
  if (next !== '' && isRecord(inner) && Object.getPrototypeOf(inner) === null)
    return put(inner, [next, ...rest], value);
  return `${quote(name)} is ${next === '' ? 'a list' : 'an object'} here and something else before`;
}

/** A whole JSON text that is no string, object or array. */
const literal = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/**
 * The value of a --field: `true`, `false`, `null`, a number, a JSON object or array, `@file`,
 * otherwise a string.
 *
 * @throws {CliError} exit 2 when the file cannot be read, or what begins like JSON is wrong.
 */
async function readTyped(text: string, stdin: Input): Promise<unknown> {
  if (text.startsWith('@')) return (await readText(text.slice(1), stdin)).text;
  return literal.test(text) || /^\s*[{[]/.test(text) ? readJson(text, '--field') : text;
}
