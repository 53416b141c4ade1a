import { CliError } from '../cli/errors.ts';
import { hashOf } from '../model/canonical.ts';
import { momentOf } from '../model/dates.ts';
import { recordsIn, type ServiceRecord } from '../model/records.ts';
import { heldEmailProblem } from '../model/segment.ts';
import { quote, sameName } from '../model/text.ts';
import { clip } from '../print/text.ts';
import { reasonsAgainst } from '../service/property-names.ts';
import { shownInventory } from './compare-inventory.ts';
import { levelsOf } from './connections.ts';
import { mayShowLater, unreadItem, unseenLeft } from './creation-rules.ts';
import { type Entry, type InventoryKind, identityOf, isInventory, kindText, listed } from './entry.ts';
import type { PastRow } from './history.ts';
import { type Item, itemFor } from './item.ts';
import { lookFor } from './look-for.ts';
import type { Listings } from './match-people.ts';
import type { PlanApi, PlanContext, PlanOptions } from './plan-context.ts';
import type { PeopleContext } from './plan-people.ts';
import { codeOf, orMissing, usableId } from './property-index.ts';
import { calledOf, idIn, isArchived, readStock } from './stock.ts';
import { eachOf } from './workers.ts';

/** Difference allowed between the clocks of this machine and the service. */
const LEEWAY_MS = 10 * 60_000;

/** Code units of one reason of the service. */
const LONGEST_REASON = 1_000;

/** The rows that these files created and that no entry wants any more; none without --prune. */
export function unwanted(entries: readonly Entry[], { memory, prune }: PlanOptions): readonly PastRow[] {
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
 */
export async function planDeletions(
  rows: readonly PastRow[],
  used: ReadonlySet<string>,
  context: PeopleContext,
): Promise<readonly Item[]> {
  const { listings, options } = context;
  const { workers, now } = options;
  const items = new Map<PastRow, Item>();
  const shown = await shownIds(rows, context);
  const idOf = (row: PastRow) => shown.get(row)?.[0] ?? row.id;
  const leaving = new Set(rows.map((row) => usableId(idOf(row))));
  await eachOf(rows, workers, async (row) => {
    const isPerson = row.kind === 'invitation' || row.kind === 'user';
    if (shown.get(row)?.length === 0) return;
    const item = isPerson
      ? invitation(row, listings)
      : await madeUnderKey({ ...row, id: idOf(row) }, row.kind, used, leaving, context);
    if (item !== undefined) items.set(row, item);
  });
  for (const row of rows)
    if (!items.has(row) && mayShowLater(row, now()) && !isAccepted(row, listings))
      items.set(row, unseenLeft(row, now()));
  return leveled(rows.flatMap((row) => items.get(row) ?? []));
}

/** The id under which the list shows a unit of which no answer said the id, because several went out in one request; none if it shows none. */
async function shownIds(
  rows: readonly PastRow[],
  { api }: PlanContext,
): Promise<ReadonlyMap<PastRow, readonly string[]>> {
  const items = new Map<Item, PastRow>();
  for (const row of rows)
    if (row.kind === 'unit' && usableId(row.id) === undefined)
      items.set(itemFor(row, 'delete', { body: { name: ownName(row.name) } }), row);
  const { all } = await lookFor([...items.keys()], (item) => items.get(item)?.home ?? '', api);
  // Of several with one name it is not known which is ours.
  const isSure = ([item]: readonly [Item, PastRow]) => (all.get(item)?.length ?? 2) < 2;
  return new Map([...items].filter(isSure).map(([item, row]) => [row, all.get(item) ?? []]));
}

/** The name of a unit, or the code of a group, in its property. */
function ownName(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}

/** Whether an invitation is not listed because it was accepted. */
function isAccepted({ kind, name }: PastRow, { users }: Listings): boolean {
  return kind === 'invitation' && users.withEmail(name).length > 0;
}

function invitation(row: PastRow, { invitations }: Listings): Item | undefined {
  const [record] = invitations.withEmail(row.name);
  if (record === undefined) return undefined;
  const problem = heldEmailProblem(row.name);
  const reason = problem === undefined ? ageReason(row, record) : `not deleted: ${problem}`;
  return itemFor(row, reason === undefined ? 'delete' : 'conflict', { seen: hashOf(record), reason });
}

/**
 * Plans the deletion of a property, or of what it rents out; of some the service says why they cannot be deleted.
 *
 * @param used ids of the records that entries name.
 * @param leaving ids of the records that are to be deleted.
 */
async function madeUnderKey(
  row: PastRow,
  kind: 'property' | InventoryKind,
  used: ReadonlySet<string>,
  leaving: ReadonlySet<string | undefined>,
  context: PlanContext,
): Promise<Item | undefined> {
  const { api, options, readForRow } = context;
  const id = usableId(row.id);
  if (id === undefined) return itemFor(row, 'conflict', { reason: 'the journal has no id of it' });
  const unread = (cause: CliError) =>
    unreadItem(row, cause, options, { id, reason: `not deleted: ${cause.message}` });
  const found = await readForRow(() => readForDeletion(kind, id, api));
  if (found instanceof CliError) return unread(found);
  if (found === undefined) return undefined;
  const { record } = found;
  // What it is part of is deleted before it.
  const isPartOfLeaving = isInventory(kind) && leaving.has(idIn(record['connecting_unit']));
  const actions = isPartOfLeaving ? undefined : found.actions;
  const usedReason = used.has(id) ? 'not deleted: another entry names it' : undefined;
  const ownReason =
    nameReason(row, kind, record) ??
    ageReason(row, record) ??
    usedReason ??
    servicesReason({ actions }, options.redactor);
  const isHome = kind === 'property' && ownReason === undefined;
  const reason = isHome ? await strangersIn(id, leaving, context) : ownReason;
  if (reason instanceof CliError) return unread(reason);
  const known = isInventory(kind)
    ? { seen: hashOf(shownInventory(kind, record)), record }
    : { seen: hashOf(record) };
  return itemFor(row, reason === undefined ? 'delete' : 'conflict', { id, reason, ...known });
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

/** Why a property stays that has units or groups which would go with it, and which no journal created. */
async function strangersIn(
  id: string,
  leaving: ReadonlySet<string | undefined>,
  { api, readForRow }: PlanContext,
): Promise<CliError | string | undefined> {
  if (api.dialect.further.listUnits === undefined) return undefined;
  const names: string[] = [];
  for (const kind of ['unit_group', 'unit'] as const) {
    const stock = await readForRow(() => readStock(kind, id, api));
    if (stock instanceof CliError) return stock;
    const others = stock
      .records()
      .filter((record) => !leaving.has(usableId(record['id'])) && !isArchived(record));
    names.push(
      ...others.map((record) => `${kindText(kind)} ${calledOf(kind, record) ?? String(record['id'])}`),
    );
  }
  return names.length === 0
    ? undefined
    : `not deleted: these files did not create ${listed(names, MOST_STRANGERS)}`;
}

/** Units and groups that a reason names. */
const MOST_STRANGERS = 3;

/** The record, and its allowed actions if the service lists them; they change by themselves, so they are not in that of a property. */
async function readForDeletion(kind: 'property' | InventoryKind, id: string, api: PlanApi) {
  const { dialect, properties, units, unitGroups, unitAttributes } = api;
  const isShown = dialect.expansions?.includes('actions') === true;
  const reading = {
    property: () =>
      isShown ? properties.readWithActions(id).then((found) => found.property) : properties.read(id),
    unit: () => units.read(id, { expand: ['connectedUnits', 'actions'] }),
    unit_group: () => unitGroups.read(id, { expand: ['connectedUnitGroups'] }),
    unit_attribute: () => unitAttributes.read(id),
  };
  const record = await orMissing(reading[kind]());
  if (record === undefined) return undefined;
  const { actions, ...others } = record;
  if (kind !== 'property') return { record, actions };
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
function nameReason(
  { name }: PastRow,
  kind: 'property' | InventoryKind,
  record: ServiceRecord,
): string | undefined {
  const called = kind === 'property' ? codeOf(record) : (calledOf(kind, record) ?? '');
  if (called === undefined) return 'not deleted: the service does not show its code';
  const own = kind === 'unit' || kind === 'unit_group' ? ownName(name) : name;
  if (sameName(called) === sameName(own)) return undefined;
  return `not deleted: it ${kind === 'property' ? 'has the code' : 'is called'} ${quote(called)} now`;
}
