import { quote, textProblem } from '../../checks/text.ts';
import type { Detail } from '../../errors.ts';

/** Deeper names are refused. */
const DEEPEST_NAME = 20;

/** One field with its name taken apart: `a[b][]` is `['a', 'b', '']`; an empty part is the next entry of a list. */
export interface NamedField {
  /** The flag that gave it, for complaints. */
  readonly flag: string;
  readonly parts: readonly [string, ...string[]];
  readonly value: unknown;
}

type Value = { readonly value: unknown };
type Branch = Map<string, Node>;
type Node = Value | Branch | Node[];

/** The parts of a name, or what is wrong with it. */
export function parseName(name: string): NamedField['parts'] | string {
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
export function plantFields(fields: readonly NamedField[]): {
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
