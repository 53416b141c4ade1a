import { quote } from '../checks/text.ts';
import { CliError } from '../errors.ts';
import { type Entry, identityOf } from '../manifest/entry.ts';
import type { ServiceRecord } from '../records.ts';
import { hashOf } from './canonical.ts';
import type { Action, Item } from './item.ts';
import type { Listings } from './match-people.ts';
import type { RowMemory } from './memory.ts';
import type { PlanApi, PlanOptions } from './plan-options.ts';
import { bareCode, codeOf, usableId } from './property-index.ts';
import { eachOf } from './workers.ts';

/** What is known of those who stay. */
interface Staying {
  /** Ids of the properties that entries are about, or name. */
  readonly used: ReadonlySet<string>;
  readonly listings: Listings;
}

/** The rows that we created and that no entry wants any more; none unless pruning is asked for. */
export function unwanted(entries: readonly Entry[], { memory, prune }: PlanOptions): readonly RowMemory[] {
  if (!prune) return [];
  const wanted = new Set(entries.map(identityOf));
  // Whoever is to have access stays invited until then.
  const isWanted = ({ kind, name }: RowMemory) =>
    wanted.has(identityOf({ kind, name })) ||
    (kind === 'invitation' && wanted.has(identityOf({ kind: 'user', name })));
  return memory.created().filter((row) => row.kind !== 'user' && !isWanted(row));
}

/** What is to be deleted: what is still there, and certainly the one that we created. */
export async function planDeletions(
  rows: readonly RowMemory[],
  staying: Staying,
  api: Pick<PlanApi, 'properties'>,
  { workers }: PlanOptions,
): Promise<readonly Item[]> {
  const items = new Map<RowMemory, Item>();
  await eachOf(rows, workers, async (row) => {
    const item = row.kind === 'property' ? await property(row, staying, api) : invitation(row, staying);
    if (item !== undefined) items.set(row, item);
  });
  return rows.flatMap((row) => items.get(row) ?? []);
}

function invitation(row: RowMemory, { listings: { invitations } }: Staying): Item | undefined {
  const [record] = invitations.withEmail(row.name);
  return record && { ...blank(row, 'delete'), seen: hashOf(record) };
}

async function property(
  row: RowMemory,
  { used }: Staying,
  api: Pick<PlanApi, 'properties'>,
): Promise<Item | undefined> {
  const id = usableId(row.id);
  if (id === undefined) return { ...blank(row, 'conflict'), reason: 'the journal has no id of it' };
  const record = await readOrMissing(id, api);
  if (record === undefined) return undefined;
  const known = { id, seen: hashOf(record) };
  const usedReason = used.has(id) ? 'not deleted: another entry names it' : undefined;
  const reason = codeReason(row, record) ?? usedReason;
  if (reason !== undefined) return { ...blank(row, 'conflict'), ...known, reason };
  return { ...blank(row, 'delete'), ...known };
}

/** An id may have gone to another property since. */
function codeReason({ name }: RowMemory, record: ServiceRecord): string | undefined {
  const code = codeOf(record);
  if (code === undefined) return 'not deleted: the service does not show its code';
  if (bareCode(code).toLowerCase() === bareCode(name).toLowerCase()) return undefined;
  return `not deleted: it has the code ${quote(code)} now`;
}

async function readOrMissing(
  id: string,
  { properties }: Pick<PlanApi, 'properties'>,
): Promise<ServiceRecord | undefined> {
  try {
    return await properties.read(id);
  } catch (cause) {
    if (cause instanceof CliError && cause.code === 'not_found') return undefined;
    throw cause;
  }
}

function blank({ kind, name }: RowMemory, action: Action): Item {
  return { kind, name, action, steps: [], changes: [], unread: [] };
}
