import type { Path } from '../fs/yaml.ts';
import { didYouMean, nearest } from '../model/names.ts';
import { groupBy } from '../model/records.ts';
import { andList, capitalised, counted, quote, sameName } from '../model/text.ts';
import { type Dialect, takes } from '../service/dialect.ts';
import type { Fact } from './access-document.ts';
import { NOT_SHOWN, sameAddress } from './facts.ts';
import { type Finding, isWithin, type ReadPolicy } from './policy.ts';
import type { Bounds, Exception, Policy } from './policy-schema.ts';

/** What a policy is judged against. */
export interface Account {
  readonly facts: readonly Fact[];
  /** The addresses of the people who work here; `undefined` if the policy does not need them. */
  readonly employees: readonly string[] | undefined;
  /** The names of the roles that the service lists. */
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

/** Somebody who has access or is invited to it. */
interface Person {
  readonly email: string;
  /** Those of users, then those of invitations. */
  readonly facts: readonly Fact[];
  /** `null`: not shown. */
  readonly isAdmin: boolean | null;
  /** Several users have the address. */
  readonly isShared: boolean;
}

/**
 * Judges an account, in the order of the rules and then of the addresses. Disabled users and expired invitations reach
 * nothing: only `invitations.max_age_days` sees the latter. What is not shown is a finding with the result `unknown`.
 */
export function judge({ policy, lineOf }: ReadPolicy, account: Account) {
  const people = peopleOf(account.facts);
  const findings: Finding[] = [];
  const excepted: Excepted[] = [];
  const today = new Date(account.now).toISOString().slice(0, 10);
  for (const { path, ...found } of rules.flatMap((rule) => rule(policy, account, people))) {
    const rule = path.filter((step) => typeof step === 'string').join('.');
    const finding = { rule, ...found, line: lineOf(path) };
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
  return property !== null && sameName(property) === sameName(idOf(who, properties) ?? who);
}

/** Whether an address, or its domain with an @ before it, is on a list. */
function isNamed(email: string, list: readonly string[]): boolean {
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
    const flags = facts.map(({ account_admin: isAdmin }) => isAdmin);
    const users = new Set(own.filter(({ source }) => source === 'user').map(({ subject_id: id }) => id));
    return [{ email: first.email, facts, isAdmin: anyOf(flags), isShared: users.size > 1 }];
  });
}

/** Whether one holds; `null` if it is not shown. */
function anyOf(answers: readonly (boolean | null)[]): boolean | null {
  return answers.includes(true) || (answers.includes(null) ? null : false);
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

/** Whom a finding is about. */
type Whom = Pick<Finding, 'email' | 'property'>;

/** @param what a clause without the name of the person: `has no role there`. */
function found(isCertain: boolean, path: Path, whom: Whom, what: string, mend: readonly string[]): Found {
  const { email, property } = whom;
  if (isCertain) return { path, email, property, result: 'violated', message: `${capitalised(what)}.`, mend };
  const message = `Perhaps ${what}: the service does not show it.`;
  return { path, email, property, result: 'unknown', message, mend };
}

function whole({ email }: Person): Whom {
  return { email, property: null };
}

/** A rule about a misspelt role or property would never be broken. */
function knownNames(policy: Policy, { roles, facts, properties }: Account): readonly Found[] {
  const known = [...new Set([...roles, ...facts.flatMap((fact) => fact.roles ?? [])])];
  const ids = properties.map(({ id }) => id);
  const lacks = (noun: string, path: Path, name: string, names: readonly string[]): Found => {
    const meant = didYouMean(nearest(name, names));
    const message = `The service lists no ${noun} ${quote(name)}.${meant === undefined ? '' : ` ${meant}`}`;
    const mend = [noun === 'role' ? 'roles' : 'properties', 'list'];
    return { path, email: null, property: null, result: 'unknown', message, mend };
  };
  return [
    ...namedRoles(policy).flatMap(([path, role]) =>
      has(known, role) ? [] : [lacks('role', path, role, known)],
    ),
    ...Object.keys(policy.properties ?? {}).flatMap((name) =>
      idOf(name, properties) === undefined ? [lacks('property', ['properties', name], name, ids)] : [],
    ),
  ];
}

/** The roles that a policy names, each with its place. */
export function namedRoles({
  mfa,
  domains,
  separate,
  properties,
}: Policy): readonly (readonly [Path, string])[] {
  const lists: readonly (readonly [Path, readonly string[]])[] = [
    [['mfa', 'required_for'], (mfa?.required_for ?? []).filter((each) => !groups.includes(each))],
    [['domains', 'others'], domains?.others?.roles ?? []],
    ...(separate ?? []).map((group, index) => [['separate', index], group] as const),
  ];
  return [
    ...lists.flatMap(([path, roles]) => roles.map((role) => [path, role] as const)),
    ...Object.entries(properties ?? {}).flatMap(([property, roles]) =>
      Object.keys(roles).map((role) => [['properties', property, role], role] as const),
    ),
  ];
}

const groups: readonly string[] = ['everyone', 'admins'];

/** The id of a property by id or code, in any case of letters. */
function idOf(name: string, properties: Account['properties']): string | undefined {
  const isMeant = (other = '') => sameName(other) === sameName(name);
  return (properties.find(({ id }) => isMeant(id)) ?? properties.find(({ code }) => isMeant(code)))?.id;
}

/** Whether a role is among those shown; `null` if none are shown. */
function has(roles: readonly string[] | null, role: string): boolean | null {
  return roles?.some((each) => sameName(each) === sameName(role)) ?? null;
}

function onlyAdmins({ admins }: Policy, { dialect }: Account, people: readonly Person[]): readonly Found[] {
  if (admins?.only === undefined) return [];
  const { only } = admins;
  return people.flatMap((person) => {
    if (person.isAdmin === false || isNamed(person.email, only)) return [];
    const facts = person.facts.filter(({ account_admin: isAdmin }) => isAdmin === person.isAdmin);
    const mend = mending(person, facts, demotion(dialect));
    const verb = facts.some(({ source }) => source === 'user') ? 'is' : 'is invited as';
    const clause = `${verb} an account admin, and not one of those named`;
    return [found(person.isAdmin === true, ['admins', 'only'], whole(person), clause, mend)];
  });
}

/** The command that makes a user no account admin, and its flags; where no field does, the user can only be disabled. */
function demotion(dialect: Account['dialect']): readonly [string, ...string[]] {
  const isField = takes(dialect, 'updateUser', 'is_account_admin');
  return isField ? ['users update', '--is-account-admin', 'false'] : ['users disable'];
}

function countAdmins({ admins }: Policy, { dialect }: Account, people: readonly Person[]): readonly Found[] {
  const tally = tallyOf(people, ({ account_admin: isAdmin }) => isAdmin);
  return outOfBounds(['admins'], { email: null, property: null }, admins ?? {}, tally, {
    nouns: ['account admin', 'account admins'],
    less: demotion(dialect).flatMap((words) => words.split(' ')),
    more: ['invitations', 'create', '--is-account-admin'],
  });
}

/** How many people hold something: users for certain, users at most, and the same with invitations. */
type Tally = Readonly<Record<'active' | 'activeAtMost' | 'all' | 'allAtMost', number>>;

/** @param holds `null`: not shown. */
function tallyOf(people: readonly Person[], holds: (fact: Fact) => boolean | null): Tally {
  const count = (counts: (fact: Fact) => boolean) => people.filter(({ facts }) => facts.some(counts)).length;
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
  { min = 0, max = Number.POSITIVE_INFINITY }: Bounds,
  { active, activeAtMost, all, allAtMost }: Tally,
  {
    nouns,
    less,
    more,
  }: Readonly<Record<'less' | 'more', readonly string[]> & { nouns: readonly [string, string] }>,
): readonly Found[] {
  const subject = whom.property === null ? 'the account has' : 'has';
  const low = `${subject} ${counted(active, ...nouns)} without invitations, and needs ${min}`;
  const most = all > max ? all : allAtMost;
  const high = `${subject} ${counted(most, ...nouns)} with invitations, and may have ${max}`;
  return [
    ...(active < min ? [found(activeAtMost < min, [...path, 'min'], whom, low, more)] : []),
    ...(allAtMost > max ? [found(all > max, [...path, 'max'], whom, high, less)] : []),
  ];
}

function requireMfa({ mfa }: Policy, _: Account, people: readonly Person[]): readonly Found[] {
  const clause = 'has no second factor, which only the person can set up';
  return people.flatMap((person) => {
    const needs = anyOf((mfa?.required_for ?? []).map((group) => isIn(person, group)));
    const users = person.facts.filter((fact) => fact.source === 'user' && fact.mfa !== true);
    if (needs === false) return [];
    return [...groupBy(users, ({ subject_id: id }) => id).values()].map((facts) => {
      const isCertain = needs === true && facts.every((fact) => fact.mfa === false);
      const mend = mending(person, facts, ['users disable']);
      return found(isCertain, ['mfa', 'required_for'], whole(person), clause, mend);
    });
  });
}

/** Whether somebody is among those who need a second factor; `null` if it is not shown. */
function isIn({ facts, isAdmin }: Person, group: string): boolean | null {
  if (group === 'everyone') return true;
  return group === 'admins' ? isAdmin : anyOf(facts.map(({ roles }) => has(roles, group)));
}

function requireEmployees(
  { employees }: Policy,
  account: Account,
  people: readonly Person[],
): readonly Found[] {
  if (employees === undefined) return [];
  const working = new Set(account.employees?.map(sameName));
  const outside = people.filter(
    ({ email }) => !working.has(sameName(email)) && !isNamed(email, employees.except ?? []),
  );
  return outside.map((person) =>
    found(hasAddress(person), ['employees'], whole(person), `is not in ${employees.file}`, leaving(person)),
  );
}

/** Users without an address are named by their ids. */
function hasAddress({ email }: Person): boolean {
  return email.includes('@');
}

function allowDomains({ domains }: Policy, _: Account, people: readonly Person[]): readonly Found[] {
  if (domains === undefined) return [];
  const { allow, others } = domains;
  const listed = allow.map((domain) => `@${domain}`);
  return people.flatMap((person): readonly Found[] => {
    if (isNamed(person.email, listed)) return [];
    if (others !== undefined && hasAddress(person)) return beyond(person, others.roles);
    const clause = 'has an address of another domain';
    return [found(hasAddress(person), ['domains', 'allow'], whole(person), clause, leaving(person))];
  });
}

/** What somebody of another domain may do besides some roles. */
function beyond(person: Person, allowed: readonly string[]): readonly Found[] {
  const { isAdmin, email, facts } = person;
  const path = ['domains', 'others'];
  const clause = 'with an address of another domain';
  if (isAdmin !== false)
    return [found(isAdmin === true, path, whole(person), `is an account admin ${clause}`, leaving(person))];
  return facts.flatMap((fact) => {
    const others = fact.roles?.filter((role) => !has(allowed, role)) ?? ['in another role'];
    if (others.length === 0) return [];
    return [
      found(
        fact.roles !== null,
        path,
        { ...fact, email },
        `is ${andList(others)} ${clause}`,
        taking(person, [fact]),
      ),
    ];
  });
}

function separateRoles({ separate = [] }: Policy, _: Account, people: readonly Person[]): readonly Found[] {
  return separate.flatMap((group, index) =>
    withoutAdmins(people).flatMap((person) =>
      [...groupBy(person.facts, ({ property }) => property)].flatMap(([property, facts]) => {
        const held = group.filter((role) => anyOf(facts.map(({ roles }) => has(roles, role))) !== false);
        const certain = group.filter((role) => facts.some(({ roles }) => has(roles, role)));
        if (held.length < 2) return [];
        const isCertain = certain.length > 1;
        const clause = `is ${andList(isCertain ? certain : held)} at one property`;
        const whom = { email: person.email, property };
        return [found(isCertain, ['separate', index], whom, clause, taking(person, facts))];
      }),
    ),
  );
}

/** An account admin may do everything everywhere, which only the rules about admins judge. */
function withoutAdmins(people: readonly Person[]): readonly Person[] {
  return people.filter(({ isAdmin }) => isAdmin !== true);
}

function limitProperties({ limits }: Policy, _: Account, people: readonly Person[]): readonly Found[] {
  if (limits === undefined) return [];
  const { properties_per_person: most } = limits;
  return withoutAdmins(people).flatMap((person) => {
    const all = new Set(person.facts.flatMap(({ property }) => property ?? []));
    const isWhole = !all.delete(NOT_SHOWN);
    if (all.size <= most && isWhole) return [];
    const isCertain = all.size > most;
    const clause = isCertain
      ? `has ${all.size} properties, and may have ${most}`
      : `has more than ${counted(most, 'property', 'properties')}`;
    const mend = mending(person, person.facts, ['users revoke']);
    return [found(isCertain, ['limits', 'properties_per_person'], whole(person), clause, mend)];
  });
}

function countRoles(
  { properties = {} }: Policy,
  account: Account,
  people: readonly Person[],
): readonly Found[] {
  return Object.entries(properties).flatMap(([name, roles]) => {
    const id = idOf(name, account.properties);
    if (id === undefined) return [];
    return Object.entries(roles).flatMap(([role, bounds]) => {
      const tally = tallyOf(people, (fact) =>
        fact.property === id || fact.property === NOT_SHOWN ? has(fact.roles, role) : false,
      );
      return outOfBounds(['properties', name, role], { email: null, property: id }, bounds, tally, {
        nouns: [`person with the role ${role}`, `people with the role ${role}`],
        less: ['users', 'revoke', '--property', id],
        more: ['invitations', 'create', '--role', role, '--properties', id],
      });
    });
  });
}

function limitInvitations({ invitations }: Policy, { facts }: Account): readonly Found[] {
  if (invitations === undefined) return [];
  const { max_age_days: most, admins } = invitations;
  const all = groupBy(
    facts.filter(({ source }) => source === 'invitation'),
    ({ email }) => email,
  );
  return [...all].flatMap(([email, facts]) => {
    const [whom, mend] = [{ email, property: null }, about('invitations delete', email)];
    const age = Math.max(-1, ...facts.flatMap(({ age_days: days }) => days ?? []));
    const isCertain = most !== undefined && age > most;
    const isOld = isCertain || (most !== undefined && facts.some(({ age_days: days }) => days === undefined));
    const pending = facts.filter(({ state }) => state === 'invited');
    const isPower = anyOf(pending.map(({ account_admin: isAdmin }) => isAdmin));
    const old = isCertain
      ? `was invited ${counted(age, 'day')} ago, more than ${most}`
      : 'is invited for too long';
    return [
      ...(isOld ? [found(isCertain, ['invitations', 'max_age_days'], whom, old, mend)] : []),
      ...(admins === 'forbid' && isPower !== false
        ? [found(isPower === true, ['invitations', 'admins'], whom, 'is invited to full access', mend)]
        : []),
    ];
  });
}

function requireRoles(
  { no_roles: decision }: Policy,
  _: Account,
  people: readonly Person[],
): readonly Found[] {
  if (decision !== 'forbid') return [];
  return withoutAdmins(people).flatMap((person) =>
    person.facts.flatMap((fact) => {
      const { roles, property } = fact;
      if ((roles !== null && roles.length > 0) || (property === null && person.facts.length > 1)) return [];
      const clause =
        property === null ? 'has no property, and sees nothing' : 'has no role there, and sees nothing';
      const isCertain = roles !== null && person.isAdmin === false;
      const mend = property === null ? leaving(person) : taking(person, [fact]);
      return [found(isCertain, ['no_roles'], { email: person.email, property }, clause, mend)];
    }),
  );
}

function leaving(person: Person): readonly string[] {
  return mending(person, person.facts, ['people offboard']);
}

/** Takes away the property of some facts. */
function taking(person: Person, facts: readonly Fact[]): readonly string[] {
  const property = facts[0]?.property ?? NOT_SHOWN;
  return mending(person, facts, [
    'users revoke',
    ...(property === NOT_SHOWN ? [] : ['--property', property]),
  ]);
}

/** A command about the user of some facts, or the withdrawal of the invitation if there is no user. */
function mending(
  { email, isShared }: Person,
  facts: readonly Fact[],
  [command, ...flags]: readonly [string, ...string[]],
): readonly string[] {
  const user = facts.find(({ source }) => source === 'user');
  if (user === undefined) return about('invitations delete', email);
  const { subject_id: id = user.email } = user;
  return about(command, isShared ? id : user.email, ...flags);
}

function about(command: string, name: string, ...flags: readonly string[]): readonly string[] {
  const words = command.split(' ');
  return name.startsWith('-') ? [...words, ...flags, '--', name] : [...words, name, ...flags];
}
