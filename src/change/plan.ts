import {
  bodyOf,
  type Entry,
  identityOf,
  inventoryName,
  levelsOf,
  listed,
  missingToCreate,
  placesText,
} from '../files/entry.ts';
import type { EntryProblem } from '../files/read.ts';
import type { PastRow } from '../journal/history.ts';
import { momentOf } from '../model/dates.ts';
import { CliError, type Detail, ExitCode, invalidInput } from '../model/errors.ts';
import { hashOf } from '../model/json-text.ts';
import {
  type InventoryKind,
  isInventory,
  type Kind,
  kindText,
  severalOf,
  timeFields,
} from '../model/kinds.ts';
import { groupBy, recordsIn, type ServiceRecord } from '../model/records.ts';
import { heldEmailProblem, quote, sameName } from '../model/text.ts';
import { clip } from '../print/text.ts';
import { reasonsAgainst } from '../service/property-names.ts';
import { shownInventory } from './compare.ts';
import { mayShowLater, settleCreations, unseenLeft } from './creation-rules.ts';
import { wholeViews } from './inventory-row.ts';
import { type Item, itemFor } from './item.ts';
import {
  idIn,
  isArchived,
  type Listing,
  listingOf,
  lookFor,
  nameOf,
  openPeople,
  orMissing,
  type PlanApi,
  type PlanContext,
  type PlanOptions,
  usableId,
} from './listing.ts';
import { type PeopleContext, planInventory, planInvitation, planProperty, planUser } from './match.ts';
import { createResolver, readRoles, referencesIn, roleProblems } from './named.ts';
import { unresolvedItems } from './row.ts';
import { mapEach } from './workers.ts';

/**
 * Plans the changes that make the service match the entries. Only reads.
 *
 * @param entries of one manifest, unique by kind and name.
 * @returns one item for each entry, in their order, then the deletions.
 * @throws {CliError} when the service cannot be read.
 */
export async function buildPlan(
  entries: readonly Entry[],
  api: PlanApi,
  options: PlanOptions,
): Promise<readonly Item[]> {
  const leaving = unwanted(entries, options);
  const planned = await planEntries(entries, planProperty, { api, options });
  const { properties, people, inventory, resolve } = planned;
  const itemOf = (entry: Entry) => properties.get(entry) ?? inventory.get(entry) ?? people.get(entry) ?? [];
  const items = await settleCreations(entries.flatMap(itemOf), api, options);
  const named = entries.flatMap((entry) => [...(resolve(entry).ids ?? []), ...(referencesIn(entry) ?? [])]);
  const linked = [...inventory.values()].flatMap(({ links }) => [...(links?.values() ?? [])]);
  const used = new Set([
    ...named,
    ...[...properties.values()].flatMap(({ id }) => id ?? []),
    ...linked.flatMap((link) => ('id' in link ? [link.id] : [])),
  ]);
  // A unit that an entry is about may have been created under another name of its property.
  const kept = new Set([...inventory.values()].map(({ id }) => id));
  return [...items, ...(await planDeletions(leaving, used, kept, planned))];
}

/** @param planHotel plans a property, which others name. */
async function planEntries(entries: readonly Entry[], planHotel: typeof planProperty, context: PlanContext) {
  const { api, options } = context;
  const hotels = await listProperties(entries, api);
  const planEach = async (kinds: readonly Kind[], plan: (entry: Entry) => Promise<Item>) => {
    const own = entries.filter(({ kind }) => kinds.includes(kind));
    return new Map(await mapEach(own, options.workers, async (entry) => [entry, await plan(entry)] as const));
  };
  const properties =
    hotels === undefined
      ? new Map<Entry, Item>()
      : await planEach(['property'], (entry) => planHotel(entry, hotels, context));
  const resolve = createResolver(hotels, properties.values());
  const listings = openPeople(api);
  const roles = await readRoles(entries, api, options.warn);
  const withPeople = { ...context, resolve, listings, roles };
  const people = await planEach(['invitation', 'user'], (entry) =>
    (entry.kind === 'user' ? planUser : planInvitation)(entry, withPeople),
  );
  const unresolved = unresolvedItems([...properties.values()]);
  const inventory = await planInventory(entries, unresolved, { ...context, resolve });
  return { ...withPeople, properties, people, inventory };
}

/**
 * Where entries name what the service does not have (roles, properties, people, groups), and what new hotels lack. Only lists are
 * read.
 *
 * @param entries of files that are wrong; of some only a part is known.
 * @returns none, after a warning, if the service does not answer.
 */
export async function unknownNames(
  entries: readonly Entry[],
  api: PlanApi,
  options: PlanOptions,
): Promise<readonly (EntryProblem | Detail)[]> {
  const isBeyond = api.dialect.further.listUnits === undefined;
  const isNamed = ({ kind, fields }: Entry) =>
    !isInventory(kind) ||
    (!isBeyond && inventoryName(kind, fields) !== undefined && fields['names'] === undefined);
  const known = async (entry: Entry, { withName }: Listing) => {
    const id = usableId(withName(entry.name)[0]?.['id']);
    return itemFor(entry, id === undefined ? 'create' : 'same', { entry, id, body: bodyOf(entry) });
  };
  try {
    const planned = await planEntries(entries.filter(isNamed), known, { api, options });
    const created = [...planned.properties.values(), ...planned.inventory.values()];
    const lacking = lackingIn(created, api.dialect).details;
    const unknown = [...planned.people, ...planned.inventory].flatMap(([entry, { action, reason = '' }]) => {
      if (action !== 'conflict') return [];
      const references = {
        field: isInventory(entry.kind) ? 'property' : 'properties',
        reason: planned.resolve(entry).problem,
      };
      const field = entry.fields['role'] === undefined ? 'roles' : 'role';
      const roles = roleProblems(entry, [], planned.roles).map((each) => ({ field, reason: each }));
      const all = [references, ...roles].flatMap((each) =>
        each.reason ? [{ ...each, reason: each.reason }] : [],
      );
      const isAll = all.map((each) => each.reason).join('; ') === reason;
      return (isAll ? all : [{ reason }]).map((each) => ({ entry, ...each }));
    });
    return [...lacking, ...unknown];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    await options.warn(`Roles, properties and people of the files were not looked up: ${error.message}`);
    return [];
  }
}

const TIMES_HINT =
  'No service shows times of day; to export with them: innctl export --default-check-in-time 15:00 --default-check-out-time 11:00';

/**
 * Refuses to create a record without required fields, which other entries may omit; says what is in conflict, too.
 *
 * @throws {CliError} exit 2 naming file and row of each, and what it lacks.
 */
export function refuseIncomplete(items: readonly Item[], { dialect }: Pick<PlanApi, 'dialect'>): void {
  const { details, missing } = lackingIn(items, dialect);
  const isExported = missing.some((fields) => fields.every((field) => timeFields.includes(field)));
  const hint = isExported ? TIMES_HINT : undefined;
  if (details.length === 0) return;
  const conflicts = items.flatMap(({ action, entry, reason = '' }) =>
    action === 'conflict' && entry !== undefined ? [{ field: placesText([entry.place]), reason }] : [],
  );
  const all = [...details, ...conflicts];
  throw invalidInput(all, hint, all.length, 'problems in the files');
}

/** What records lack that are to be created: one detail for those of a kind that lack the same. */
function lackingIn(items: readonly Item[], dialect: PlanApi['dialect']) {
  const lacking = items.flatMap(({ action, entry, body = {} }) => {
    const missing = action === 'create' && entry ? missingToCreate(entry.kind, body, dialect) : [];
    return entry === undefined || missing.length === 0 ? [] : [{ entry, missing }];
  });
  const alike = [
    ...groupBy(lacking, ({ entry, missing }) =>
      [entry.place.file, entry.kind, ...missing].join('\0'),
    ).values(),
  ];
  const details = alike.map((rows): Detail => {
    const [{ entry, missing }] = rows;
    const names = rows.map((row) => quote(row.entry.name));
    const [are, kind, them] =
      names.length === 1 ? ['is', kindText(entry.kind), 'it'] : ['are', severalOf(entry.kind), 'them'];
    const none = `there ${are} no ${kind} ${listed(names)} yet`;
    const field = placesText(rows.map((row) => row.entry.place));
    return { field, reason: `${none}, and to create ${them} these are missing: ${missing.join(', ')}` };
  });
  return { details, missing: alike.map(([{ missing }]) => missing) };
}

async function listProperties(entries: readonly Entry[], api: PlanApi): Promise<Listing | undefined> {
  const isNeeded = entries.some(({ kind }) => kind === 'property');
  if (!isNeeded && !entries.some((entry) => (referencesIn(entry) ?? []).length > 0)) return undefined;
  return listingOf('property', '', api).catch((cause) => unlessForbidden(cause, isNeeded));
}

/** Some tokens may not list properties: then references are not checked here. */
function unlessForbidden(cause: unknown, isNeeded: boolean): undefined {
  if (isNeeded || !(cause instanceof CliError) || cause.exitCode !== ExitCode.forbidden) throw cause;
}

/** Difference allowed between the clocks of this machine and the service. */
const LEEWAY_MS = 10 * 60_000;

/** Code units of one reason of the service. */
const LONGEST_REASON = 1_000;

/** The rows that these files created and that no entry wants any more; none without --prune. */
function unwanted(entries: readonly Entry[], { memory, prune }: PlanOptions): readonly PastRow[] {
  if (!prune) return [];
  const wanted = new Set(entries.map(identityOf));
  // An entry of a user also wants the invitation, until the user exists.
  const isWanted = ({ kind, name }: PastRow) =>
    wanted.has(identityOf({ kind, name })) ||
    (kind === 'invitation' && wanted.has(identityOf({ kind: 'user', name })));
  return memory.created().filter((row) => row.kind !== 'user' && !isWanted(row));
}

/**
 * Plans the deletion of rows that still exist and are certainly ours. A recent one that is not visible stays open.
 *
 * @param used ids of the records that entries are about, or name.
 * @param kept ids of the units and groups that entries are about.
 */
async function planDeletions(
  rows: readonly PastRow[],
  used: ReadonlySet<string>,
  kept: ReadonlySet<string | undefined>,
  context: PeopleContext & PlanContext,
): Promise<readonly Item[]> {
  const { workers, now } = context.options;
  const shown = await shownIds(rows, context);
  const known = rows
    .map((row) => ({ ...row, id: shown.get(row) ?? usableId(row.id), isGone: shown.get(row) === null }))
    .filter(({ kind, id }) => !isInventory(kind) || id === undefined || !kept.has(id));
  const leaving = new Set(known.map(({ id }) => id));
  const planned = async ({ isGone, ...row }: (typeof known)[number]) => {
    const { kind } = row;
    if (kind === 'invitation' || kind === 'user') return invitation(row, context);
    return isGone ? undefined : madeUnderKey({ ...row, kind }, used, leaving, context);
  };
  const items = await mapEach(known, workers, async (row) => {
    const item = await planned(row);
    const isUnseen = item === undefined && mayShowLater(row, now()) && !(await isAccepted(row, context));
    return isUnseen ? unseenLeft(row) : item;
  });
  return leveled(items.flatMap((item) => item ?? []));
}

/** The id under which the list shows a unit of which no answer said the id, because several went out in one request; `null` if it shows none. */
async function shownIds(
  rows: readonly PastRow[],
  { api }: PlanContext,
): Promise<ReadonlyMap<PastRow, string | null>> {
  const items = new Map<Item, PastRow>();
  for (const row of rows)
    if (row.kind === 'unit' && usableId(row.id) === undefined)
      items.set(itemFor(row, 'delete', { body: { name: ownName(row.name) } }), row);
  const { all } = await lookFor([...items.keys()], (item) => items.get(item)?.home ?? '', api);
  // Of several with one name it is not known which is ours.
  const isSure = ([item]: readonly [Item, PastRow]) => (all.get(item)?.length ?? 2) < 2;
  return new Map([...items].filter(isSure).map(([item, row]) => [row, all.get(item)?.[0] ?? null]));
}

/** The name of a unit, or the code of a group, in its property. */
function ownName(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}

/** Whether an invitation is not listed because it was accepted. */
async function isAccepted({ kind, name }: PastRow, { listings }: PeopleContext): Promise<boolean> {
  return kind === 'invitation' && (await listings.users(name)).length > 0;
}

async function invitation(row: PastRow, { listings }: PeopleContext): Promise<Item | undefined> {
  const [record] = await listings.invitations(row.name);
  if (record === undefined) return undefined;
  const problem = heldEmailProblem(row.name);
  const reason = problem === undefined ? ageReason(row, record) : `not deleted: ${problem}`;
  return itemFor(row, reason === undefined ? 'delete' : 'conflict', { seen: hashOf(record), reason, record });
}

/** A row of a kind whose creations have keys. */
type MadeRow = PastRow & { readonly kind: 'property' | InventoryKind };

/**
 * Plans the deletion of a property, or of what it rents out; of some the service says why they cannot be deleted.
 *
 * @param used ids of the records that entries name.
 * @param leaving ids of the records that are to be deleted.
 */
async function madeUnderKey(
  row: MadeRow,
  used: ReadonlySet<string>,
  leaving: ReadonlySet<string | undefined>,
  context: PlanContext,
): Promise<Item | undefined> {
  const { api, options } = context;
  const { kind, id } = row;
  if (id === undefined) return itemFor(row, 'conflict', { reason: 'the journal has no id of it' });
  const found = await readForDeletion(kind, id, api);
  if (found === undefined) return undefined;
  const { record } = found;
  // What it is part of is deleted before it.
  const isPartOfLeaving = isInventory(kind) && leaving.has(idIn(record['connecting_unit']));
  const actions = isPartOfLeaving ? undefined : found.actions;
  const usedReason = used.has(id) ? 'not deleted: another entry names it' : undefined;
  const ownReason =
    nameReason(row, record) ??
    ageReason(row, record) ??
    usedReason ??
    servicesReason({ actions }, options.redactor);
  const isHome = kind === 'property' && ownReason === undefined;
  const strangers = isHome ? await strangersIn(id, leaving, api) : [];
  const ofOthers = `not deleted: these files did not create ${listed(strangers)}`;
  const reason = strangers.length > 0 ? ofOthers : ownReason;
  const known = isInventory(kind) ? { seen: hashOf(shownInventory(kind, record)) } : { seen: hashOf(record) };
  return itemFor(row, reason === undefined ? 'delete' : 'conflict', { id, reason, record, ...known });
}

/** Deletions with their levels: what is made of others is deleted before them. */
function leveled(items: readonly Item[]): readonly Item[] {
  const parts = items.flatMap(({ id, record = {} }) => {
    const ids = recordsIn(record['connected_units'] ?? record['connected_unit_groups']).flatMap(
      (part) => idIn(part) ?? [],
    );
    return id === undefined || ids.length === 0 ? [] : [[id, ids] as const];
  });
  const { levels } = levelsOf(new Map(parts));
  return items.map((item) => ({ ...item, level: levels.get(item.id ?? '') ?? 0 }));
}

/** Units and groups of a property that would go with it, and are not to be deleted themselves. */
export async function strangersIn(
  id: string,
  leaving: ReadonlySet<string | undefined>,
  api: PlanApi,
): Promise<readonly string[]> {
  if (api.dialect.further.listUnits === undefined) return [];
  const names: string[] = [];
  for (const kind of ['unit_group', 'unit'] as const) {
    const listing = await listingOf(kind, id, api);
    const others = listing
      .records()
      .filter((record) => !leaving.has(usableId(record['id'])) && !isArchived(record));
    names.push(
      ...others.map((record) => `${kindText(kind)} ${nameOf(kind, record) ?? String(record['id'])}`),
    );
  }
  return names;
}

/** The record, and its allowed actions if the service lists them; they change by themselves, so they are not in that of a property. */
async function readForDeletion(kind: 'property' | InventoryKind, id: string, api: PlanApi) {
  const { dialect, properties, units, unitGroups, unitAttributes } = api;
  const reading = {
    property: () => properties.readWithActions(id).then((found) => found.property),
    unit: () => units.read(id, wholeViews.unit),
    unit_group: () => unitGroups.read(id, wholeViews.unit_group),
    unit_attribute: () => unitAttributes.read(id),
  };
  const record = await orMissing(reading[kind]());
  if (record === undefined) return undefined;
  const { actions, ...others } = record;
  if (kind !== 'property') return { record, actions };
  const isShown = dialect.expansions?.includes('actions') === true;
  return isShown ? { record: others, actions } : { record, actions: undefined };
}

/** The service's reasons against the deletion, masked before they are clipped: a clipped secret could not be found. */
function servicesReason(record: ServiceRecord, redactor: PlanOptions['redactor']): string | undefined {
  const reasons = reasonsAgainst('Delete', record);
  if (reasons === undefined) return undefined;
  const why = reasons.map(({ reason }) => clip(redactor.text(reason), LONGEST_REASON)).join('; ');
  return `not deleted: ${why === '' ? 'the service does not allow it' : why}`;
}

/** The record may be a new one with the same name. */
function ageReason({ creation }: PastRow, { created }: ServiceRecord): string | undefined {
  const moment = momentOf(created);
  if (moment === undefined || creation === undefined) return undefined;
  const { firstAt, lastAt, sent } = creation;
  if (moment >= firstAt - LEEWAY_MS && moment <= lastAt + LEEWAY_MS) return undefined;
  return `not deleted: was created at ${String(created)}, not by the run of ${new Date(lastAt).toISOString()} (${sent.run})`;
}

/** The id may belong to another record now. */
function nameReason({ kind, name }: MadeRow, record: ServiceRecord): string | undefined {
  const called = nameOf(kind, record) ?? (kind === 'property' ? undefined : '');
  if (called === undefined) return 'not deleted: it has no code now';
  const own = kind === 'unit' || kind === 'unit_group' ? ownName(name) : name;
  if (sameName(called) === sameName(own)) return undefined;
  return `not deleted: it ${kind === 'property' ? 'has the code' : 'is called'} ${quote(called)} now`;
}
