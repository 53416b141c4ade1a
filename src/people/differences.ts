import { isDeepStrictEqual } from 'node:util';
import { groupBy } from '../model/records.ts';
import { inCodeUnits } from '../model/text.ts';
import type { Fact } from './access-document.ts';
import { EVERY_PROPERTY, holderOf } from './facts.ts';

/** What two reports say differently about one person at one property. */
export type FactDifference =
  | { readonly change: 'gained'; readonly before?: undefined; readonly after: Fact }
  | { readonly change: 'lost'; readonly before: Fact; readonly after?: undefined }
  | { readonly change: 'changed'; readonly before: Fact; readonly after: Fact };

/**
 * The fields that may change. `age_days` changes every day, and `property_name` says nothing of a person; the others say
 * whose fact it is.
 */
export const compared = [
  'name',
  'state',
  'account_admin',
  'roles',
  'mfa',
  'passkeys',
  'invited_by',
  'since',
] as const satisfies readonly (keyof Fact)[];

/** A field in which two facts may differ. */
export type ComparedField = (typeof compared)[number];

/** The differences between the facts of two reports, by person. The order of facts and of roles does not matter. */
export function differencesOf(before: readonly Fact[], after: readonly Fact[]): readonly FactDifference[] {
  const [old, now] = [groupBy(levelled(before, after), keyOf), groupBy(levelled(after, before), keyOf)];
  const keys = [...new Set([...old.keys(), ...now.keys()])].sort();
  return keys.flatMap((key) => differencesWithin(old.get(key) ?? [], now.get(key) ?? []));
}

/** The fields in which two facts differ. */
export function fieldsBetween(one: Fact, other: Fact): readonly ComparedField[] {
  return compared.filter((field) => !isDeepStrictEqual(contentIn(one, field), contentIn(other, field)));
}

/**
 * Whether each of some differences lets somebody do what the earlier report did not: a higher state, another role, the flag of
 * an account admin. Roles that either report does not show count as new; an account admin already had everything.
 */
export function newAccessJudge(before: readonly Fact[]): (difference: FactDifference) => boolean {
  const isAdmin = (fact: Fact) => fact.property === EVERY_PROPERTY && fact.account_admin;
  const admins = groupBy(before.filter(isAdmin), holderOf);
  return ({ before: old, after: now }) => {
    if (now === undefined || reach[now.state] === 0) return false;
    // Without a property nobody may do anything; an account admin is judged by the fact with `*`.
    if (now.property === null) return false;
    if (admins.get(holderOf(now))?.some(({ state }) => reach[state] >= reach[now.state])) return false;
    if (old === undefined || reach[old.state] < reach[now.state]) return true;
    return (now.account_admin && !old.account_admin) || hasNewRole(old.roles, now.roles);
  };
}

/** Whose fact it is, and where. */
function keyOf(fact: Fact): string {
  return JSON.stringify([holderOf(fact), fact.property]);
}

/**
 * The facts, and one without a property for whoever has such a fact only in the other report: it is neither gained nor lost,
 * but its state may have changed.
 */
function levelled(facts: readonly Fact[], others: readonly Fact[]): readonly Fact[] {
  const holders = groupBy(facts, holderOf);
  const placeless = others.filter(({ property }) => property === null);
  const added = placeless.flatMap((other) => {
    const own = holders.get(holderOf(other)) ?? [];
    const [first] = own.toSorted(inOrder);
    if (first === undefined || own.some(({ property }) => property === null)) return [];
    return [{ ...first, property: null, property_name: '', roles: other.roles }];
  });
  return [...facts, ...added];
}

/** A report may have a fact twice: two invitations of one address. Equal ones cancel out, and the others are paired. */
function differencesWithin(before: readonly Fact[], after: readonly Fact[]): readonly FactDifference[] {
  const [old, now] = [without(before, after), without(after, before)];
  const paired = Math.min(old.length, now.length);
  return [
    ...old.slice(paired).map((each) => ({ change: 'lost', before: each }) as const),
    ...now.slice(paired).map((each) => ({ change: 'gained', after: each }) as const),
    ...old.slice(0, paired).flatMap((each, index) => {
      const other = now[index];
      return other === undefined ? [] : [{ change: 'changed', before: each, after: other } as const];
    }),
  ];
}

/** The facts that the others do not have, each as often as it is missing there, in an order of their content. */
function without(facts: readonly Fact[], others: readonly Fact[]): readonly Fact[] {
  const left = groupBy(others, contentOf);
  return facts.filter((fact) => left.get(contentOf(fact))?.pop() === undefined).sort(inOrder);
}

function inOrder(one: Fact, other: Fact): number {
  return inCodeUnits(contentOf(one), contentOf(other));
}

function contentOf(fact: Fact): string {
  return JSON.stringify(compared.map((field) => contentIn(fact, field)));
}

function contentIn(fact: Fact, field: ComparedField): unknown {
  return field === 'roles' ? fact.roles && [...new Set(fact.roles)].sort() : fact[field];
}

/** How far people get in each state. */
const reach: Readonly<Record<Fact['state'], number>> = {
  expired: 0,
  disabled: 0,
  invited: 1,
  active: 2,
};

function hasNewRole(before: readonly string[] | null, after: readonly string[] | null): boolean {
  if (after === null) return before !== null;
  return after.some((role) => before?.includes(role) !== true);
}
