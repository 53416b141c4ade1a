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
import { type Entry, type InventoryKind, identityOf, isInventory, kindText, listed } from './entry.ts';
import { type Item, itemFor } from './item.ts';
import type { RowMemory } from './journal-line.ts';
import type { Listings } from './match-people.ts';
import type { PlanApi, PlanContext, PlanOptions } from './plan-context.ts';
import type { PeopleContext } from './plan-people.ts';
import { codeOf, orMissing, usableId } from './property-index.ts';
import { calledOf, idIn, isArchived, readStock } from './stock.ts';
import { mayShowLater, unreadItem, unseenLeft } from './visibility.ts';
import { eachOf } from './workers.ts';

/** Difference allowed between the clocks of this machine and the service. */
const LEEWAY_MS = 10 * 60_000;

/** Code units of one reason of the service. */
const LONGEST_REASON = 1_000;

/** The rows that these files created and that no entry wants any more; none without --prune. */
export function unwanted(entries: readonly Entry[], { memory, prune }: PlanOptions): readonly RowMemory[] {
  if (!prune) return [];
  const wanted = new Set(entries.map(identityOf));
  // An entry of a user also wants the invitation, until the user exists.
  const isWanted = ({ kind, name }: RowMemory) =>
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
  rows: readonly RowMemory[],
  used: ReadonlySet<string>,
  context: PeopleContext,
): Promise<readonly Item[]> {
  const { listings, options } = context;
  const { workers, now } = options;
  const items = new Map<RowMemory, Item>();
  const leaving = new Set(rows.map(({ id }) => usableId(id)));
  const planned = (row: RowMemory) => {
    if (isInventory(row.kind)) return inventory(row, row.kind, used, leaving, context);
    return row.kind === 'property' ? property(row, used, leaving, context) : invitation(row, listings);
  };
  const look = (some: readonly RowMemory[]) =>
    eachOf(some, workers, async (row) => {
      const item = await planned(row);
      if (item !== undefined) items.set(row, item);
    });
  await look(rows);
  const unseen = () =>
    rows.filter((row) => !items.has(row) && mayShowLater(row, now()) && !isAccepted(row, listings));
  const hidden = unseen().filter(({ kind }) => kind !== 'invitation');
  if (hidden.length > 0 && (await context.waitOnce())) await look(hidden);
  for (const row of unseen()) items.set(row, unseenLeft(row, now()));
  return leveled(rows.flatMap((row) => items.get(row) ?? []));
}

/** Whether an invitation is not listed because it was accepted. */
function isAccepted({ kind, name }: RowMemory, { users }: Listings): boolean {
  return kind === 'invitation' && users.withEmail(name).length > 0;
}

function invitation(row: RowMemory, { invitations }: Listings): Item | undefined {
  const [record] = invitations.withEmail(row.name);
  if (record === undefined) return undefined;
  const problem = heldEmailProblem(row.name);
  const reason = problem === undefined ? ageReason(row, record) : `not deleted: ${problem}`;
  return itemFor(row, reason === undefined ? 'delete' : 'conflict', { seen: hashOf(record), reason });
}

async function property(
  row: RowMemory,
  used: ReadonlySet<string>,
  leaving: ReadonlySet<string | undefined>,
  context: PlanContext,
): Promise<Item | undefined> {
  const { api, options, readForRow } = context;
  const id = usableId(row.id);
  if (id === undefined) return itemFor(row, 'conflict', { reason: 'the journal has no id of it' });
  const found = await readForRow(() => readForDeletion(id, api));
  if (found instanceof CliError)
    return unreadItem(row, found, options, { id, reason: `not deleted: ${found.message}` });
  if (found === undefined) return undefined;
  const { record, actions } = found;
  const usedReason = used.has(id) ? 'not deleted: another entry names it' : undefined;
  const ownReason = codeReason(row, record) ?? ageReason(row, record) ?? usedReason;
  const others =
    ownReason ?? servicesReason({ actions }, options.redactor) ?? (await strangersIn(id, leaving, context));
  if (others instanceof CliError)
    return unreadItem(row, others, options, { id, reason: `not deleted: ${others.message}` });
  const reason = others;
  return itemFor(row, reason === undefined ? 'delete' : 'conflict', { id, seen: hashOf(record), reason });
}

/**
 * Plans the deletion of what a property rents out; of a unit that cannot be deleted the service says why.
 *
 * @param used ids of the records that entries name.
 * @param leaving ids of the records that are to be deleted.
 */
async function inventory(
  row: RowMemory,
  kind: InventoryKind,
  used: ReadonlySet<string>,
  leaving: ReadonlySet<string | undefined>,
  { api, options, readForRow }: PlanContext,
): Promise<Item | undefined> {
  const id = usableId(row.id);
  if (id === undefined) return itemFor(row, 'conflict', { reason: 'the journal has no id of it' });
  const { units, unitGroups, unitAttributes } = api;
  const reading = {
    unit: () => units.read(id, { expand: ['connectedUnits', 'actions'] }),
    unit_group: () => unitGroups.read(id, { expand: ['connectedUnitGroups'] }),
    unit_attribute: () => unitAttributes.read(id),
  };
  const record = await readForRow(() => orMissing(reading[kind]()));
  if (record instanceof CliError)
    return unreadItem(row, record, options, { id, reason: `not deleted: ${record.message}` });
  if (record === undefined) return undefined;
  const name = calledOf(kind, record) ?? '';
  const own = kind === 'unit_attribute' ? row.name : row.name.slice(row.name.indexOf('/') + 1);
  const nameReason =
    sameName(own) === sameName(name) ? undefined : `not deleted: it is called ${quote(name)} now`;
  const usedReason = used.has(id) ? 'not deleted: another entry names it' : undefined;
  // What it is part of is deleted before it.
  const isPartOfLeaving = leaving.has(idIn(record['connecting_unit']));
  const actions = isPartOfLeaving ? {} : { actions: record['actions'] };
  const reason =
    nameReason ?? ageReason(row, record) ?? usedReason ?? servicesReason(actions, options.redactor);
  const seen = hashOf(shownInventory(kind, record));
  return itemFor(row, reason === undefined ? 'delete' : 'conflict', { id, seen, reason, record });
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

/** The property, and its allowed actions if the service lists them; they change by themselves, so they are not in the record. */
async function readForDeletion(id: string, { dialect, properties }: PlanApi) {
  if (dialect.expansions?.includes('actions') !== true) {
    const record = await orMissing(properties.read(id));
    return record && { record, actions: undefined };
  }
  const found = await orMissing(properties.readWithActions(id).then(({ property: each }) => each));
  if (found === undefined) return undefined;
  const { actions, ...record } = found;
  return { record, actions };
}

/** The service's reasons against the deletion, masked before they are clipped: a clipped secret could not be found. */
function servicesReason(record: ServiceRecord, redactor: PlanOptions['redactor']): string | undefined {
  const reasons = reasonsAgainst('Delete', record);
  if (reasons === undefined) return undefined;
  const why = reasons.map(({ reason }) => clip(redactor.text(reason), LONGEST_REASON)).join('; ');
  return `not deleted: ${why === '' ? 'the service does not allow it' : why}`;
}

/** The record may be a new one with the same name. */
function ageReason({ runId, at, keyAge, madeAt }: RowMemory, { created }: ServiceRecord): string | undefined {
  const moment = momentOf(created);
  if (moment === undefined) return undefined;
  const since = keyAge?.since ?? madeAt ?? at;
  if (moment >= since - LEEWAY_MS && moment <= at + LEEWAY_MS) return undefined;
  return `not deleted: was created at ${String(created)}, not by the run of ${new Date(at).toISOString()} (${runId})`;
}

/** The id may belong to another property now. */
function codeReason({ name }: RowMemory, record: ServiceRecord): string | undefined {
  const code = codeOf(record);
  if (code === undefined) return 'not deleted: the service does not show its code';
  if (sameName(code) === sameName(name)) return undefined;
  return `not deleted: it has the code ${quote(code)} now`;
}
