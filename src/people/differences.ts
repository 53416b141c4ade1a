import { isDeepStrictEqual } from 'node:util';
import { groupBy } from '../model/records.ts';
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

/** The differences between the facts of two reports, by person. The order of facts does not matter. */
export function differencesOf(before: readonly Fact[], after: readonly Fact[]): readonly FactDifference[] {
  const [old, now] = [byPlace(before, after), byPlace(after, before)];
  const keys = [...new Set([...old.keys(), ...now.keys()])].sort();
  return keys.flatMap((key): readonly FactDifference[] => {
    const [one, other] = [old.get(key), now.get(key)];
    if (one === undefined) return other === undefined ? [] : [{ change: 'gained', after: other }];
    if (other === undefined) return [{ change: 'lost', before: one }];
    return fieldsBetween(one, other).length === 0 ? [] : [{ change: 'changed', before: one, after: other }];
  });
}

/** The fields in which two facts differ. */
export function fieldsBetween(one: Fact, other: Fact): readonly ComparedField[] {
  return compared.filter((field) => !isDeepStrictEqual(one[field], other[field]));
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
    // Without a property no person may do anything; an account admin is judged by the fact with `*`.
    if (now.property === null) return false;
    if (admins.get(holderOf(now))?.some(({ state }) => reach[state] >= reach[now.state])) return false;
    if (old === undefined || reach[old.state] < reach[now.state]) return true;
    return (now.account_admin && !old.account_admin) || hasNewRole(old.roles, now.roles);
  };
}

/**
 * The facts by whose they are, and where; and one without a property for a person who has such a fact only in the other report: it is
 * neither gained nor lost, but its state may have changed.
 */
function byPlace(facts: readonly Fact[], others: readonly Fact[]): ReadonlyMap<string, Fact> {
  const holders = groupBy(facts, holderOf);
  const placeless = others.flatMap((other): readonly Fact[] => {
    const [first] = holders.get(holderOf(other)) ?? [];
    if (other.property !== null || first === undefined) return [];
    return [{ ...first, property: null, property_name: '', roles: other.roles }];
  });
  return new Map(
    [...placeless, ...facts].map((fact) => [JSON.stringify([holderOf(fact), fact.property]), fact]),
  );
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
