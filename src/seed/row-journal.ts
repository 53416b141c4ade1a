import { OutcomeUnknown } from '../cli/errors.ts';
import { canonicalOf, hashOf } from '../model/canonical.ts';
import { bodyOf } from './body.ts';
import { type Item, isPending, timesIn, timesSentBy } from './item.ts';
import type { Journal, NewRow, RowKey } from './journal.ts';
import { isInDoubt, type RowMemory, type RowState } from './journal-line.ts';

/** What a run needs of its journal. */
export type OpenJournal = Pick<Journal, 'recall' | 'keyFor' | 'write' | 'writeAll'>;

/** What every line about a row says. */
type Base = Pick<NewRow, 'kind' | 'name' | 'action' | 'hash'>;

/** What is known of a row after its request. */
interface Ending {
  readonly id?: string | undefined;
  readonly error?: string | undefined;
  readonly request_id?: string | undefined;
  readonly status?: number | undefined;
}

/** What a run writes into its journal, row by row. Everything rejects once the journal could not be written. */
export interface RowJournal {
  /** Before the first request: what is to be done, and what earlier runs left open and is seen to be done. */
  start(): Promise<void>;
  /**
   * Before a request: nothing may be sent until it settles. Creations that have a key are announced ahead of those who
   * send them, many with one sync; anything else just before it is sent.
   *
   * @returns the idempotency key of a property's creation.
   */
  announce(item: Item): Promise<string | undefined>;
  ended(item: Item, state: 'done' | 'failed' | 'unknown', ending?: Ending): Promise<void>;
  /** What was announced was not sent, or the service certainly did nothing about it. */
  retract(item: Item, why: string): Promise<void>;
  /** The same for all that was announced ahead and not reached. */
  retractRest(why: string): Promise<void>;
}

/** The first lines of a run may be very many; all of their texts at once would be its peak of memory. */
const LINES_AT_ONCE = 2_000;

/** What is kept of a row: it is written three times, and what it sends is long. */
interface Kept extends Base {
  /** The idempotency key of a property's creation. */
  readonly key: string | undefined;
  /** Why it is a new one, where the service answered the one before. */
  readonly note: string | undefined;
  /** Whether a line was to have the key. */
  isAnnounced: boolean;
  /** What an earlier run left in doubt: no line may make it look as if nothing had been sent. */
  doubt: RowState | undefined;
}

/**
 * Keeps the journal of a run.
 *
 * @param ahead how many rows are announced together; as many again are announced while those are sent.
 */
export function createRowJournal(items: readonly Item[], journal: OpenJournal, ahead: number): RowJournal {
  const rows = new Map<Item, Kept>();
  const keptOf = (item: Item) => {
    const kept = rows.get(item) ?? keep(item, journal);
    rows.set(item, kept);
    return kept;
  };
  const rowOf = (item: Item, state: RowState, ending?: Ending): NewRow => {
    const { kind, name, action, hash, key, isAnnounced } = keptOf(item);
    const id = ending?.id ?? item.id;
    const { error, request_id, status } = ending ?? {};
    const sent = state === 'done' ? timesSentBy(item) : undefined;
    return {
      ...{ kind, name, action, state, hash, key: isAnnounced ? key : undefined, id },
      ...{ error, request_id, status, sent },
    };
  };
  const sent = (item: Item) => {
    const kept = keptOf(item);
    kept.isAnnounced = true;
    return { ...rowOf(item, 'sent'), note: kept.note };
  };
  const retracted = (item: Item, why: string): readonly NewRow[] => {
    const { doubt } = keptOf(item);
    if (doubt !== undefined) return [rowOf(item, doubt)];
    // A plan alone does not end the doubt that an announcement leaves.
    return [rowOf(item, 'failed', { error: why }), rowOf(item, 'planned')];
  };
  const keyed = items.filter(isKeyed);
  const windows = createWindows(keyed, ahead, (window) => journal.writeAll(window.map(sent)));
  return {
    async start() {
      const lines = items.flatMap((item): readonly NewRow[] => {
        const planned = isPending(item) ? [rowOf(item, 'planned')] : [];
        const before = journal.recall(item.kind, item.name);
        if (before !== undefined && isNotShown(before, item)) return [notShown(before, item)];
        if (!isInDoubt(before)) return planned;
        if (isSeenDone(before, item)) return [seenDone(before, item), ...planned];
        keptOf(item).doubt = before.state;
        return [];
      });
      for (let start = 0; start < lines.length; start += LINES_AT_ONCE)
        await journal.writeAll(lines.slice(start, start + LINES_AT_ONCE));
    },
    async announce(item) {
      await (isKeyed(item) ? windows.reach(item) : journal.write(sent(item)));
      return keptOf(item).key;
    },
    ended(item, state, ending) {
      // What refuses a second mail says nothing of the first.
      const doubt = item.kind === 'invitation' && state === 'failed' ? keptOf(item).doubt : undefined;
      return journal.write(rowOf(item, doubt === undefined ? state : 'unknown', ending));
    },
    retract: (item, why) => journal.writeAll(retracted(item, why)),
    retractRest: (why) => journal.writeAll(windows.rest().flatMap((item) => retracted(item, why))),
  };
}

/** Whether its request may be sent twice: announcing it in vain does no harm. */
function isKeyed({ kind, action }: Item): boolean {
  return kind === 'property' && action === 'create';
}

function keep({ kind, name, action, id, steps, body, isAbsent }: Item, journal: OpenJournal): Kept {
  const made = (what: Base['action'], hash: string, { key, note }: Partial<RowKey> = {}) => {
    return { kind, name, action: what, hash, key, note, isAnnounced: false, doubt: undefined };
  };
  if (action === 'change') return made(action, hashOf(steps));
  if (action !== 'create') return made('delete', hashOf(id ?? name));
  const sent = canonicalOf(body);
  return made(
    action,
    sent.hash,
    kind === 'property' ? journal.keyFor(name, body, sent, isAbsent) : undefined,
  );
}

/** Whether what was in doubt is there now: a creation whatever its fields are, a change when nothing differs. */
function isSeenDone({ action: before }: RowMemory, { action }: Item): boolean {
  if (before === 'create') return action === 'same' || action === 'change' || action === 'cannot_compare';
  return before === 'change' && (action === 'same' || action === 'cannot_change');
}

/** Whether what was created is to be looked for again, and cannot be sent under another key meanwhile. */
function isNotShown(before: RowMemory, { entry, error }: Item): boolean {
  if (before.action !== 'create' || before.state !== 'done') return false;
  return entry !== undefined && error instanceof OutcomeUnknown;
}

/** A property keeps the time of its creation: its key is sent again. An invitation gets the time of the last look. */
function notShown({ kind, name, action, hash, key, id, at }: RowMemory, { error }: Item): NewRow {
  const row = { kind, name, action, state: 'unknown', hash, key, id, error: error?.message } as const;
  return kind === 'property' ? { ...row, at } : row;
}

/** As of its last line: what was created long after that is not ours, and must not be pruned. */
function seenDone({ kind, name, action, hash, key, at }: RowMemory, { id, entry }: Item): NewRow {
  const body = entry && bodyOf(entry);
  const sent = body !== undefined && action === 'create' && hash === hashOf(body) ? timesIn(body) : undefined;
  return { kind, name, action, state: 'done', hash, key, id, at, sent };
}

/** Items that are worked on in order, and prepared in windows of many. */
export interface Windows<Item> {
  /**
   * An item's turn has come. While the items of its window are worked on, the next window is prepared.
   *
   * @returns what its window waits for.
   */
  reach(item: Item): Promise<void>;
  /** The items that were prepared, and whose turn did not come; none of them afterwards. */
  rest(): readonly Item[];
}

interface Window {
  readonly prepared: Promise<void>;
  isReached: boolean;
}

/**
 * Makes windows over items.
 *
 * @param size how many are prepared together, from 1.
 * @param prepare what it returns may be left alone.
 */
export function createWindows<Item>(
  items: readonly Item[],
  size: number,
  prepare: (items: readonly Item[]) => Promise<void>,
): Windows<Item> {
  const open = new Map<Item, Window>();
  let next = 0;
  const openNext = () => {
    const members = items.slice(next, next + size);
    if (members.length === 0) return;
    next += members.length;
    const window = { prepared: prepare(members), isReached: false };
    for (const member of members) open.set(member, window);
  };
  return {
    async reach(item) {
      // An item whose turn never comes is prepared as well.
      while (!open.has(item) && next < items.length) openNext();
      const window = open.get(item);
      open.delete(item);
      if (window?.isReached === false) {
        window.isReached = true;
        openNext();
      }
      await window?.prepared;
    },
    rest() {
      const left = [...open.keys()];
      open.clear();
      return left;
    },
  };
}
