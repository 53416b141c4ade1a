import type { Path } from '../fs/yaml.ts';
import { guess } from '../model/names.ts';
import { groupBy } from '../model/records.ts';
import { andList, counted, quote, sameName } from '../model/text.ts';
import { type Dialect, takes } from '../service/dialect.ts';
import { EVERY_PROPERTY, type Fact, NOT_SHOWN, sameAddress } from './facts.ts';
import { type Bounds, type Exception, type Finding, isWithin, type Policy, type ReadPolicy } from './policy.ts';

/** What a policy is judged against. */
export interface Account {
  readonly facts: readonly Fact[];
  /** The addresses of the people who work here; `undefined` if the policy does not need them. */
  readonly employees: readonly string[] | undefined;
  /** The roles that the service lists. */
  readonly roles: readonly string[];
  /** The properties that the service lists. */
  readonly properties: readonly { readonly id: string; readonly code?: string | undefined }[];
  readonly dialect: Pick<Dialect, 'further'>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A finding that an exception accepts. */
export type Excepted = Finding & Pick<Exception, 'until' | 'reason'>;

/** A finding before its exceptions; `path` is the place of its rule. */
type Found = Omit<Finding, 'rule' | 'line' | 'ran_out'> & { readonly path: Path };

/** Somebody who has access or is invited to it, with the facts of both. */
interface Person {
  readonly email: string;
  readonly facts: readonly Fact[];
  /** `null`: not shown. */
  readonly isAdmin: boolean | null;
  /** What commands find the user by; `undefined` for somebody who is only invited. */
  readonly user: string | undefined;
}

/**
 * Judges an account, in the order of the policy and then of the addresses. Disabled users and expired invitations reach
 * nothing: only `invitations.max_age_days` sees them. What is not shown is a finding with the result `unknown`.
 */
export function judge({ policy, lineOf }: ReadPolicy, account: Account) {
  const found = rules.flatMap((rule) => rule(policy, account, peopleOf(account.facts)));
  const findings: Finding[] = [];
  const excepted: Excepted[] = [];
  const today = new Date(account.now).toISOString().slice(0, 10);
  for (const { path, ...facts } of found) {
    const rule = path.filter((step) => typeof step === 'string').join('.');
    const finding = { rule, ...facts, line: lineOf(path) };
    const days = (policy.exceptions ?? []).filter((each) => isExcepted(finding, each));
    const last = days.reduce<Exception | undefined>((one, other) => (one && one.until > other.until ? one : other), undefined);
    if (last === undefined) findings.push(finding);
    else if (last.until < today) findings.push({ ...finding, ran_out: last.until });
    else excepted.push({ ...finding, until: last.until, reason: last.reason });
  }
  return { findings, excepted };
}

function isExcepted({ rule, email, property }: Finding, { rule: outer, who }: Exception): boolean {
  if (!isWithin(rule, outer)) return false;
  if (who === '*') return true;
  return (email !== null && isNamed(email, [who])) || (property !== null && sameName(property) === sameName(who));
}

/** Whether an address, or its domain with an @ before it, is on a list. */
function isNamed(email: string, list: readonly string[]): boolean {
  return list.some((each) =>
    each.startsWith('@') ? sameName(email).endsWith(sameName(each)) : sameAddress(email, each),
  );
}

function peopleOf(facts: readonly Fact[]): readonly Person[] {
  const byAddress = groupBy(facts, ({ email }) => sameName(email));
  return [...byAddress.values()].flatMap((all) => {
    const live = all.filter(({ state }) => state !== 'disabled' && state !== 'expired');
    const [first] = live;
    if (first === undefined) return [];
    const user = live.find(({ source }) => source === 'user');
    return [{ email: first.email, facts: live, isAdmin: isAdminAmong(live), user: user && referenceTo(user, all) }];
  });
}

function isAdminAmong(facts: readonly Fact[]): boolean | null {
  if (facts.some(({ account_admin: isAdmin }) => isAdmin === true)) return true;
  return facts.some(({ account_admin: isAdmin }) => isAdmin === null) ? null : false;
}

/** The address of a user, or the id where several users have it. */
function referenceTo({ email, subject_id: id }: Fact, all: readonly Fact[]): string {
  const isShared = all.some((other) => other.source === 'user' && other.subject_id !== id);
  return isShared && id !== undefined ? id : email;
}

type Rule = (policy: Policy, account: Account, people: readonly Person[]) => readonly Found[];

const rules: readonly Rule[] = [
  knownNames,
  onlyAdmins,
  countAdmins,
  requireMfa,
  requireEmployees,
  allowDomains,
  separateRoles,
  limitProperties,
  countRoles,
  limitInvitations,
  requireRoles,
];

/** A misspelt role or property would never be found. */
function knownNames(policy: Policy, { roles, facts, properties }: Account): readonly Found[] {
  const known = [...new Set([...roles, ...facts.flatMap((fact) => fact.roles ?? [])])];
  const isKnown = (role: string) => known.some((each) => sameName(each) === sameName(role));
  const unknownRoles = namedRoles(policy).filter(([, role]) => !isKnown(role));
  const unknownProperties = Object.keys(policy.properties ?? {}).filter((name) => !idOf(name, properties));
  const ids = properties.map(({ id }) => id);
  const lacks = (what: string, name: string, among: readonly string[]) =>
    `The service lists no ${what} ${quote(name)}${guess(name, among)}.`;
  return [
    ...unknownRoles.map(([path, role]) =>
      unknown(path, nobody, lacks('role', role, known), ['roles', 'list']),
    ),
    ...unknownProperties.map((name) =>
      unknown(['properties', name], nobody, lacks('property', name, ids), ['properties', 'list']),
    ),
  ];
}

function namedRoles(policy: Policy): readonly (readonly [Path, string])[] {
  const { mfa, domains, separate = [], properties = {} } = policy;
  const required = mfa?.required_for ?? [];
  return [
    ...required.flatMap((role, index) =>
      groups.includes(role) ? [] : [[['mfa', 'required_for', index], role] as const],
    ),
    ...(domains?.others?.roles ?? []).map((role, index) => [['domains', 'others', index], role] as const),
    ...separate.flatMap((set, at) => set.map((role, index) => [['separate', at, index], role] as const)),
    ...Object.entries(properties).flatMap(([property, bounds]) =>
      Object.keys(bounds).map((role) => [['properties', property, role], role] as const),
    ),
  ];
}

const groups: readonly string[] = ['everyone', 'admins'];

/** The id of a property by id or code, in any case of letters. */
function idOf(name: string, properties: Account['properties']): string | undefined {
  const isMeant = (other: string | undefined) => other !== undefined && sameName(other) === sameName(name);
  return (properties.find(({ id }) => isMeant(id)) ?? properties.find(({ code }) => isMeant(code)))?.id;
}

function onlyAdmins({ admins }: Policy, account: Account, people: readonly Person[]): readonly Found[] {
  const { only } = admins ?? {};
  if (only === undefined) return [];
  const path = ['admins', 'only'];
  return people
    .filter(({ email, isAdmin }) => isAdmin !== false && !isNamed(email, only))
    .map((person) =>
      person.isAdmin
        ? violated(path, person, 'Is an account admin, and not one of those named.', demoting(person, account))
        : unknown(path, person, 'May be an account admin: the service does not show it.', demoting(person, account)),
    );
}

function demoting(person: Person, { dialect }: Account): readonly string[] {
  const admin = person.facts.find((fact) => fact.account_admin !== false);
  if (person.user === undefined || admin?.source === 'invitation') return withdrawing(person);
  if (!takes(dialect, 'updateUser', 'is_account_admin')) return about('users disable', person.user);
  return about('users update', person.user, '--is-account-admin', 'false');
}

function countAdmins({ admins = {} }: Policy, { dialect }: Account, people: readonly Person[]): readonly Found[] {
  const path = ['admins'];
  const tally = tallyOf(people, ({ account_admin: isAdmin }) => isAdmin);
  const less = takes(dialect, 'updateUser', 'is_account_admin')
    ? ['users', 'update', '--is-account-admin', 'false']
    : ['users', 'disable'];
  const more = ['invitations', 'create', '--is-account-admin'];
  return outOfBounds(path, nobody, admins, tally, ['account admin', 'account admins'], { less, more });
}

/** How many people hold something: users for certain, users at most, and the same with invitations. */
interface Tally {
  readonly active: number;
  readonly activeAtMost: number;
  readonly all: number;
  readonly allAtMost: number;
}

/** @param holds `null`: not shown. */
function tallyOf(people: readonly Person[], holds: (fact: Fact) => boolean | null): Tally {
  const count = (isCounted: (fact: Fact) => boolean) => people.filter(({ facts }) => facts.some(isCounted)).length;
  return {
    active: count((fact) => fact.state === 'active' && holds(fact) === true),
    activeAtMost: count((fact) => fact.source === 'user' && holds(fact) !== false),
    all: count((fact) => fact.state !== 'unknown' && holds(fact) === true),
    allAtMost: count((fact) => holds(fact) !== false),
  };
}

/** For the least, invitations do not count, because nobody has accepted them yet; for the most they do. */
function outOfBounds(
  path: Path,
  whom: Whom,
  { min, max }: Bounds,
  tally: Tally,
  [one, several]: readonly [string, string],
  mends: { readonly less: readonly string[]; readonly more: readonly string[] },
): readonly Found[] {
  const found: Found[] = [];
  if (min !== undefined && tally.active < min) {
    const tell = tally.activeAtMost < min ? violated : unknown;
    const message = `${counted(tally.active, one, several)} without invitations${atMost(tally.active, tally.activeAtMost)}, and at least ${min} must be.`;
    found.push(tell([...path, 'min'], whom, message, mends.more));
  }
  if (max !== undefined && tally.allAtMost > max) {
    const tell = tally.all > max ? violated : unknown;
    const message = `${counted(tally.all, one, several)} with invitations${atMost(tally.all, tally.allAtMost)}, and at most ${max} may be.`;
    found.push(tell([...path, 'max'], whom, message, mends.less));
  }
  return found;
}

function atMost(certain: number, most: number): string {
  return most > certain ? ` (up to ${most}: the service does not show all)` : '';
}

function requireMfa({ mfa }: Policy, _: Account, people: readonly Person[]): readonly Found[] {
  if (mfa === undefined) return [];
  const path = ['mfa', 'required_for'];
  return people.flatMap((person) => {
    const needs = needsMfa(person, mfa.required_for);
    const users = person.facts.filter(({ source }) => source === 'user');
    if (needs === false || person.user === undefined || users.every((fact) => fact.mfa === true)) return [];
    const isCertain = needs === true && users.some((fact) => fact.mfa === false);
    const message = isCertain
      ? 'Has no second factor. Only the person can set one up; a disabled user needs none.'
      : 'May need a second factor, or have none: the service does not show it.';
    return [(isCertain ? violated : unknown)(path, person, message, about('users disable', person.user))];
  });
}

/** @returns `null` if it is not shown. */
function needsMfa({ facts, isAdmin }: Person, required: readonly string[]): boolean | null {
  const answers = required.map((group) => {
    if (group === 'everyone') return true;
    if (group === 'admins') return isAdmin;
    const held = facts.map(({ roles, account_admin }) => (account_admin ? false : has(roles, group)));
    return held.includes(true) || (held.includes(null) ? null : false);
  });
  return answers.includes(true) || (answers.includes(null) ? null : false);
}

/** Whether a role is among those shown; `null` if none are shown. */
function has(roles: readonly string[] | null, role: string): boolean | null {
  return roles && roles.some((each) => sameName(each) === sameName(role));
}

function requireEmployees({ employees }: Policy, account: Account, people: readonly Person[]): readonly Found[] {
  const { employees: addresses } = account;
  if (employees === undefined || addresses === undefined) return [];
  const working = new Set(addresses.map(sameName));
  return people
    .filter(({ email }) => !working.has(sameName(email)) && !isNamed(email, employees.except ?? []))
    .map((person) =>
      person.email.includes('@')
        ? violated(['employees'], person, `Is not in ${employees.file}.`, leaving(person))
        : unknown(['employees'], person, `Has no address that ${employees.file} could have.`, leaving(person)),
    );
}

function allowDomains({ domains }: Policy, _: Account, people: readonly Person[]): readonly Found[] {
  if (domains === undefined) return [];
  const { allow, others } = domains;
  const listed = allow.map((domain) => `@${domain}`);
  return people
    .filter(({ email }) => !isNamed(email, listed))
    .flatMap((person): readonly Found[] => {
      if (!person.email.includes('@'))
        return [unknown(['domains', 'allow'], person, 'Has no address, and so no domain.', leaving(person))];
      if (others === undefined)
        return [violated(['domains', 'allow'], person, 'Has an address of another domain.', leaving(person))];
      return beyond(person, others.roles);
    });
}

/** What somebody of another domain may do besides some roles. */
function beyond(person: Person, allowed: readonly string[]): readonly Found[] {
  const path = ['domains', 'others'];
  if (person.isAdmin !== false) {
    const tell = person.isAdmin ? violated : unknown;
    const message = person.isAdmin ? 'Is an account admin' : 'May be an account admin';
    return [tell(path, person, `${message} with an address of another domain.`, leaving(person))];
  }
  return person.facts.flatMap((fact) => {
    if (fact.property === null) return [];
    const whom = { email: person.email, property: fact.property };
    if (fact.roles === null)
      return [unknown(path, whom, 'Has an address of another domain, and roles that are not shown.', leaving(person))];
    const others = fact.roles.filter((role) => !has(allowed, role));
    if (others.length === 0) return [];
    return [violated(path, whom, `Has an address of another domain, and the role ${andList(others)}.`, taking(person, fact))];
  });
}

function separateRoles({ separate = [] }: Policy, _: Account, people: readonly Person[]): readonly Found[] {
  return separate.flatMap((group, index) =>
    peopleWithRoles(people).flatMap((person) =>
      [...groupBy(person.facts, ({ property }) => property)].flatMap(([property, facts]): readonly Found[] => {
        const path = ['separate', index];
        const whom = { email: person.email, property };
        const shown = facts.flatMap(({ roles }) => roles ?? []);
        const held = group.filter((role) => has(shown, role));
        const [fact] = facts;
        if (property === null || fact === undefined) return [];
        if (held.length > 1)
          return [violated(path, whom, `Is ${andList(held)} at one property.`, taking(person, fact))];
        if (facts.every(({ roles }) => roles !== null)) return [];
        return [unknown(path, whom, `May be ${andList(group)}: roles are not shown.`, taking(person, fact))];
      }),
    ),
  );
}

/** An account admin may do everything everywhere: only the rules about admins judge that. */
function peopleWithRoles(people: readonly Person[]): readonly Person[] {
  return people.filter(({ isAdmin }) => isAdmin !== true);
}

function limitProperties({ limits }: Policy, _: Account, people: readonly Person[]): readonly Found[] {
  if (limits === undefined) return [];
  const path = ['limits', 'properties_per_person'];
  const { properties_per_person: most } = limits;
  return peopleWithRoles(people).flatMap((person) => {
    const all = new Set(person.facts.map(({ property }) => property ?? NOT_SHOWN));
    const isWhole = person.facts.every(({ property }) => property !== NOT_SHOWN);
    all.delete(NOT_SHOWN);
    const mend = person.user === undefined ? withdrawing(person) : about('users revoke', person.user);
    if (all.size > most)
      return [violated(path, person, `Has ${all.size} properties, and may have ${most}.`, mend)];
    if (isWhole) return [];
    return [unknown(path, person, `May have more than ${counted(most, 'property', 'properties')}: not all are shown.`, mend)];
  });
}

function countRoles({ properties = {} }: Policy, account: Account, people: readonly Person[]): readonly Found[] {
  return Object.entries(properties).flatMap(([name, roles]) => {
    const id = idOf(name, account.properties);
    if (id === undefined) return [];
    return Object.entries(roles).flatMap(([role, bounds]) => {
      const tally = tallyOf(people, ({ property, roles: held }) =>
        property === id || property === NOT_SHOWN ? has(held, role) : false,
      );
      const noun = [`person with the role ${role}`, `people with the role ${role}`] as const;
      return outOfBounds(['properties', name, role], { email: null, property: id }, bounds, tally, noun, {
        less: ['users', 'revoke', '--property', id],
        more: ['invitations', 'create', '--role', role, '--properties', id],
      });
    });
  });
}

function limitInvitations({ invitations }: Policy, { facts }: Account): readonly Found[] {
  const { max_age_days: most, admins } = invitations ?? {};
  const pending = groupBy(
    facts.filter(({ source }) => source === 'invitation'),
    ({ email }) => email,
  );
  return [...pending.values()].flatMap(([fact]) => {
    if (fact === undefined) return [];
    const { email, age_days: age, account_admin: isAdmin, state } = fact;
    const [whom, mend] = [{ email, property: null }, about('invitations delete', email)];
    const found: Found[] = [];
    const tooOld = ['invitations', 'max_age_days'];
    if (most !== undefined && age === undefined)
      found.push(unknown(tooOld, whom, 'The service does not show how old the invitation is.', mend));
    if (most !== undefined && age !== undefined && age > most)
      found.push(violated(tooOld, whom, `The invitation is ${counted(age, 'day')} old, and may be ${most}.`, mend));
    const forAdmins = ['invitations', 'admins'];
    if (admins === 'forbid' && state !== 'expired' && isAdmin === true)
      found.push(violated(forAdmins, whom, 'The invitation gives full access.', mend));
    if (admins === 'forbid' && state !== 'expired' && isAdmin === null)
      found.push(unknown(forAdmins, whom, 'The invitation may give full access: the service does not show it.', mend));
    return found;
  });
}

function requireRoles({ no_roles: decision }: Policy, _: Account, people: readonly Person[]): readonly Found[] {
  if (decision !== 'forbid') return [];
  const path = ['no_roles'];
  return peopleWithRoles(people).flatMap((person) =>
    person.facts.flatMap((fact): readonly Found[] => {
      const whom = { email: person.email, property: fact.property };
      if (fact.property === null && person.facts.length > 1) return [];
      if (fact.property === null && person.isAdmin === false)
        return [violated(path, whom, 'Has no property, and sees nothing.', leaving(person))];
      if (fact.roles === null || fact.property === null)
        return [unknown(path, whom, 'May have no role: the service does not show it.', leaving(person))];
      if (fact.roles.length > 0) return [];
      return [violated(path, whom, 'Has no role there, and sees nothing.', taking(person, fact))];
    }),
  );
}

/** Whom a finding is about. */
type Whom = Pick<Finding, 'email' | 'property'> | Person;

const nobody: Whom = { email: null, property: null };

const violated = finding('violated');
const unknown = finding('unknown');

function finding(result: Finding['result']) {
  return (path: Path, whom: Whom, message: string, mend: readonly string[]): Found => {
    const property = 'property' in whom ? whom.property : null;
    return { path, email: whom.email, property, result, message, mend };
  };
}

function leaving(person: Person): readonly string[] {
  return person.user === undefined ? withdrawing(person) : about('people offboard', person.user);
}

function withdrawing({ email }: Person): readonly string[] {
  return about('invitations delete', email);
}

/** Takes away what a fact gives. */
function taking(person: Person, { property, source }: Fact): readonly string[] {
  if (person.user === undefined || source === 'invitation') return withdrawing(person);
  const isOne = property !== null && property !== NOT_SHOWN && property !== EVERY_PROPERTY;
  return about('users revoke', person.user, ...(isOne ? ['--property', property] : []));
}

function about(command: string, name: string, ...flags: readonly string[]): readonly string[] {
  const words = command.split(' ');
  return name.startsWith('-') ? [...words, ...flags, '--', name] : [...words, name, ...flags];
}
