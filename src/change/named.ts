import { bodyOf, type Entry, keyOf } from '../files/entry.ts';
import { olderRoles, placedRoles, rolesOf } from '../model/access.ts';
import { CliError } from '../model/errors.ts';
import { type InventoryKind, isInventory, kindTable, kindText } from '../model/kinds.ts';
import { isRecord } from '../model/records.ts';
import { nearest, quote, sameName, suggestion } from '../model/text.ts';
import { readWhole } from '../service/paging.ts';
import { createPropertyNames, propertyNameProblem } from '../service/property-names.ts';
import type { Api } from '../service/service.ts';
import { type Item, type Link, linkKey } from './item.ts';
import { isArchived, type Listing, usableId } from './listing.ts';

/** Resolves the properties that people's entries name by an id, or by a code, case-insensitively. */
export type ResolveReferences = ReturnType<typeof createResolver>;

/** The property of a reference, or why there is none. */
type Meant = { readonly id: string } | { readonly problem: string };

/** The references of an entry, as its file writes them; `undefined` if it has none. */
export function referencesIn({ kind, fields }: Entry): readonly string[] | undefined {
  const { properties, [placedRoles]: roles, property } = fields;
  if (isInventory(kind)) return typeof property === 'string' ? [property] : undefined;
  if (kind === 'property' || !(Array.isArray(properties) || Array.isArray(roles))) return undefined;
  const all: readonly unknown[] = Array.isArray(properties) ? properties : [];
  const placed = (Array.isArray(roles) ? roles : []).map((entry) => (isRecord(entry) ? entry['id'] : entry));
  return [...all, ...placed.filter((id) => !all.includes(id))].filter((each) => typeof each === 'string');
}

/**
 * Creates a resolver of references to existing and planned properties.
 *
 * @param listing `undefined` if properties cannot be listed: then references are taken as ids.
 * @param items the planned properties of the manifest.
 */
export function createResolver(listing: Listing | undefined, items: Iterable<Item>) {
  const planned = new Map([...items].map((item) => [sameName(item.name), item]));
  const names = createPropertyNames(listing?.records() ?? []);
  const means = (reference: string, isHeld: boolean): Meant => {
    if (listing === undefined) return { id: reference };
    const isListed = (id: string) => isHeld || listing.withId(id) !== undefined;
    const all = new Set([
      ...(isListed(reference) ? [reference] : []),
      ...byCode(reference, listing, planned.get(sameName(reference))),
    ]);
    const [id] = all;
    if (id === undefined && planned.has(sameName(reference)))
      return { problem: `property ${quote(reference)} is in conflict itself` };
    if (id === undefined) {
      const unknown = `no property has the id or code ${quote(reference)}`;
      return { problem: propertyNameProblem(reference, names.idsOf(reference)) ?? unknown };
    }
    if (all.size > 1) return { problem: `${quote(reference)} may mean ${[...all].join(' or ')}` };
    const namesake = planned.get(sameName(id));
    const isTaken = namesake?.action === 'create' && namesake.id === undefined && isListed(id);
    return isTaken ? { problem: `${quote(id)} is an id, and the code of a property to be created` } : { id };
  };
  const known = new Map<string, Meant>();
  const meantBy = (reference: string, held: readonly string[]): Meant => {
    if (held.includes(reference)) return means(reference, true);
    const meant = known.get(reference) ?? means(reference, false);
    known.set(reference, meant);
    return meant;
  };
  /** @param held ids that the person has; the list may lack them, because they are archived or not visible. */
  return (entry: Entry, held: readonly string[] = []) => {
    const references = referencesIn(entry);
    const meant = (references ?? []).map((reference) => meantBy(reference, held));
    return {
      /** The distinct ids; codes for properties that this plan creates. `undefined` if the entry names none. */
      ids: references && [...new Set(meant.flatMap((each) => ('id' in each ? [each.id] : [])))],
      /** Why some references cannot be resolved. */
      problem: meant.flatMap((each) => ('problem' in each ? [each.problem] : [])).join('; ') || undefined,
      /** The id of a reference; the reference itself if it cannot be resolved. */
      idOf(reference: string): string {
        const each = meantBy(reference, held);
        return 'id' in each ? each.id : reference;
      },
    };
  };
}

/** Resolves a code; a property that will be created, or may have been, is named by its code. */
function byCode(reference: string, listing: Listing, item: Item | undefined): readonly string[] {
  if (item?.id !== undefined) return [item.id];
  if (item?.action === 'create' || item?.action === 'cannot_tell') return [item.name];
  return listing.withName(reference).flatMap(({ id }) => usableId(id) ?? []);
}

/** What a name may stand for. */
export interface Known {
  /** The planned rows of inventory, by `keyOf`. */
  readonly planned: ReadonlyMap<string, Item>;
  /** Whether a property does not exist yet. */
  isNew(property: string): boolean;
  /** The records of a kind in a property, or the account; none if the property is new. */
  list(kind: InventoryKind, property: string): Promise<Listing | undefined>;
}

export type Links = ReadonlyMap<string, Link>;

/** What the names in an entry stand for, or why one stands for nothing. */
export async function linksOf(
  { fields, kind: own }: Entry,
  property: string,
  known: Known,
): Promise<Links | string> {
  const links = new Map<string, Link>();
  if (own !== 'unit_attribute')
    links.set(
      linkKey('property', String(fields['property'])),
      known.isNew(property) ? { kind: 'property', name: property } : { id: property },
    );
  for (const { name: field, of } of kindTable[own].fields) {
    if (of === undefined || !isInventory(of)) continue;
    const value = fields[field];
    for (const name of isRecord(value) ? Object.keys(value) : [value].flat()) {
      if (typeof name !== 'string') continue;
      const link = await linkTo(of, name, property, known);
      if (typeof link === 'string') return link;
      links.set(linkKey(field, name), link);
    }
  }
  return links;
}

async function linkTo(
  kind: InventoryKind,
  name: string,
  property: string,
  { planned, list }: Known,
): Promise<Link | string> {
  const item = planned.get(keyOf(kind, property, name));
  const noun = kindText(kind);
  if (item?.id !== undefined) return { id: item.id };
  if (item?.action === 'create' || item?.action === 'cannot_tell') return { kind, name: item.name };
  if (item !== undefined) return `${noun} ${quote(name)} is in conflict itself`;
  const listing = await list(kind, property);
  const found = listing?.withName(name).filter((record) => !isArchived(record)) ?? [];
  const records = found.length > 0 ? found : [listing?.withId(name) ?? []].flat();
  const ids = records.flatMap(({ id }) => usableId(id) ?? []);
  const [id] = ids;
  if (ids.length > 1) return `${quote(name)} may mean ${ids.join(' or ')}`;
  if (id !== undefined) return { id };
  const where = kind === 'unit_attribute' ? '' : ` of ${property}`;
  return `no ${noun}${where} has the ${kind === 'unit_group' ? 'code' : 'name'} or id ${quote(name)}`;
}

/** The roles of the service. */
export type RoleList = NonNullable<Awaited<ReturnType<typeof readRoles>>>;

/**
 * Reads the role list once if an invitation has a role.
 *
 * @param warn called when roles are not checked.
 * @returns `undefined` if the list cannot be read or is empty: then roles are not checked.
 */
export async function readRoles(
  entries: readonly Entry[],
  { roles }: { readonly roles: Pick<Api['roles'], 'list'> },
  warn: (sentence: string) => Promise<void>,
) {
  if (!entries.some((entry) => rolesIn(entry).length > 0)) return undefined;
  const names: string[] = [];
  // It is unknown which field of a role an invitation takes: all texts are.
  const taken = new Set<unknown>();
  let failure: string | undefined;
  try {
    await readWhole(roles.list({}, { limit: Number.POSITIVE_INFINITY }), 'roles', (role) => {
      for (const value of Object.values(role)) taken.add(value);
      if (typeof role['name'] === 'string') names.push(role['name']);
    });
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    failure = cause.message;
  }
  const problem = failure ?? (names.length === 0 ? 'the service lists none' : undefined);
  if (problem === undefined) return { names, taken };
  await warn(`The roles of invitations are not checked: ${problem}`);
  return undefined;
}

/** The unknown roles of an invitation, as clauses. @param held roles of an existing invitation: they count as known. */
export function roleProblems(
  entry: Entry,
  held: readonly unknown[],
  list: RoleList | undefined,
): readonly string[] {
  if (list === undefined) return [];
  return rolesIn(entry).flatMap((role) => {
    const isOlder = entry.fields['role'] === role && Object.hasOwn(olderRoles, role);
    const isTaken = list.taken.has(role) || held.includes(role) || isOlder;
    return isTaken ? [] : [`the service has no role ${quote(role)}${suggestionFor(role, list.names)}`];
  });
}

function rolesIn(entry: Entry): readonly string[] {
  return entry.kind === 'invitation' ? rolesOf(bodyOf(entry)) : [];
}

function suggestionFor(role: string, names: readonly string[]): string {
  const meant = nearest(role, names);
  return suggestion(meant && quote(meant));
}
