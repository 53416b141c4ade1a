import type { Detail } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { decodeFile } from '../../fs/decode.ts';
import { readJson } from '../../fs/document.ts';
import { readInput } from '../../fs/read.ts';
import { isNestedDeeper } from '../../model/json-text.ts';
import { isRecord } from '../../model/records.ts';
import { quote, textProblem } from '../../model/text.ts';
import { inexactNumber } from '../../model/values.ts';

/** One field as it was typed. */
export interface FieldFlag {
  /** --field reads its value, --raw-field takes it as a text. */
  readonly flag: '--field' | '--raw-field';
  readonly text: string;
}

/** What fields make together, and all that is wrong with them. */
export interface ReadFields {
  readonly object: Readonly<Record<string, unknown>>;
  readonly details: readonly Detail[];
}

/** Whether the value of a field is read from a file, stdin included. */
export function readsFile({ flag, text }: FieldFlag): boolean {
  return flag === '--field' && valueIn(text).startsWith('@');
}

/** Whether the value of a field is read from stdin. */
export function readsStdin({ flag, text }: FieldFlag): boolean {
  return flag === '--field' && valueIn(text) === '@-';
}

/**
 * Reads fields in the order in which they were typed.
 *
 * @throws {CliError} exit 2 when a file cannot be read.
 */
export async function readFields(
  given: readonly FieldFlag[],
  context: Pick<Context, 'stdin' | 'signal'>,
): Promise<ReadFields> {
  const details: Detail[] = [];
  const fields: NamedField[] = [];
  for (const { flag, text } of given) {
    const field = await readField({ flag, text }, context);
    if (typeof field === 'string') details.push({ field: flag, reason: field });
    else fields.push(field);
  }
  const planted = plantFields(fields);
  return { object: planted.object, details: [...details, ...planted.details] };
}

/** The field, or what is wrong with it. */
async function readField(
  { flag, text }: FieldFlag,
  context: Pick<Context, 'stdin' | 'signal'>,
): Promise<NamedField | string> {
  const equals = text.indexOf('=');
  if (equals === -1) return emptyList({ flag, text });
  const parts = parseName(text.slice(0, equals));
  if (typeof parts === 'string') return parts;
  const typed = valueIn(text);
  const read: ReadValue = flag === '--field' ? await readTyped(typed, context) : { value: typed };
  return 'problem' in read ? read.problem : { flag, parts, value: read.value };
}

function valueIn(text: string): string {
  return text.slice(text.indexOf('=') + 1);
}

/** A name alone is a list without entries: `a[]`. */
function emptyList({ flag, text }: FieldFlag): NamedField | string {
  const parts = text.endsWith('[]') ? parseName(text.slice(0, -2)) : undefined;
  if (parts === undefined) return `${quote(text)} is not name=value`;
  return typeof parts === 'string' ? parts : { flag, parts, value: [] };
}

/** Fields as query parameters: a list repeats its name, a member of an object is `name[member]`. */
export function queryOf({ object, details }: ReadFields): {
  readonly query: string;
  readonly details: readonly Detail[];
} {
  const pairs: [string, string][] = [];
  const problems: Detail[] = [];
  const add = (name: string, value: unknown, isEntry: boolean) => {
    if (Array.isArray(value) && !isEntry) for (const entry of value) add(name, entry, true);
    else if (isRecord(value) && !isEntry)
      for (const [member, inner] of Object.entries(value)) add(`${name}[${member}]`, inner, false);
    else if (value === null || typeof value === 'object')
      problems.push({ field: '--field', reason: `${quote(name)} has a value that no query can hold` });
    else pairs.push([name, String(value)]);
  };
  for (const [name, value] of Object.entries(object)) add(name, value, false);
  return { query: String(new URLSearchParams(pairs)), details: [...details, ...problems] };
}

/** Deeper names are refused. */
const DEEPEST_NAME = 20;

/** One field with its name taken apart: `a[b][]` is `['a', 'b', '']`; an empty part is the next entry of a list. */
interface NamedField {
  /** The flag that gave it, for complaints. */
  readonly flag: string;
  readonly parts: readonly [string, ...string[]];
  readonly value: unknown;
}

type Value = { readonly value: unknown };
type Branch = Map<string, Node>;
type Node = Value | Branch | Node[];

/** The parts of a name, or what is wrong with it. */
function parseName(name: string): NamedField['parts'] | string {
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

/**
 * The object that fields make together, and what is wrong with each that finds no place in it.
 * An object in a list (`a[][b]`) takes fields until one comes that it has: this begins the next.
 */
function plantFields(fields: readonly NamedField[]): {
  readonly object: Readonly<Record<string, unknown>>;
  readonly details: readonly Detail[];
} {
  const root: Branch = new Map();
  const details = fields.flatMap(({ flag, parts, value }) => {
    const problem = plant(root, parts, value);
    return problem === undefined ? [] : [{ field: flag, reason: problem }];
  });
  return { object: objectOf(root), details };
}

function plant(
  branch: Branch,
  [name, next, ...rest]: readonly [string, ...string[]],
  value: unknown,
): string | undefined {
  const there = branch.get(name);
  if (next === undefined) {
    if (there !== undefined)
      return `${quote(name)} is given twice; write ${name}[]= for the entries of a list`;
    branch.set(name, { value });
    return undefined;
  }
  if (next === '') return plantEntry(branch, name, rest, value);
  const inner = there ?? new Map<string, Node>();
  if (!(inner instanceof Map)) return `${quote(name)} is an object here and something else before`;
  branch.set(name, inner);
  return plant(inner, [next, ...rest], value);
}

function plantEntry(
  branch: Branch,
  name: string,
  [part, ...rest]: readonly string[],
  value: unknown,
): string | undefined {
  const list = branch.get(name) ?? [];
  if (!Array.isArray(list)) return `${quote(name)} is a list here and something else before`;
  branch.set(name, list);
  if (part === undefined) {
    list.push({ value });
    return undefined;
  }
  const last = list.at(-1);
  if (last instanceof Map && plant(last, [part, ...rest], value) === undefined) return undefined;
  const entry: Branch = new Map();
  list.push(entry);
  return plant(entry, [part, ...rest], value);
}

/** `fromEntries` makes own members of all names, `__proto__` too. */
function objectOf(branch: Branch): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...branch].map(([name, node]) => [name, plainValue(node)]));
}

function plainValue(node: Node): unknown {
  if (Array.isArray(node)) return node.map(plainValue);
  return node instanceof Map ? objectOf(node) : node.value;
}

const LARGEST_TEXT = 1_048_576;

const DEEPEST = 50;

const words = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** A value that was read, or what is wrong with it. */
type ReadValue = { readonly value: unknown } | { readonly problem: string };

/**
 * Reads the value of a --field: `true`, `false`, `null`, a number, a JSON object or array, `@file`; otherwise a text.
 *
 * @throws {CliError} exit 2 when the file cannot be read, or an object names a member twice.
 */
async function readTyped(
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
