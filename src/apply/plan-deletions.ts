import { momentOf } from '../api/moment.ts';
import { quote } from '../checks/text.ts';
import { CliError } from '../errors.ts';
import { type Entry, identityOf, sameName } from '../manifest/entry.ts';
import { isRecord, type ServiceRecord } from '../records.ts';
import { hashOf } from './canonical.ts';
import { type Item, itemFor } from './item.ts';
import type { Listings } from './match-people.ts';
import type { RowMemory } from './memory.ts';
import type { PlanApi, PlanOptions } from './plan-options.ts';
import { codeOf, readOrMissing, usableId } from './property-index.ts';
import { eachOf } from './workers.ts';

/** So far apart may the clocks of this machine and of the service be. */
const LEEWAY_MS = 10 * 60_000;

/** What is known of those who stay. */
interface Staying {
  /** Ids of the properties that entries are about, or name. */
  readonly used: ReadonlySet<string>;
  readonly listings: Listings;
}

/** The rows that these files created and that no entry wants any more; none unless pruning is asked for. */
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
  api: Pick<PlanApi, 'dialect' | 'properties'>,
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
  if (record === undefined) return undefined;
  const reason = ageReason(row, record);
  return itemFor(row, reason === undefined ? 'delete' : 'conflict', { seen: hashOf(record), reason });
}

async function property(
  row: RowMemory,
  { used }: Staying,
  api: Pick<PlanApi, 'dialect' | 'properties'>,
): Promise<Item | undefined> {
  const id = usableId(row.id);
  if (id === undefined) return itemFor(row, 'conflict', { reason: 'the journal has no id of it' });
  const record = await readOrMissing(api, id);
  if (record === undefined) return undefined;
  const known = { id, seen: hashOf(record) };
  const usedReason = used.has(id) ? 'not deleted: another entry names it' : undefined;
  const reason =
    codeReason(row, record) ?? ageReason(row, record) ?? usedReason ?? (await servicesReason(id, api));
  if (reason !== undefined) return itemFor(row, 'conflict', { ...known, reason });
  return itemFor(row, 'delete', known);
}

/** What the service says against it, where it can be asked before anything is sent. */
async function servicesReason(
  id: string,
  { dialect, properties }: Pick<PlanApi, 'dialect' | 'properties'>,
): Promise<string | undefined> {
  if (!dialect.goesBeyond) return undefined;
  const { actions } = await withActions(id, properties);
  const known: readonly unknown[] = Array.isArray(actions) ? actions : [];
  const action = known.filter(isRecord).find((each) => each['action'] === 'Delete');
  if (action?.['is_allowed'] !== false) return undefined;
  const reasons: readonly unknown[] = Array.isArray(action['reasons']) ? action['reasons'] : [];
  const said = reasons.filter(isRecord).map(({ message, code }) => String(message ?? code));
  return `not deleted: ${said.length === 0 ? 'the service does not allow it' : said.join('; ')}`;
}

/** What is gone by now says nothing against its deletion. */
async function withActions(id: string, properties: PlanApi['properties']): Promise<ServiceRecord> {
  try {
    return await properties.get(id, { expand: ['actions'] });
  } catch (cause) {
    if (cause instanceof CliError && cause.code === 'not_found') return {};
    throw cause;
  }
}

/** Others may have deleted what we created, and created something of the same name. */
function ageReason({ runId, at, keyAge }: RowMemory, { created }: ServiceRecord): string | undefined {
  const moment = momentOf(created);
  const isOurs =
    moment === undefined || (moment >= (keyAge?.since ?? at) - LEEWAY_MS && moment <= at + LEEWAY_MS);
  if (isOurs) return undefined;
  return `not deleted: was created at ${String(created)}, not by the run of ${new Date(at).toISOString()} (${runId})`;
}

/** An id may have gone to another property since. */
function codeReason({ name }: RowMemory, record: ServiceRecord): string | undefined {
  const code = codeOf(record);
  if (code === undefined) return 'not deleted: the service does not show its code';
  if (sameName(code) === sameName(name)) return undefined;
  return `not deleted: it has the code ${quote(code)} now`;
}
