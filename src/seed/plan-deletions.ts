import { CliError } from '../cli/errors.ts';
import { hashOf } from '../model/canonical.ts';
import { momentOf } from '../model/dates.ts';
import type { ServiceRecord } from '../model/records.ts';
import { heldEmailProblem } from '../model/segment.ts';
import { quote } from '../model/text.ts';
import { clip } from '../out/text.ts';
import { reasonsAgainstDeletion } from '../service/property-names.ts';
import { type Entry, identityOf, sameName } from './entry.ts';
import { type Item, itemFor } from './item.ts';
import type { RowMemory } from './journal-line.ts';
import type { Listings } from './match-people.ts';
import { unseenLeft } from './not-visible.ts';
import type { PlanApi, PlanContext, PlanOptions } from './plan-context.ts';
import { codeOf, readOrMissing, usableId } from './property-index.ts';
import { unreadItem } from './row-reading.ts';
import { mayShowLater } from './visibility.ts';
import { eachOf } from './workers.ts';

/** Difference allowed between the clocks of this machine and the service. */
const LEEWAY_MS = 10 * 60_000;

/** Code units of one reason of the service. */
const LONGEST_REASON = 1_000;

/** What entries keep. */
interface Staying {
  /** Ids of the properties that entries are about, or name. */
  readonly used: ReadonlySet<string>;
  readonly listings: Listings;
}

/** The rows that these files created and that no entry wants any more; none unless pruning is asked for. */
export function unwanted(entries: readonly Entry[], { memory, prune }: PlanOptions): readonly RowMemory[] {
  if (!prune) return [];
  const wanted = new Set(entries.map(identityOf));
  // Who is to have access stays invited until the user is there.
  const isWanted = ({ kind, name }: RowMemory) =>
    wanted.has(identityOf({ kind, name })) ||
    (kind === 'invitation' && wanted.has(identityOf({ kind: 'user', name })));
  return memory.created().filter((row) => row.kind !== 'user' && !isWanted(row));
}

/**
 * What is to be deleted: what is still there, and certainly the one that we created. What was created lately and does not
 * show is not gone: its row stays open.
 */
export async function planDeletions(
  rows: readonly RowMemory[],
  staying: Staying,
  context: PlanContext,
): Promise<readonly Item[]> {
  const { workers, now } = context.options;
  const items = new Map<RowMemory, Item>();
  const look = (some: readonly RowMemory[]) =>
    eachOf(some, workers, async (row) => {
      const item = row.kind === 'property' ? await property(row, staying, context) : invitation(row, staying);
      if (item !== undefined) items.set(row, item);
    });
  await look(rows);
  const unseen = () =>
    rows.filter((row) => !items.has(row) && mayShowLater(row, now()) && !isIn(row, staying));
  const hidden = unseen().filter(({ kind }) => kind === 'property');
  if (hidden.length > 0 && (await context.waitOnce())) await look(hidden);
  for (const row of unseen()) items.set(row, unseenLeft(row, now()));
  return rows.flatMap((row) => items.get(row) ?? []);
}

/** Whether an invitation is not listed because it was accepted. */
function isIn({ kind, name }: RowMemory, { listings: { users } }: Staying): boolean {
  return kind === 'invitation' && users.withEmail(name).length > 0;
}

function invitation(row: RowMemory, { listings: { invitations } }: Staying): Item | undefined {
  const [record] = invitations.withEmail(row.name);
  if (record === undefined) return undefined;
  const problem = heldEmailProblem(row.name);
  const reason = problem === undefined ? ageReason(row, record) : `not deleted: ${problem}`;
  return itemFor(row, reason === undefined ? 'delete' : 'conflict', { seen: hashOf(record), reason });
}

async function property(
  row: RowMemory,
  { used }: Staying,
  { api, options, readForRow }: PlanContext,
): Promise<Item | undefined> {
  const id = usableId(row.id);
  if (id === undefined) return itemFor(row, 'conflict', { reason: 'the journal has no id of it' });
  const found = await readForRow(() => readForDeletion(id, api));
  if (found instanceof CliError)
    return unreadItem(row, found, options, { id, reason: `not deleted: ${found.message}` });
  if (found === undefined) return undefined;
  const { record, actions } = found;
  const known = { id, seen: hashOf(record) };
  const usedReason = used.has(id) ? 'not deleted: another entry names it' : undefined;
  const reason =
    codeReason(row, record) ??
    ageReason(row, record) ??
    usedReason ??
    servicesReason({ actions }, options.redactor);
  if (reason !== undefined) return itemFor(row, 'conflict', { ...known, reason });
  return itemFor(row, 'delete', known);
}

/**
 * The property, and what may be done with it now where the service says that before anything is sent: that changes by
 * itself, so that it is not part of the record.
 */
async function readForDeletion(id: string, { dialect, properties }: PlanApi) {
  if (dialect.expansions?.includes('actions') !== true) {
    const record = await readOrMissing({ properties }, id);
    return record && { record, actions: undefined };
  }
  const { listAll, readWithActions } = properties;
  const read = async (each: string) => (await readWithActions(each)).property;
  const found = await readOrMissing({ properties: { listAll, read } }, id);
  if (found === undefined) return undefined;
  const { actions, ...record } = found;
  return { record, actions };
}

/** What the service says against it. Masked before it is cut: the rest of a cut secret cannot be found. */
function servicesReason(record: ServiceRecord, redactor: PlanOptions['redactor']): string | undefined {
  const reasons = reasonsAgainstDeletion(record);
  if (reasons === undefined) return undefined;
  const why = reasons.map(({ reason }) => clip(redactor.text(reason), LONGEST_REASON)).join('; ');
  return `not deleted: ${why === '' ? 'the service does not allow it' : why}`;
}

/** Others may have deleted what we created, and created something of the same name. */
function ageReason({ runId, at, keyAge, madeAt }: RowMemory, { created }: ServiceRecord): string | undefined {
  const moment = momentOf(created);
  const isOurs =
    moment === undefined ||
    (moment >= (keyAge?.since ?? madeAt ?? at) - LEEWAY_MS && moment <= at + LEEWAY_MS);
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
