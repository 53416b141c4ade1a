import { CliError } from '../cli/errors.ts';
import { rolesByProperty, rolesOf } from '../model/access.ts';
import { nearest, suggestion } from '../model/names.ts';
import { isSameSet, type Page, type ServiceRecord } from '../model/records.ts';
import { quote, sameName } from '../model/text.ts';
import { readWhole } from '../service/paging.ts';
import type { Api } from '../service/service.ts';
import { bodyOf, type Entry } from './entry.ts';
import type { PastRow } from './history.ts';
import { type FieldChange, rolesField } from './item.ts';
import type { PlanContext } from './plan-context.ts';

/** The users and invitations of some entries and rows of a journal. */
export type Listings = Awaited<ReturnType<typeof listPeople>>;

const none: Awaited<ReturnType<typeof findByEmails>> = { withEmail: () => [], doubt: undefined };

/**
 * Lists invitations, and users if some entry is not among the invited; otherwise these are empty.
 *
 * @param entries invitations, and users with an e-mail address.
 * @param leaving invitations of a journal to look for as well.
 */
export async function listPeople(
  entries: readonly Entry[],
  leaving: readonly PastRow[],
  { api }: { readonly api: Pick<PlanContext['api'], 'invitations' | 'users'> },
) {
  const emails = [...entries, ...leaving].map(({ name }) => name);
  if (emails.length === 0) return { invitations: none, users: none };
  const invitations = await findByEmails(api.invitations.listAll(), 'invitations', emails);
  const others = [...entries, ...leaving].filter(
    ({ kind, name }) => kind === 'user' || invitations.withEmail(name).length === 0,
  );
  if (others.length === 0) return { invitations, users: none };
  const missing = others.map(({ name }) => name);
  return { invitations, users: await findByEmails(api.users.listAll(), 'users', missing) };
}

/**
 * Finds the records with some e-mail addresses in a list.
 *
 * @returns `withEmail`: their records by an e-mail address, case-insensitive. `doubt`: why a person who was not found may still
 *   exist, as a clause.
 */
export async function findByEmails(pages: AsyncIterable<Page>, plural: string, wanted: readonly string[]) {
  const found = new Map<string, ServiceRecord[]>(wanted.map((email) => [sameName(email), []]));
  let nameless = 0;
  const incomplete = await readWhole(pages, plural, (record) => {
    const { email } = record;
    if (typeof email === 'string') found.get(sameName(email))?.push(record);
    else nameless += 1;
  });
  const hiding = nameless > 0 ? `the service lists ${plural} without their e-mail address` : undefined;
  const withEmail = (email: string): readonly ServiceRecord[] => found.get(sameName(email)) ?? [];
  return { withEmail, doubt: incomplete ?? hiding };
}

/**
 * Compares the roles of a user with those of an entry, property by property, ignoring their order. The entry wants no roles at
 * a property that it does not name, unless it removes the property itself.
 *
 * @param idOf the id of a property that the entry names.
 * @returns `differing` has one for each property with a difference; no operation changes roles of users.
 */
export function compareRoles(
  { fields }: Pick<Entry, 'fields'>,
  user: ServiceRecord,
  idOf: (reference: string) => string = (reference) => reference,
): { readonly differing: readonly FieldChange[]; readonly isUnread: boolean } {
  const wanted = rolesByProperty(fields['property_roles'], idOf);
  if (wanted === undefined) return { differing: [], isUnread: false };
  const shown = rolesByProperty(user['property_roles']);
  if (shown === undefined) return { differing: [], isUnread: true };
  const { properties } = fields;
  const kept = Array.isArray(properties) ? new Set(properties.map((each) => idOf(String(each)))) : undefined;
  const others = [...shown.keys()].filter((id) => !wanted.has(id) && kept?.has(id) !== false);
  const pairs = [...wanted.keys(), ...others].map((id) => ({
    field: rolesField(id),
    from: shown.has(id) ? shown.get(id) : [],
    to: wanted.get(id) ?? [],
  }));
  return {
    differing: pairs.filter(({ from, to }) => from !== undefined && !isSameSet(from, to)),
    isUnread: pairs.some(({ from }) => from === undefined),
  };
}

/** Older names that `role` of an invitation accepts; the role list has newer ones. */
const olderNames: readonly string[] = ['FinanceManager', 'ReservationOffice', 'FrontOffice'];

const MOST_NAMED = 20;

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
  let gap: string | undefined;
  try {
    gap = await readWhole(roles.list({}, { limit: Number.POSITIVE_INFINITY }), 'roles', (role) => {
      for (const value of Object.values(role)) taken.add(value);
      if (typeof role['name'] === 'string') names.push(role['name']);
    });
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    gap = cause.message;
  }
  const problem = gap ?? (names.length === 0 ? 'the service lists none' : undefined);
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
    const isOlder = entry.fields['role'] === role && olderNames.includes(role);
    const isTaken = list.taken.has(role) || held.includes(role) || isOlder;
    return isTaken ? [] : [`the service has no role ${quote(role)}${suggestionFor(role, list.names)}`];
  });
}

function rolesIn(entry: Entry): readonly string[] {
  return entry.kind === 'invitation' ? rolesOf(bodyOf(entry)) : [];
}

function suggestionFor(role: string, names: readonly string[]): string {
  const meant = nearest(role, names);
  const more = names.length > MOST_NAMED ? ' and others' : '';
  return suggestion(meant && quote(meant), `it has ${names.slice(0, MOST_NAMED).join(', ')}${more}`);
}
