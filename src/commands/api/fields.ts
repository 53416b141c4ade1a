import type { Detail } from '../../cli/errors.ts';
import type { Input } from '../../cli/ports.ts';
import { isTooDeep, readJson, tooDeep } from '../../fs/document.ts';
import { readText } from '../../fs/read.ts';
import { parsedJson } from '../../model/json-text.ts';
import { isRecord } from '../../model/records.ts';
import { quote, textProblem } from '../../model/text.ts';
import { inexactNumber } from '../../model/values.ts';

/** One field of the command line. */
export interface FieldFlag {
  /** The value of --field is typed, that of --raw-field is a string. */
  readonly flag: '--field' | '--raw-field';
  readonly text: string;
}

/** The object built from the fields, and the problems of invalid ones. */
export type ReadFields = Awaited<ReturnType<typeof readFields>>;

/** Whether the value is read from a file or stdin. */
export function readsFile({ flag, text }: FieldFlag): boolean {
  return flag === '--field' && valueIn(text).startsWith('@');
}

export function readsStdin({ flag, text }: FieldFlag): boolean {
  return flag === '--field' && valueIn(text) === '@-';
}

/**
 * Reads fields in the order of the command line.
 *
 * @throws {CliError} exit 2 when a file cannot be read.
 */
export async function readFields(given: readonly FieldFlag[], stdin: Input) {
  const root: Branch = new Map();
  const details: Detail[] = [];
  for (const field of given) {
    const read = await readField(field, stdin);
    const problem = typeof read === 'string' ? read : put(root, read.path, read.value);
    if (problem !== undefined) details.push({ field: field.flag, reason: problem });
  }
  return { object: objectOf(root), details };
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

/** A field: `a[b][]` has the path `['a', 'b', '']`, in which an empty part is the next entry of a list. */
interface Field {
  readonly path: Path;
  readonly value: unknown;
}

type Path = readonly [string, ...string[]];
type Value = { readonly value: unknown };

/** The field, or what is wrong with it. */
async function readField({ flag, text }: FieldFlag, stdin: Input): Promise<Field | string> {
  const equals = text.indexOf('=');
  if (equals === -1 && !text.endsWith('[]')) return `${quote(text)} is not name=value`;
  // Without a value, `a[]` is an empty list.
  const path = parseName(text.slice(0, equals === -1 ? -2 : equals));
  if (typeof path === 'string') return path;
  if (equals === -1) return { path, value: [] };
  const typed = valueIn(text);
  const read = flag === '--field' ? await readTyped(typed, stdin) : { value: typed };
  return typeof read === 'string' ? read : { path, value: read.value };
}

function valueIn(text: string): string {
  return text.slice(text.indexOf('=') + 1);
}

const DEEPEST_NAME = 20;

/** The parts of a name, or what is wrong with it. */
function parseName(name: string): Path | string {
  const [, first, rest = ''] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/s.exec(name) ?? [];
  if (first === undefined) return `${quote(name)} is not a name such as a, a[b] or a[]`;
  const parts = rest === '' ? [] : rest.slice(1, -1).split('][');
  if (parts.length > DEEPEST_NAME) return `${quote(name)} is nested deeper than ${DEEPEST_NAME}`;
  const problem = [first, ...parts.filter((part) => part !== '')]
    .map((part) => textProblem(part))
    .find((each) => each !== undefined);
  if (problem !== undefined) return `${quote(name)} is not a name: a part of it ${problem}`;
  if (rest.includes('[][]')) return `${quote(name)} is a list in a list; write it as JSON: -F 'a=[[1]]'`;
  return [first, ...parts];
}

/** An object or a list that fields make, or a value that was given whole and must not be extended. */
type Node = Branch | Node[] | Value;
type Branch = Map<string, Node>;

/** Adds a value at a path. @returns the problem, if there is one. */
function put(branch: Branch, [name, next, ...rest]: Path, value: unknown): string | undefined {
  const before = branch.get(name);
  if (next === undefined) {
    if (before !== undefined)
      return `${quote(name)} is given twice; write ${name}[]= for the entries of a list`;
    branch.set(name, { value });
    return undefined;
  }
  const inner = before ?? (next === '' ? [] : new Map<string, Node>());
  if (next === '' && Array.isArray(inner)) {
    branch.set(name, inner);
    return append(inner, rest, value);
  }
  if (next !== '' && inner instanceof Map) {
    branch.set(name, inner);
    return put(inner, [next, ...rest], value);
  }
  return `${quote(name)} is ${next === '' ? 'a list' : 'an object'} here and something else before`;
}

/** `a[][b]` fills one object until a field repeats, which begins the next object. */
function append(list: Node[], [part, ...rest]: readonly string[], value: unknown): string | undefined {
  if (part === undefined) {
    list.push({ value });
    return undefined;
  }
  const last = list.at(-1);
  if (last instanceof Map && put(last, [part, ...rest], value) === undefined) return undefined;
  const entry: Branch = new Map();
  list.push(entry);
  return put(entry, [part, ...rest], value);
}

/** The object that fields made, without a prototype, so that `__proto__` is an ordinary member. */
function objectOf(branch: Branch): Readonly<Record<string, unknown>> {
  const object: Record<string, unknown> = Object.create(null);
  for (const [name, node] of branch) object[name] = valueOfNode(node);
  return object;
}

function valueOfNode(node: Node): unknown {
  if (Array.isArray(node)) return node.map(valueOfNode);
  return node instanceof Map ? objectOf(node) : node.value;
}

const LARGEST_TEXT = 1_048_576;

/** A whole JSON text that is no string, object or array. */
const literal = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/**
 * The value of a --field, or what is wrong with it: `true`, `false`, `null`, a number, a JSON object or array, `@file`,
 * otherwise a string.
 *
 * @throws {CliError} exit 2 when the file cannot be read, or an object names a member twice.
 */
async function readTyped(text: string, stdin: Input): Promise<Value | string> {
  if (text.startsWith('@')) {
    const { text: value } = await readText(text.slice(1), stdin, LARGEST_TEXT);
    return { value };
  }
  if (!literal.test(text) && !/^\s*[{[]/.test(text)) return { value: text };
  const value = parsedJson(text);
  if (value === undefined) return `${quote(text)} begins like JSON but is not valid; use -f for a string`;
  const number = inexactNumber(text);
  if (number !== undefined) return `${quote(number)} cannot be sent exactly as a number; use -f for a string`;
  if (isTooDeep(value)) return `${quote(text)} ${tooDeep}`;
  return { value: await readJson(text, '--field') };
}
