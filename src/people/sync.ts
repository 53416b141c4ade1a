import { cellValue } from '../files/cells.ts';
import { type Place, placeText } from '../files/entry.ts';
import { isDash, type StaffRow } from '../files/people-file.ts';
import { FileProblem } from '../fs/read.ts';
import { adminFlag, olderRoles } from '../model/access.ts';
import { isOver } from '../model/dates.ts';
import { refuseInvalid } from '../model/errors.ts';
import { groupBy, isSameSet, type ServiceRecord } from '../model/records.ts';
import { counted, inCodeUnits, isLike, sameName } from '../model/text.ts';
import type { Fact } from './access-document.ts';
import { EVERY_PROPERTY } from './facts.ts';
import type { Jobs } from './policy.ts';
import { isNamed } from './policy-rules.ts';

/** The header of a column, and what its cells must be like; `*` stands for any text. */
export type Pattern = readonly [header: string, pattern: string];

/** Somebody who works here, as a file says. */
export interface Employee {
  readonly email: string;
  readonly place: Place;
  /** The last day is over for less than the time of grace: nothing changes. */
  readonly isInGrace: boolean;
  /** `undefined` if no job fits. */
  readonly role: string | undefined;
  /** As written in the file, until they are resolved. */
  readonly properties: readonly string[];
}

/** What says who of a file works here. */
interface StaffRules {
  readonly jobs: Jobs;
  /** The headers of the columns that are read. */
  readonly headers: readonly string[];
  /** What the rows of people who work here are like, besides. */
  readonly where: readonly Pattern[];
  /** Milliseconds since the epoch, and of grace. */
  readonly now: number;
  readonly graceMs: number;
}

/** Whether the file of some rules speaks for an address. */
function isOurs(email: string, { domains, except = [] }: Jobs): boolean {
  const ours = domains.map((domain) => `@${domain}`);
  return isNamed(email, ours) && !isNamed(email, except);
}

/**
 * Who of a file works here.
 *
 * @returns the number of rows that are left out, too.
 * @throws {CliError} exit 2 if most rows have no address, rows of one address disagree, or all people would be leavers.
 */
export function staffIn(rows: readonly StaffRow[], file: string, rules: StaffRules) {
  const { jobs } = rules;
  if (rows.length === 0) throw new FileProblem(file, 'has no rows');
  const read = rows.map((row) => wantedIn(row, rules));
  const without = read.filter(({ email }) => isDash(email)).length;
  if (without * 2 > rows.length)
    throw new FileProblem(file, `has no address in ${without} of ${counted(rows.length, 'row')}`);
  const own = read.filter(({ email }) => isOurs(email, jobs));
  const people = [...groupBy(own, ({ email }) => sameName(email)).values()].map((some) => {
    const fitting = some.filter(({ fits }) => fits);
    const row = fitting.find(({ isGone }) => !isGone) ?? some.find(({ isInGrace }) => isInGrace);
    return { row, first: fitting[0], other: fitting.find(({ key }) => key !== fitting[0]?.key) };
  });
  const problems = people.flatMap(({ first, other }) => {
    const reason = `says another role, property or last day than row ${first?.place.number}, of the same address`;
    return other === undefined ? [] : { field: placeText(other.place), reason };
  });
  refuseInvalid(problems);
  const staff = people.flatMap(({ row }) => row ?? []);
  if (staff.every(({ isInGrace }) => isInGrace))
    throw new FileProblem(
      file,
      'has no row of somebody who works here: check --where, domains and last days',
    );
  return { staff, left: rows.length - own.length };
}

/** What a row says. */
function wantedIn({ place, cells }: StaffRow, { jobs: rules, headers, where, now, graceMs }: StaffRules) {
  const { email, property, until = '', jobs } = rules;
  const cell = (header: string) => cells[headers.indexOf(header)] ?? '';
  const fits = (patterns: readonly Pattern[]) =>
    patterns.every(([header, pattern]) => isLike(sameName(cell(header)), sameName(pattern)));
  const isGone = isOver(cell(until), now);
  const isInGrace = isGone && !isOver(cell(until), now - graceMs);
  const role = isInGrace ? undefined : jobs.find(({ when }) => fits(Object.entries(when)))?.role;
  const written = isDash(cell(property)) ? [] : cellValue('properties', cell(property));
  // The cell of properties holds a list.
  const properties = role === undefined ? [] : (written as readonly string[]);
  const key = JSON.stringify([role, [...new Set(properties.map(sameName))].sort(inCodeUnits), cell(until)]);
  return { email: cell(email), place, fits: fits(where), isGone, isInGrace, role, properties, key };
}

/** The columns of the list of what is to be done by hand: `property` is empty for the account as a whole. */
export const todoColumns = ['email', 'property', 'role_now', 'role_wanted', 'reason'] as const;

/** What no operation changes. */
export type Todo = Readonly<Record<(typeof todoColumns)[number], string>>;

/** What may become of people, in the order in which it is shown. */
export const groups = [
  ['joiner', 'Joiners', 'joins', 'join'],
  ['mover', 'Movers', 'moves', 'move'],
  ['leaver', 'Leavers', 'leaves', 'leave'],
  ['todo', 'To do by hand', 'to do by hand', 'to do by hand'],
  ['unchanged', 'Unchanged', 'unchanged', 'unchanged'],
] as const;

/** What a file changes about one person. */
export interface Change {
  readonly email: string;
  readonly change: (typeof groups)[number][0];
  /** As in the file; `undefined` for people who are not in it. */
  readonly employee?: Employee | undefined;
  /** What is set of the user: enabled, or no account admin. */
  readonly sets: ServiceRecord;
  /** Ids of properties that the user gains and loses. */
  readonly adds: readonly string[];
  readonly removes: readonly string[];
  /** Invitations are withdrawn; after that, somebody is invited. */
  readonly withdraws: boolean;
  readonly invites: boolean;
  readonly reason?: string;
  readonly todo: readonly Todo[];
}

/** What decides about people besides the file. */
interface ChangeRules {
  readonly jobs: Jobs;
  /** Addresses of account admins who may be changed. */
  readonly confirmed: readonly string[];
  /** Whether some operation takes full access from a user. */
  readonly canDemote: boolean;
}

/**
 * What changes until the access of our people is what a file says.
 *
 * @param staff with the ids of their properties.
 * @param facts of the whole account.
 */
export function changesFor(staff: readonly Employee[], facts: readonly Fact[], rules: ChangeRules) {
  const own = facts.filter(({ email }) => isOurs(email, rules.jobs));
  const held = groupBy(own, ({ email }) => sameName(email));
  const listed = new Map(staff.map((employee) => [sameName(employee.email), employee]));
  const addresses = [...new Set([...listed.keys(), ...held.keys()])].sort(inCodeUnits);
  return addresses.flatMap((address) => changeOf(held.get(address) ?? [], listed.get(address), rules) ?? []);
}

const nothing = { sets: {}, adds: [], removes: [], withdraws: false, invites: false, todo: [] } as const;

/** @returns `undefined` for somebody without access who is not in the file, or in grace. */
function changeOf(
  facts: readonly Fact[],
  employee: Employee | undefined,
  { confirmed, canDemote }: ChangeRules,
): Change | undefined {
  const email = facts[0]?.email ?? employee?.email ?? '';
  const users = facts.filter(({ source }) => source === 'user');
  const isInvited = users.length < facts.length;
  const isReached = isInvited || users.some(({ state }) => state !== 'disabled');
  const same: Change = { ...nothing, email, employee, change: 'unchanged' };
  const byHand = (reason: string, role_now = ''): Change => {
    const line = { email, property: '', role_now, role_wanted: employee?.role ?? '', reason };
    return { ...same, change: 'todo', reason, todo: [line] };
  };
  const isAdmin = (some: readonly Fact[]) => some.some((fact) => fact.account_admin);
  const isConfirmed = confirmed.some((each) => sameName(each) === sameName(email));
  const { isInGrace, role, properties } = employee ?? {};
  if (!isReached && role === undefined) {
    // A job that was mistyped is seen, although nothing changes.
    if (employee !== undefined && !isInGrace) return { ...same, reason: 'no job fits' };
    return facts.length === 0 ? undefined : same;
  }
  if (isInGrace) return { ...same, reason: 'in grace' };
  if (employee !== undefined && role === undefined) return byHand('no job fits');
  if (properties?.length === 0) return byHand('no property in the file');
  if (new Set(users.map(({ subject_id: id }) => id)).size > 1)
    return byHand('several users have this address');
  if (isAdmin(facts) && !isConfirmed) return byHand('is an account admin', 'account admin');
  if (role === undefined || properties === undefined) return { ...same, change: 'leaver' };
  if (users.length > 0 && isAdmin(users) && !canDemote)
    return byHand('stays an account admin: no operation changes it', 'account admin');
  const sets = {
    ...(!users.some(({ state }) => state === 'active') && { enabled: true }),
    ...(isAdmin(users) && { [adminFlag]: false }),
  };
  if (users.length > 0) return moved(users, { ...same, sets, withdraws: isInvited }, properties, role);
  if (isInvited && !isAdmin(facts) && isExactly(facts, properties, role)) return same;
  return { ...same, change: isInvited ? 'mover' : 'joiner', invites: true, withdraws: isInvited };
}

/** Whether an invitation gives a role at some properties alone. It may show an older name of the role. */
function isExactly(facts: readonly Fact[], properties: readonly string[], role: string): boolean {
  const places = facts.map(({ property }) => property);
  const isRole = (name: string) => name === role || olderRoles[name]?.includes(role);
  return (
    isSameSet(places, properties) && facts.every(({ roles }) => roles?.length === 1 && roles.every(isRole))
  );
}

const SET_ROLE = "set the role in the service's web app";

/** What a user gains and loses. No operation changes the roles of users. */
function moved(facts: readonly Fact[], change: Change, properties: readonly string[], role: string): Change {
  const { email, sets, withdraws } = change;
  const places = new Map(facts.map((fact) => [fact.property, fact.roles]));
  const held = [...places.keys()].flatMap((id) => (id === null || id === EVERY_PROPERTY ? [] : id));
  const adds = properties.filter((id) => !places.has(id));
  const removes = held.filter((id) => !properties.includes(id));
  const todo = properties.flatMap((property): readonly Todo[] => {
    const now = places.has(property) ? places.get(property) : [];
    if (!now || isSameSet(now, [role])) return [];
    return [{ email, property, role_now: now.join(' and '), role_wanted: role, reason: SET_ROLE }];
  });
  const isMoved = withdraws || Object.keys(sets).length + adds.length + removes.length > 0;
  if (isMoved) return { ...change, change: 'mover', adds, removes, todo };
  return todo.length > 0 ? { ...change, change: 'todo', reason: SET_ROLE, todo } : change;
}

/** `3 join, 1 moves, 2 leave, 4 to do by hand, 37 unchanged.` */
export function sentenceOf(changes: readonly Change[]): string {
  const parts = groups.flatMap(([group, _, one, several]) => {
    const own = changes.filter(({ change }) => change === group);
    const { length } = group === 'todo' ? changes.flatMap(({ todo }) => todo) : own;
    return length === 0 ? [] : `${length} ${length === 1 ? one : several}`;
  });
  return `${parts.join(', ') || 'Nothing to change'}.`;
}

/** `ben@example.com at BER: Housekeeping, wanted FrontDesk; set the role in the service's web app` */
export function todoText({ email, property, role_now: now, role_wanted: wanted, reason }: Todo): string {
  const roles = wanted === '' ? '' : `${now || 'no role'}, wanted ${wanted}; `;
  return `${email}${property && ` at ${property}`}: ${roles}${reason}`;
}
