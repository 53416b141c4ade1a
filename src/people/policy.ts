import * as v from 'valibot';
import { FileProblem, shapeProblem } from '../fs/read.ts';
import { type Path, readDocuments } from '../fs/yaml.ts';
import { invitesAdmin } from '../model/access.ts';
import { isCalendarDay } from '../model/dates.ts';
import { invalidInput } from '../model/errors.ts';
import { kinds, roleProblem } from '../model/kinds.ts';
import { choiceProblem, emailProblem, guess, heldEmailProblem, quote, textProblem } from '../model/text.ts';

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
 * Reads a policy.
 *
 * @param name the file, for sentences.
 * @throws {CliError} as `readRules`.
 */
export function readPolicy(text: string, name: string): ReadPolicy {
  const { rules: policy, lineOf } = readRules(text, name, policySchema(), numbers);
  return { policy, lineOf };
}

/** A difference that drift leaves out for some time, and where that is said: `accepted.yaml: line 3`. */
export type IgnoredLine = Ignored[number] & { readonly place: string };

/** Reads the differences that drift leaves out. @throws {CliError} as `readRules`. */
export function readIgnored(text: string, name: string): readonly IgnoredLine[] {
  const { rules, lineOf } = readRules(text, name, ignoredSchema(), numbers);
  return rules.map((each, index) => ({ ...each, place: `${name}: line ${lineOf([index])}` }));
}

/** Reads jobs.yaml. @throws {CliError} as `readRules`. */
export function readJobs(text: string, name: string) {
  return readRules(text, name, jobsSchema(), ['version']).rules;
}

/**
 * Reads rules that a schema describes: YAML 1.2, of which JSON is a part.
 *
 * @param name the file, for sentences.
 * @param typed the fields that are numbers.
 * @throws {CliError} exit 2 with all that is wrong, each with its line.
 */
function readRules<Rules>(
  text: string,
  name: string,
  schema: v.GenericSchema<unknown, Rules>,
  typed: readonly string[],
): { readonly rules: Rules; readonly lineOf: (path: Path) => number } {
  const [document, second] = readDocuments(text, name, typed);
  if (document === undefined) throw new FileProblem(name, 'is empty');
  if (second !== undefined) throw new FileProblem(name, 'contains several documents; expected one');
  const { value, mistakes, lineOf } = document;
  const shape = shapeProblem(value);
  if (shape !== undefined) throw new FileProblem(name, shape);
  const judged = value === undefined ? undefined : v.safeParse(schema, value);
  const issues = judged?.issues ?? [];
  const all = [
    ...mistakes.map(({ line, reason }) => ({ line, path: [], reason })),
    ...issues.map((issue) => {
      const path = (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)));
      return { line: lineOf(path), path, reason: reasonOf(issue) };
    }),
  ];
  if (judged?.success === true && all.length === 0) return { rules: judged.output, lineOf };
  const sorted = all.sort((one, other) => one.line - other.line);
  throw invalidInput(sorted.map(({ line, path, reason }) => ({ field: placeOf(name, line, path), reason })));
}

function placeOf(name: string, line: number, path: Path): string {
  const field = path.filter((step) => typeof step === 'string').join('.');
  const shown = /^[\p{L}\p{N}_.@$ -]{0,100}$/u.test(field) ? field : quote(field);
  return [name, `line ${line}`, ...(field === '' ? [] : [shown])].join(': ');
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

const NO_RULE = 'has no rule, so that nothing would be checked';
const NO_RECORD = 'must hold names and values';

/** Who may do what, version 1. docs/access.md says what each rule means. */
export type Policy = v.InferOutput<ReturnType<typeof policySchema>>;

/** Findings that are accepted for some time. */
export type Exception = v.InferOutput<ReturnType<typeof exceptionSchema>>;

/** The schema of a policy; it carries what the published JSON Schema says to editors. */
export function policySchema() {
  const rules = ruleSchemas();
  const names = Object.keys(rules);
  const policy = object(
    {
      $schema: v.optional(v.string()),
      version: v.literal(1, 'must be 1: this innctl reads no other version'),
      ...rules,
      exceptions: v.optional(list(exceptionSchema(names), '[{rule: mfa, who: ana@example.com, ...}]', 0)),
    },
    'who may do what, for innctl access check',
  );
  return v.pipe(
    policy,
    v.check((given) => Object.keys(given).some((name) => names.includes(name)), NO_RULE),
    v.metadata({ title: 'innctl access policy', anyOf: names.map((name) => ({ required: [name] })) }),
  );
}

function ruleSchemas() {
  const decision = (description: string) =>
    v.pipe(v.picklist(['allow', 'forbid'], 'write allow or forbid'), v.metadata({ description }));
  const role = text(roleProblem);
  const admins = object(
    {
      only: v.optional(list(text(emailProblem), '[ana@example.com]')),
      min: v.optional(count('fewest people')),
      max: v.optional(count('most people')),
    },
    'people with full access',
  );
  const mfa = object(
    { required_for: list(role, '[admins]') },
    'who needs a second factor: everyone, admins, or roles',
  );
  const employees = object(
    {
      file: text(textProblem, 'table of the people who work here, relative to this file'),
      column: v.optional(text(textProblem, 'header of the addresses in that table')),
      until: v.optional(text(textProblem, 'header of the last days in that table')),
      except: v.optional(list(text(whoProblem), '[audit@example.com, "@partner.example"]')),
    },
    'everybody with access is in a table',
  );
  const others = object({ roles: list(role, '[Auditor]', 0) }, 'roles that people of other domains may have');
  const domains = object(
    { allow: list(text(domainProblem), '[example.com]'), others: v.optional(others) },
    'domains of addresses',
  );
  const separate = v.pipe(
    list(list(role, '[Accountant, FrontDesk]', 2), '[[Accountant, FrontDesk]]'),
    v.metadata({ description: 'roles that no person may have together at one property' }),
  );
  const invitations = object(
    {
      max_age_days: v.optional(count('most days that an invitation may be pending')),
      admins: v.optional(decision('invitations to full access')),
    },
    'pending invitations',
  );
  return {
    admins: v.optional(admins),
    mfa: v.optional(mfa),
    employees: v.optional(employees),
    domains: v.optional(domains),
    separate: v.optional(separate),
    invitations: v.optional(invitations),
    no_roles: v.optional(decision('people without a property, or without a role at one of theirs')),
  };
}

/** Differences that drift leaves out. */
type Ignored = v.InferOutput<ReturnType<typeof ignoredSchema>>;

/** The schema of the differences that `innctl drift` leaves out for some time. */
function ignoredSchema() {
  const row = object(
    {
      kind: v.picklist(kinds, `must be one of ${kinds.join(', ')}`),
      name: text(textProblem, 'as drift shows it: BER, BER/201, ana@example.com'),
      ...acceptance,
    },
    'a difference that is accepted for some time',
  );
  return list(row, '[{kind: invitation, name: ana@example.com, until: 2026-12-31, reason: agency}]', 0);
}

/** Which role the people of a table get, version 1. */
export type Jobs = v.InferOutput<ReturnType<typeof jobsSchema>>;

/** The schema of jobs.yaml; it carries what the published JSON Schema says to editors. */
export function jobsSchema() {
  const header = (description: string) => text(textProblem, `header of the column with ${description}`);
  const except = (who: string) => (who.startsWith('@') ? whoProblem(who) : heldEmailProblem(who));
  const when = v.pipe(
    v.record(v.string(), text(textProblem), 'must hold headers and patterns: {Job: "Night*"}'),
    v.check((columns) => Object.keys(columns).length > 0, 'names no column: {Job: "*"} fits every row'),
    v.metadata({ description: 'headers, and what their cells are like; * stands for any text' }),
  );
  const job = object({ when, role: text(jobRoleProblem, 'role at the property') }, 'a role for some rows');
  const jobs = object(
    {
      $schema: v.optional(v.string()),
      version: v.literal(1, 'must be 1: this innctl reads no other version'),
      domains: list(text(domainProblem, 'whose people the table has'), '[example.com]'),
      email: header('the e-mail addresses'),
      property: header('the properties'),
      until: v.optional(header('the last days')),
      jobs: list(job, '[{when: {Job: Night auditor}, role: Auditor}]'),
      except: v.optional(list(text(except), '[night@example.com, "@partner.example"]')),
    },
    'which role the people of a table get, for innctl people sync',
  );
  return v.pipe(jobs, v.metadata({ title: 'innctl jobs' }));
}

function jobRoleProblem(role: string): string | undefined {
  if (invitesAdmin({ role })) return 'gives full access: invite account admins by hand';
  return roleProblem(role);
}

/** @param rules groups of rules. */
function exceptionSchema(rules: readonly string[]) {
  const ruleProblem = (rule: string) => choiceProblem(rule.split('.')[0] ?? '', rules);
  return object(
    {
      rule: text(ruleProblem, 'rule, or the beginning of its name: mfa'),
      who: text(whoProblem, 'address, domain (@example.com), id or code of a property, or *'),
      ...acceptance,
    },
    'findings that are accepted for some time',
  );
}

/** How long something is accepted, and why. */
const acceptance = {
  until: text(dayProblem, 'last day: 2026-12-31'),
  reason: text(textProblem, 'why it is accepted'),
};

/** Fields and values. The message about another name is the list of the known ones. */
function object<Fields extends v.ObjectEntries>(
  fields: Fields,
  description: string,
): v.GenericSchema<unknown, v.InferOutput<v.ObjectSchema<Fields, undefined>>> {
  // A strict object reports the first unknown name alone.
  const others = v.never(Object.keys(fields).join(', '));
  return v.pipe(
    v.objectWithRest(fields, others, NO_RECORD),
    v.metadata({ description, additionalProperties: false }),
  );
}

/** A list with at least some entries. @param example for sentences. */
function list<Each extends v.GenericSchema>(each: Each, example: string, least = 1) {
  const message = `must be a list${least === 0 ? '' : ` of at least ${least}`}: ${example}`;
  return v.pipe(v.array(each, message), v.minLength(least, message));
}

function count(description: string) {
  const message = 'must be a whole number from 0';
  return v.pipe(
    v.number(message),
    v.safeInteger(message),
    v.minValue(0, message),
    v.metadata({ description }),
  );
}

function text(problem: (text: string) => string | undefined, description?: string) {
  return v.pipe(
    v.string('must be a text'),
    v.rawCheck(({ dataset: { typed, value }, addIssue }) => {
      const message = typed ? problem(value) : undefined;
      if (message !== undefined) addIssue({ message });
    }),
    v.metadata(description === undefined ? {} : { description }),
  );
}

function domainProblem(domain: string): string | undefined {
  const isDomain = !domain.includes('@') && emailProblem(`a@${domain}`) === undefined;
  return isDomain ? undefined : `${quote(domain)} is not a domain: write example.com`;
}

function whoProblem(who: string): string | undefined {
  return who.startsWith('@') ? domainProblem(who.slice(1)) : textProblem(who);
}

function dayProblem(day: string): string | undefined {
  return /^\d{4}-\d{2}-\d{2}$/.test(day) && isCalendarDay(day)
    ? undefined
    : `${quote(day)} is not a day: write 2026-12-31`;
}
