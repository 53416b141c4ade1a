import * as v from 'valibot';
import { type Detail, invalidInput } from '../cli/errors.ts';
import { shapeProblem } from '../fs/document.ts';
import { FileProblem } from '../fs/read.ts';
import { type Path, readDocuments } from '../fs/yaml.ts';
import { guess } from '../model/names.ts';
import { isRecord } from '../model/records.ts';
import { quote } from '../model/text.ts';
import { type Policy, policySchema } from './policy-schema.ts';

/** What is against a policy, or what cannot be judged by it. */
export interface Finding {
  /** The rule, by its place in the policy: `admins.only`, `no_roles`. */
  readonly rule: string;
  /** The person, as facts name them; `null` where it is about the account as a whole. */
  readonly email: string | null;
  /** The id of the property, if it is about one. */
  readonly property: string | null;
  /** `unknown`: what the service shows does not tell. */
  readonly result: 'violated' | 'unknown';
  /** A sentence without the name of the person. */
  readonly message: string;
  /** The command line that mends it. */
  readonly mend: string;
  /** The line of the rule in the policy. */
  readonly line: number;
  /** The last day of an exception that ran out. */
  readonly ran_out?: string;
}

/** A policy, and where its parts are in the file. */
export interface ReadPolicy {
  readonly policy: Policy;
  /** The line of the value at a path, or of the closest one around it. */
  readonly lineOf: (path: Path) => number;
}

/** The fields that are numbers; other plain scalars of YAML are their source texts. */
const numbers = ['version', 'min', 'max', 'max_age_days'];

/**
 * Reads a policy: YAML 1.2, of which JSON is a part.
 *
 * @param name the file, for sentences.
 * @throws {CliError} exit 2 with all that is wrong, each with its line; only the version where it is another one.
 */
export function readPolicy(text: string, name: string): ReadPolicy {
  const [document, second] = readDocuments(text, name, numbers);
  if (document === undefined) throw new FileProblem(name, 'is empty');
  if (second !== undefined) throw new FileProblem(name, 'contains several documents; expected one policy');
  const { value, mistakes, lineOf } = document;
  const shape = shapeProblem(value);
  if (shape !== undefined) throw new FileProblem(name, shape);
  const { output, problems } = value === undefined ? { problems: [] } : judged(value);
  const placed = problems.map(([path, reason]) => ({ line: lineOf(path), path, reason }));
  const all = [...mistakes.map((mistake) => ({ ...mistake, path: [] })), ...placed];
  if (output !== undefined && all.length === 0) return { policy: output, lineOf };
  throw invalidInput(all.sort((one, other) => one.line - other.line).map((each) => detailOf(name, each)));
}

type Problem = readonly [path: Path, reason: string];
interface Mistake {
  readonly line: number;
  readonly path: Path;
  readonly reason: string;
}

function judged(value: unknown): { readonly output?: Policy; readonly problems: readonly Problem[] } {
  if (isRecord(value) && typeof value['version'] === 'number' && value['version'] !== 1)
    return { problems: [[['version'], `is ${value['version']}, and this innctl reads version 1`]] };
  const { success, output, issues = [] } = v.safeParse(policySchema(), value);
  const reserved = reservedNames(value).map((path) => [path, 'is not taken as a name'] as const);
  if (success) return { output, problems: [...reserved, ...strayExceptions(output)] };
  return { problems: [...reserved, ...issues.map((issue) => [pathOf(issue), reasonOf(issue)] as const)] };
}

function detailOf(name: string, { line, path, reason }: Mistake): Detail {
  const field = path.filter((step) => typeof step === 'string').join('.');
  const shown = /^[\p{L}\p{N}_.@$ -]{0,100}$/u.test(field) ? field : quote(field);
  return { field: [name, `line ${line}`, ...(field === '' ? [] : [shown])].join(': '), reason };
}

function pathOf({ path }: v.BaseIssue<unknown>): Path {
  return (path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)));
}

/** The message about an unknown name is the list of the known ones. */
function reasonOf({ received, expected, message, path }: v.BaseIssue<unknown>): string {
  if (expected === 'never') {
    const known = message.split(', ').filter((name) => !name.startsWith('$'));
    return `is not part of it${guess(String(path?.at(-1)?.key), known, `there is ${known.join(', ')}`)}`;
  }
  return received === 'undefined' ? 'is missing' : message;
}

/** Names that every object has: the library ignores them, and a rule would be lost. */
function reservedNames(value: unknown, path: Path = []): readonly Path[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => reservedNames(item, [...path, index]));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const here = [...path, name];
    return [...(['constructor', 'prototype'].includes(name) ? [here] : []), ...reservedNames(inner, here)];
  });
}

/** An exception from what is no rule of the policy would never be used. */
function strayExceptions(policy: Policy): readonly Problem[] {
  const rules = rulesOf(policy);
  return (policy.exceptions ?? []).flatMap(({ rule }, index): readonly Problem[] => {
    if (rules.some((each) => isWithin(each, rule))) return [];
    const meant = guess(rule, rules, `it has ${rules.join(', ')}`);
    return [[['exceptions', index, 'rule'], `${quote(rule)} is not a rule of this policy${meant}`]];
  });
}

/** The rules of a policy by their places; `separate` and `employees` are one each. */
function rulesOf({ version: _, exceptions: _others, ...groups }: Policy): readonly string[] {
  const pathsIn = (value: unknown, path: readonly string[]): readonly string[] =>
    isRecord(value) && path[0] !== 'employees' && path.length < 2
      ? Object.entries(value).flatMap(([name, inner]) => pathsIn(inner, [...path, name]))
      : [path.join('.')];
  return pathsIn(groups, []).filter((rule) => rule !== '$schema');
}

/** Whether a rule is another one, or below it: `mfa.required_for` is within `mfa`. */
export function isWithin(rule: string, outer: string): boolean {
  return rule === outer || rule.startsWith(`${outer}.`);
}
