import { CliError } from '../cli/errors.ts';
import { hashOf } from '../model/canonical.ts';
import { momentOf } from '../model/dates.ts';
import { recordsIn, type ServiceRecord } from '../model/records.ts';
import { heldEmailProblem } from '../model/segment.ts';
import { quote, sameName } from '../model/text.ts';
import { clip } from '../out/text.ts';
import { reasonsAgainst } from '../service/property-names.ts';
import { type Entry, type InventoryKind, identityOf, isInventory } from './entry.ts';
import { type Item, itemFor } from './item.ts';
import type { RowMemory } from './journal-line.ts';
import type { Listings } from './match-people.ts';
import type { PlanApi, PlanContext, PlanOptions } from './plan-context.ts';
import type { PeopleContext } from './plan-people.ts';
import { codeOf, orMissing, usableId } from './property-index.ts';
import { calledOf } from './stock.ts';
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
 * @param used ids of the properties that entries are about, or name.
 */
export async function planDeletions(
  rows: readonly RowMemory[],
  used: ReadonlySet<string>,
  context: PeopleContext,
): Promise<readonly Item[]> {
  const { listings, options } = context;
  const { workers, now } = options;
  const items = new Map<RowMemory, Item>();
  const planned = (row: RowMemory) => {
    if (isInventory(row.kind)) return inventory(row, row.kind, context);
    return row.kind === 'property' ? property(row, used, context) : invitation(row, listings);
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
  return rows.flatMap((row) => items.get(row) ?? []);
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
  { api, options, readForRow }: PlanContext,
): Promise<Item | undefined> {
  const id = usableId(row.id);
  if (id === undefined) return itemFor(row, 'conflict', { reason: 'the journal has no id of it' });
  const found = await readForRow(() => readForDeletion(id, api));
  if (found instanceof CliError)
    return unreadItem(row, found, options, { id, reason: `not deleted: ${found.message}` });
  if (found === undefined) return undefined;
  const { record, actions } = found;
  const usedReason = used.has(id) ? 'not deleted: another entry names it' : undefined;
  const ownReason = codeReason(row, record) ?? ageReason(row, record) ?? usedReason;
  const reason = ownReason ?? servicesReason({ actions }, options.redactor);
  return itemFor(row, reason === undefined ? 'delete' : 'conflict', { id, seen: hashOf(record), reason });
}

/** Plans the deletion of what a property rents out; of a unit that cannot be deleted the service says why. */
async function inventory(
  row: RowMemory,
  kind: InventoryKind,
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
  const isRenamed = !sameName(`/${row.name}`).endsWith(sameName(`/${name}`));
  const ownReason = isRenamed ? `not deleted: it is called ${quote(name)} now` : ageReason(row, record);
  const reason = ownReason ?? servicesReason(record, options.redactor);
  const level = recordsIn(record['connected_units'] ?? record['connected_unit_groups']).length > 0 ? 1 : 0;
  return itemFor(row, reason === undefined ? 'delete' : 'conflict', { id, level, seen: hashOf(id), reason });
}

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
