import type { Path } from '../fs/yaml.ts';
import { adminFlag } from '../model/access.ts';
import { groupBy } from '../model/records.ts';
import { andList, capitalised, counted, didYouMean, nearest, quote, sameName } from '../model/text.ts';
import { aboutRecord, shellLine } from '../print/text.ts';
import { type Dialect, takes } from '../service/dialect.ts';
import type { Fact, FoundProperty } from './access-document.ts';
import { isUnknown, sameAddress } from './facts.ts';
import { type Exception, type Finding, isWithin, type Policy, type ReadPolicy } from './policy.ts';

/** What a policy is judged against. */
export interface Account {
  readonly facts: readonly Fact[];
  /** The addresses of the people who work here; `undefined` if the policy does not need them. */
  readonly employees: readonly string[] | undefined;
  /** The names of the roles that the service lists. */
  readonly roles: readonly string[];
  /** The properties that the service lists. */
  readonly properties: readonly Pick<FoundProperty, 'id' | 'code'>[];
  readonly dialect: Pick<Dialect, 'further'>;
  /** Those of a command about the same service. */
  readonly flags: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A finding that an exception accepts. */
export type Excepted = Finding & Pick<Exception, 'until' | 'reason'>;

/** What a policy says about an account. */
export interface Judged {
  readonly findings: readonly Finding[];
  readonly excepted: readonly Excepted[];
}

/** A finding before its exceptions. */
interface Found extends Pick<Finding, 'email' | 'property' | 'result' | 'message'> {
  /** The place of its rule. */
  readonly path: Path;
  /** The words of the command that mends it. */
  readonly mend: readonly string[];
}

/** Somebody who has access or is invited to it. */
interface Person {
  readonly email: string;
  /** Those of users, then those of invitations. */
  readonly facts: readonly Fact[];
  readonly isAdmin: boolean;
}

/**
 * Judges an account, in the order of the rules and then of the addresses. Disabled users and expired invitations reach
 * nothing: only `invitations.max_age_days` sees the latter. What cannot be judged is a finding with the result `unknown`.
 */
export function judge({ policy, lineOf }: ReadPolicy, account: Account): Judged {
  const people = peopleOf(account.facts);
  const findings: Finding[] = [];
  const excepted: Excepted[] = [];
  const today = new Date(account.now).toISOString().slice(0, 10);
  for (const { path, mend, ...found } of rules.flatMap((rule) => [...rule(policy, people, account)])) {
    const rule = path.filter((step) => typeof step === 'string').join('.');
    const command = shellLine(['innctl', ...account.flags, ...mend]);
    const finding = { rule, ...found, mend: command, line: lineOf(path) };
    const exceptions = (policy.exceptions ?? []).filter((each) => isExcepted(finding, each, account));
    const [last] = exceptions.sort((one, other) => (one.until < other.until ? 1 : -1));
    if (last === undefined) findings.push(finding);
    else if (last.until < today) findings.push({ ...finding, ran_out: last.until });
    else excepted.push({ ...finding, until: last.until, reason: last.reason });
  }
  return { findings, excepted };
}

function isExcepted(
  { rule, email, property }: Finding,
  { rule: outer, who }: Exception,
  { properties }: Account,
): boolean {
  if (!isWithin(rule, outer)) return false;
  if (who === '*' || (email !== null && isNamed(email, [who]))) return true;
  const code = properties.find(({ id }) => id === property)?.code;
  return property !== null && [property, code ?? property].some((name) => sameName(name) === sameName(who));
}

/** Whether an address, or its domain with an @ before it, is on a list. */
export function isNamed(email: string, list: readonly string[]): boolean {
  return list.some((each) =>
    each.startsWith('@') ? sameName(email).endsWith(sameName(each)) : sameAddress(email, each),
  );
}

function peopleOf(all: readonly Fact[]): readonly Person[] {
  const byAddress = groupBy(all, ({ email }) => sameName(email));
  return [...byAddress.values()].flatMap((own) => {
    const facts = own.filter(({ state }) => state !== 'disabled' && state !== 'expired');
    const [first] = facts;
    if (first === undefined) return [];
    const isAdmin = facts.some((fact) => fact.account_admin);
    return [{ email: first.email, facts, isAdmin }];
  });
}

/** Whom a finding is about. Default: no property in particular. */
interface Whom {
  readonly email: string | null;
  readonly property?: string | null;
}

/** @param what a clause without the name of the person: `has no role there`. */
function found(path: Path, { email, property = null }: Whom, what: string, mend: readonly string[]): Found {
  return { path, email, property, result: 'violated', message: `${capitalised(what)}.`, mend };
}

/** What cannot be judged, as a sentence. */
function unknown(path: Path, message: string, mend: readonly string[]): Found {
  return { path, email: null, property: null, result: 'unknown', message, mend };
}

/** Judges one rule of a policy, if it is there. */
type Rule = (policy: Policy, people: readonly Person[], account: Account) => Iterable<Found>;

/** A rule about a misspelt role would find nothing. */
function* knownRoles(policy: Policy, _: readonly Person[], { roles, facts }: Account): Iterable<Found> {
  const known = [...new Set([...roles, ...facts.flatMap((fact) => fact.roles ?? [])])];
  for (const [path, role] of namedRoles(policy)) {
    if (has(known, role)) continue;
    const sentence = `The service lists no role ${quote(role)}.`;
    const message = [sentence, didYouMean(nearest(role, known))].filter(Boolean).join(' ');
    yield unknown(path, message, ['roles', 'list']);
  }
}

/** A service that shows no roles of users leaves open what rules about roles say. */
function* shownRoles(policy: Policy, people: readonly Person[]): Iterable<Found> {
  const [named] = namedRoles(policy);
  const path = policy.no_roles === 'forbid' ? ['no_roles'] : named?.[0];
  const { length } = people.filter(({ facts }) => facts.some(isUnknown));
  if (path === undefined || length === 0) return;
  const whom = counted(length, 'person', 'people');
  yield unknown(path, `The service does not show the roles of ${whom}.`, ['users', 'list']);
}

/** The roles that a policy names, each with its place. */
export function namedRoles({ mfa, domains, separate = [] }: Policy): readonly (readonly [Path, string])[] {
  const lists: readonly (readonly [Path, readonly string[] | undefined])[] = [
    [['mfa', 'required_for'], mfa?.required_for.filter((each) => !groups.includes(each))],
    [['domains', 'others'], domains?.others?.roles],
    ...separate.map((group, index) => [['separate', index], group] as const),
  ];
  return lists.flatMap(([path, roles = []]) => roles.map((role) => [path, role] as const));
}

const groups: readonly string[] = ['everyone', 'admins'];

/** Whether a role is among those shown. */
function has(roles: readonly string[] | null, role: string): boolean {
  return roles?.some((each) => sameName(each) === sameName(role)) === true;
}

function* judgeAdmins(
  { admins: { only, min = 0, max = Number.POSITIVE_INFINITY } = {} }: Policy,
  people: readonly Person[],
  { dialect }: Account,
): Iterable<Found> {
  const isField = takes(dialect, 'updateUser', adminFlag);
  // Where no field makes a user no account admin, the user can only be disabled.
  const less: Command = isField ? ['users update', '--is-account-admin', 'false'] : ['users disable'];
  const admins = people
    .filter(({ isAdmin }) => isAdmin)
    .map((person) => ({ ...person, facts: person.facts.filter((fact) => fact.account_admin) }));
  for (const admin of only === undefined ? [] : admins) {
    if (isNamed(admin.email, only ?? [])) continue;
    const verb = admin.facts.some(({ source }) => source === 'user') ? 'is' : 'is invited as';
    const clause = `${verb} an account admin, and not one of those named`;
    yield found(['admins', 'only'], admin, clause, mending(admin, admin.facts, less));
  }
  // For the least, invitations do not count, because they are not accepted yet; for the most they do.
  const active = admins.filter(({ facts }) => facts.some(({ state }) => state === 'active')).length;
  const account = (count: number) => `the account has ${counted(count, 'account admin')}`;
  const low = `${account(active)} without invitations, and needs ${min}`;
  const high = `${account(admins.length)} with invitations, and may have ${max}`;
  const fewer = less.flatMap((words) => words.split(' '));
  if (active < min)
    yield found(['admins', 'min'], { email: null }, low, ['invitations', 'create', '--is-account-admin']);
  if (admins.length > max) yield found(['admins', 'max'], { email: null }, high, fewer);
}

function* requireMfa({ mfa }: Policy, people: readonly Person[]): Iterable<Found> {
  const clause = 'has no second factor, which only the person can set up';
  // Whether somebody is among those who need a second factor.
  const isIn = ({ facts, isAdmin }: Person) =>
    mfa?.required_for.some((group) => {
      if (group === 'everyone') return true;
      return group === 'admins' ? isAdmin : facts.some(({ roles }) => has(roles, group));
    });
  for (const person of people.filter(isIn)) {
    const users = person.facts.filter((fact) => fact.source === 'user' && fact.mfa !== true);
    if (users.length > 0)
      yield found(['mfa', 'required_for'], person, clause, mending(person, users, ['users disable']));
  }
}

function* requireEmployees(
  { employees: rule }: Policy,
  people: readonly Person[],
  { employees }: Account,
): Iterable<Found> {
  if (rule === undefined) return;
  const working = new Set(employees?.map(sameName));
  for (const person of people) {
    if (working.has(sameName(person.email)) || isNamed(person.email, rule.except ?? [])) continue;
    yield found(['employees'], person, `is not in ${rule.file}`, leaving(person));
  }
}

function* allowDomains({ domains }: Policy, people: readonly Person[]): Iterable<Found> {
  if (domains === undefined) return;
  const listed = domains.allow.map((domain) => `@${domain}`);
  const allowed = domains.others?.roles;
  const clause = 'with an address of another domain';
  for (const person of people.filter(({ email }) => !isNamed(email, listed))) {
    const { isAdmin, email, facts } = person;
    if (allowed === undefined)
      yield found(['domains', 'allow'], person, 'has an address of another domain', leaving(person));
    else if (isAdmin)
      yield found(['domains', 'others'], person, `is an account admin ${clause}`, leaving(person));
    else
      for (const fact of facts) {
        const others = fact.roles?.filter((role) => !has(allowed, role)) ?? [];
        const what = `is ${andList(others)} ${clause}`;
        const { property } = fact;
        if (others.length > 0)
          yield found(['domains', 'others'], { email, property }, what, taking(person, [fact]));
      }
  }
}

function* separateRoles({ separate = [] }: Policy, people: readonly Person[]): Iterable<Found> {
  for (const [index, group] of separate.entries())
    for (const person of withoutAdmins(people))
      for (const [property, facts] of groupBy(person.facts, (fact) => fact.property)) {
        const held = group.filter((role) => facts.some(({ roles }) => has(roles, role)));
        const clause = `is ${andList(held)} at one property`;
        const whom = { email: person.email, property };
        if (held.length > 1) yield found(['separate', index], whom, clause, taking(person, facts));
      }
}

/** An account admin may do everything everywhere, which only the rules about admins judge. */
function withoutAdmins(people: readonly Person[]): readonly Person[] {
  return people.filter(({ isAdmin }) => !isAdmin);
}

function* limitInvitations(
  { invitations: { max_age_days: most, admins } = {} }: Policy,
  _: readonly Person[],
  { facts: all }: Account,
): Iterable<Found> {
  const sent = all.filter(({ source }) => source === 'invitation');
  for (const [email, facts] of groupBy(sent, (fact) => fact.email)) {
    const mend = aboutRecord('invitations delete', email);
    const age = Math.max(-1, ...facts.flatMap(({ age_days: days }) => days ?? []));
    if (most !== undefined && age > most) {
      const clause = `was invited ${counted(age, 'day')} ago, more than ${most}`;
      yield found(['invitations', 'max_age_days'], { email }, clause, mend);
    }
    const pending = facts.filter(({ state }) => state === 'invited');
    if (admins === 'forbid' && pending.some((fact) => fact.account_admin))
      yield found(['invitations', 'admins'], { email }, 'is invited to full access', mend);
  }
}

function* requireRoles({ no_roles: decision }: Policy, people: readonly Person[]): Iterable<Found> {
  if (decision !== 'forbid') return;
  for (const person of withoutAdmins(people))
    for (const fact of person.facts) {
      const { roles, property } = fact;
      if (roles?.length !== 0 || (property === null && person.facts.length > 1)) continue;
      const clause = `has no ${property === null ? 'property' : 'role there'}, and sees nothing`;
      const mend = property === null ? leaving(person) : taking(person, [fact]);
      yield found(['no_roles'], { email: person.email, property }, clause, mend);
    }
}

/** In the order of their findings. */
const rules: readonly Rule[] = [
  ...[knownRoles, shownRoles, judgeAdmins, requireMfa, requireEmployees, allowDomains],
  ...[separateRoles, limitInvitations, requireRoles],
];

function leaving(person: Person): readonly string[] {
  return mending(person, person.facts, ['people offboard']);
}

/** Takes away the property of some facts. */
function taking(person: Person, facts: readonly [Fact, ...Fact[]]): readonly string[] {
  const [{ property }] = facts;
  return mending(person, facts, ['users revoke', ...(property === null ? [] : ['--property', property])]);
}

/** A command about a user, and its flags. */
type Command = readonly [command: string, ...flags: string[]];

/** A command about the user of some facts, or the withdrawal of the invitation if there is no user. */
function mending({ email }: Person, facts: readonly Fact[], [command, ...flags]: Command): readonly string[] {
  const user = facts.find(({ source }) => source === 'user');
  if (user === undefined) return aboutRecord('invitations delete', email);
  return aboutRecord(command, user.email, ...flags);
}
