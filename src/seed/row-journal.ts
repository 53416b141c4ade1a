import { type CliError, OutcomeUnknown } from '../cli/errors.ts';
import { canonicalOf, hashOf } from '../model/canonical.ts';
import { bodyOf, isInventory } from './entry.ts';
import { type Item, isPending, timesIn, timesSentBy } from './item.ts';
import { errorText } from './item-json.ts';
import type { Journal, NewRow } from './journal.ts';
import { isInDoubt, type RowMemory, type RowState } from './journal-line.ts';

/** What a run needs of its journal. */
export type OpenJournal = Pick<Journal, 'recall' | 'keyFor' | 'bulkKeyFor' | 'write' | 'writeAll'>;

/** The result of a request. */
interface Ending {
  readonly id?: string | undefined;
  readonly error?: CliError | undefined;
}

/** Writes the rows of a run into its journal. All methods reject once the journal could not be written. */
export type RowJournal = ReturnType<typeof createRowJournal>;

/** Limits the memory for the first lines of a large run. */
const LINES_AT_ONCE = 2_000;

/** The facts of a row, for its lines; without its body, which is long. */
interface Kept {
  /** What every line about it has; of an invitation that is sent again, of the request that is under way. */
  base: Pick<NewRow, 'kind' | 'name' | 'action' | 'hash' | 'body'>;
  /** The idempotency key of a creation, once it is known. */
  key: string | undefined;
  /** Why the key is a new one. */
  readonly note: string | undefined;
  /** Whether the row was announced: then its lines have the key. */
  isAnnounced: boolean;
  /** The doubt that an earlier run left, which no line may hide. */
  doubt: RowState | undefined;
}

/**
 * Creates the row journal of a run.
 *
 * @param ahead rows that are announced together; the next ones are announced while these are sent.
 */
export function createRowJournal(items: readonly Item[], journal: OpenJournal, ahead: number) {
  const rows = new Map<Item, Kept>();
  const keptOf = (item: Item) => {
    const kept = rows.get(item) ?? keep(item, journal);
    rows.set(item, kept);
    return kept;
  };
  const rowOf = (item: Item, state: RowState, { id = item.id, error }: Ending = {}): NewRow => {
    const { base, key, isAnnounced } = keptOf(item);
    const facts = error && { error: errorText(error), request_id: error.requestId, status: error.status };
    const sent = state === 'done' ? timesSentBy(item) : undefined;
    const body = state === 'done' ? undefined : base.body;
    return { ...base, body, state, key: isAnnounced ? key : undefined, id, ...facts, sent };
  };
  const sent = (item: Item) => {
    const kept = keptOf(item);
    kept.isAnnounced = true;
    return { ...rowOf(item, 'sent'), note: kept.note };
  };
  const retracted = (item: Item, why: string): readonly NewRow[] => {
    const { doubt } = keptOf(item);
    if (doubt !== undefined) return [rowOf(item, doubt)];
    // `planned` alone would not replace the announcement.
    return [{ ...rowOf(item, 'failed'), error: why }, rowOf(item, 'planned')];
  };
  let keyed: readonly Item[] = [];
  /** Rows that are announced ahead of time and were not reached, each with the writing of its window. */
  const waiting = new Map<Item, Promise<void>>();
  let newest: readonly Item[] = [];
  let next = 0;
  const announceNext = () => {
    newest = keyed.slice(next, next + ahead);
    if (newest.length === 0) return;
    next += newest.length;
    const written = journal.writeAll(newest.map(sent));
    for (const item of newest) waiting.set(item, written);
  };
  return {
    /** Begins with rows that are sent together. */
    begin(phase: readonly Item[]): void {
      keyed = phase.filter(isKeyed);
      newest = [];
      next = 0;
    },
    /** Writes pending rows, and rows of earlier runs that turned out to be done. Call it before the first request. */
    async start() {
      const lines = items.flatMap((item): readonly NewRow[] => {
        const planned = isPending(item) ? [rowOf(item, 'planned')] : [];
        const before = journal.recall(item.kind, item.name);
        if (before !== undefined && isNotShown(before, item)) return [notShown(before, item)];
        if (before !== undefined && isIdNew(before, item)) return [seenDone(before, item), ...planned];
        if (!isInDoubt(before) || isWithdrawal(before, item)) return planned;
        if (isSeenDone(before, item)) return [seenDone(before, item), ...planned];
        keptOf(item).doubt = before.state;
        return [];
      });
      for (let start = 0; start < lines.length; start += LINES_AT_ONCE)
        await journal.writeAll(lines.slice(start, start + LINES_AT_ONCE));
    },
    /**
     * Announces a request, which must not be sent until this resolves. Creations with a key are announced ahead of time, many
     * with one sync, the next ones while these are sent; other rows right before they are sent.
     *
     * @returns the idempotency key of a creation that has one.
     */
    async announce(item: Item): Promise<Pick<Kept, 'key'>> {
      if (isKeyed(item)) {
        while (!waiting.has(item) && next < keyed.length) announceNext();
        const written = waiting.get(item);
        waiting.delete(item);
        if (newest.includes(item)) announceNext();
        await written;
      } else await journal.write(sent(item));
      return keptOf(item);
    },
    /**
     * Announces one request that creates several records.
     *
     * @returns its idempotency key, which depends on all of them.
     */
    async announceBulk(all: readonly Item[]): Promise<string> {
      const [first] = all;
      if (first === undefined) throw new Error('there is nothing to announce');
      const text = canonicalOf(all.map(({ name, body }) => [name, body])).text;
      const key = journal.bulkKeyFor(keptOf(first).base, text);
      for (const item of all) keptOf(item).key = key;
      await journal.writeAll(all.map(sent));
      return key;
    },
    /** Announces the second request of an invitation that is sent again: it was withdrawn. */
    announceMail(item: Item): Promise<void> {
      const kept = keptOf(item);
      kept.base = { ...kept.base, action: 'create' };
      return journal.write(rowOf(item, 'sent'));
    },
    ended(item: Item, state: 'done' | 'failed' | 'unknown', ending: Ending): Promise<void> {
      // The refusal of a second mail does not settle the first.
      const doubt = item.kind === 'invitation' && state === 'failed' ? keptOf(item).doubt : undefined;
      return journal.write(rowOf(item, doubt === undefined ? state : 'unknown', ending));
    },
    /** Retracts an announcement: the request was not sent, or the service certainly did nothing. */
    retract: (item: Item, why: string): Promise<void> => journal.writeAll(retracted(item, why)),
    /** Retracts all announcements that were not reached. */
    retractRest(why: string): Promise<void> {
      const rest = [...waiting.keys()];
      waiting.clear();
      return journal.writeAll(rest.flatMap((item) => retracted(item, why)));
    },
  };
}

/** Whether a row has a key of its own, so that announcing it ahead of time does no harm. */
function isKeyed({ kind, action }: Item): boolean {
  return action === 'create' && kind !== 'invitation' && kind !== 'unit';
}

function keep(item: Item, journal: OpenJournal): Kept {
  const { kind, name, action, id, steps, body, isAbsent, resends } = item;
  const unkeyed = { key: undefined, note: undefined, isAnnounced: false, doubt: undefined };
  if (resends !== undefined) {
    const first = resends === 'listed' ? 'delete' : 'create';
    return { base: { kind, name, action: first, hash: hashOf(body), body }, ...unkeyed };
  }
  const changed = isInventory(kind) ? body : steps;
  if (action === 'change') return { base: { kind, name, action, hash: hashOf(changed) }, ...unkeyed };
  if (action !== 'create')
    return { base: { kind, name, action: 'delete', hash: hashOf(id ?? name) }, ...unkeyed };
  const sent = canonicalOf(body);
  const key = isKeyed(item) ? journal.keyFor(item, sent, isAbsent) : {};
  return { base: { kind, name, action, hash: sent.hash }, ...unkeyed, ...key };
}

/** Whether a row in doubt is done: a creation if the record exists, a change if nothing differs. */
function isSeenDone({ action: before }: RowMemory, { action }: Item): boolean {
  if (before === 'create') return action === 'same' || action === 'change' || action === 'cannot_compare';
  return before === 'change' && (action === 'same' || action === 'cannot_change');
}

/** Whether the doubt is about the withdrawal of an invitation that is sent again: the list has settled it. */
function isWithdrawal({ action }: RowMemory, { resends }: Item): boolean {
  return action === 'delete' && resends !== undefined;
}

/** Whether a created record had no id that anything showed: `--prune` needs it. */
function isIdNew({ action, state, id }: RowMemory, item: Item): boolean {
  return action === 'create' && state === 'done' && id === undefined && item.id !== undefined;
}

/** Whether a created record is not visible yet. */
function isNotShown(before: RowMemory, { entry, error }: Item): boolean {
  if (before.action !== 'create' || before.state !== 'done') return false;
  return entry !== undefined && error instanceof OutcomeUnknown;
}

/** A record with a key keeps the time of its creation, because the key is sent again; an invitation gets the current time. */
function notShown({ kind, name, action, hash, key, id, at }: RowMemory, { error }: Item): NewRow {
  const row = { kind, name, action, state: 'unknown', hash, key, id, error: error?.message } as const;
  return kind !== 'invitation' ? { ...row, at } : row;
}

/** Keeps the time of the last line: a record that was created later is not ours, and must not be pruned. */
function seenDone({ kind, name, action, hash, key, at }: RowMemory, { id, entry }: Item): NewRow {
  const body = entry && bodyOf(entry);
  const sent = body !== undefined && action === 'create' && hash === hashOf(body) ? timesIn(body) : undefined;
  return { kind, name, action, state: 'done', hash, key, id, at, sent };
}
