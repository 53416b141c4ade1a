import * as v from 'valibot';
import { FileProblem, shapeProblem } from '../fs/read.ts';
import { type Path, readDocuments } from '../fs/yaml.ts';
import { invalidInput } from '../model/errors.ts';
import { guess } from '../model/names.ts';
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
 * @throws {CliError} exit 2 with all that is wrong, each with its line.
 */
export function readPolicy(text: string, name: string): ReadPolicy {
  const [document, second] = readDocuments(text, name, numbers);
  if (document === undefined) throw new FileProblem(name, 'is empty');
  if (second !== undefined) throw new FileProblem(name, 'contains several documents; expected one policy');
  const { value, mistakes, lineOf } = document;
  const shape = shapeProblem(value);
  if (shape !== undefined) throw new FileProblem(name, shape);
  const { output, problems } = value === undefined ? { problems: [] } : judged(value);
  const all = [
    ...mistakes.map(({ line, reason }) => ({ line, path: [], reason })),
    ...problems.map(([path, reason]) => ({ line: lineOf(path), path, reason })),
  ];
  if (output !== undefined && all.length === 0) return { policy: output, lineOf };
  const sorted = all.sort((one, other) => one.line - other.line);
  throw invalidInput(sorted.map(({ line, path, reason }) => ({ field: placeOf(name, line, path), reason })));
}

type Problem = readonly [path: Path, reason: string];

function judged(value: unknown): { readonly output?: Policy; readonly problems: readonly Problem[] } {
  const { success, output, issues = [] } = v.safeParse(policySchema(), value);
  if (success) return { output, problems: [] };
  return { problems: issues.map((issue) => [pathOf(issue), reasonOf(issue)] as const) };
}

function placeOf(name: string, line: number, path: Path): string {
  const field = path.filter((step) => typeof step === 'string').join('.');
  const shown = /^[\p{L}\p{N}_.@$ -]{0,100}$/u.test(field) ? field : quote(field);
  return [name, `line ${line}`, ...(field === '' ? [] : [shown])].join(': ');
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

/** Whether a rule is another one, or below it: `mfa.required_for` is within `mfa`. */
export function isWithin(rule: string, outer: string): boolean {
  return rule === outer || rule.startsWith(`${outer}.`);
}
