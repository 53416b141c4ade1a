import * as v from 'valibot';
import { isCalendarDay } from '../model/dates.ts';
import { choiceProblem } from '../model/names.ts';
import { emailProblem } from '../model/segment.ts';
import { quote, textProblem } from '../model/text.ts';

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
    v.metadata({ description: 'roles that nobody may have together at one property' }),
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

/** @param rules groups of rules. */
function exceptionSchema(rules: readonly string[]) {
  const ruleProblem = (rule: string) => choiceProblem(rule.split('.')[0] ?? '', rules);
  return object(
    {
      rule: text(ruleProblem, 'rule, or the beginning of its name: mfa'),
      who: text(whoProblem, 'address, domain (@example.com), id or code of a property, or *'),
      until: text(dayProblem, 'last day: 2026-12-31'),
      reason: text(textProblem, 'why it is accepted'),
    },
    'findings that are accepted for some time',
  );
}

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

function roleProblem(name: string): string | undefined {
  return textProblem(name, 100);
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
