import { hashOf } from './canonical.ts';
import { type Item, isPending } from './item.ts';
import type { Journal, NewRow } from './journal.ts';
import { isInDoubt, type RowMemory, type RowState } from './memory.ts';

/** What a run needs of its journal. */
export type OpenJournal = Pick<Journal, 'recall' | 'keyFor' | 'write' | 'writeAll'>;

/** What every line about a row says. */
type Base = Pick<NewRow, 'kind' | 'name' | 'action' | 'hash'>;

/** What is known of a row after its request. */
interface Ending {
  readonly id?: string | undefined;
  readonly error?: string | undefined;
}

/** What a run writes into its journal, row by row. Everything rejects once the journal could not be written. */
export interface RowJournal {
  /** Before the first request: what is to be done, and what earlier runs left open and is seen to be done. */
  begin(items: readonly Item[]): Promise<void>;
  /**
   * Just before a request: nothing may be sent until it settles.
   *
   * @returns the idempotency key of a property's creation.
   */
  announce(item: Item): Promise<string | undefined>;
  ended(item: Item, state: 'done' | 'failed' | 'unknown', ending?: Ending): Promise<void>;
  /** What was announced did not go out, or the service certainly did nothing about it. */
  takeBack(item: Item, why: string): Promise<void>;
}

/** Keeps the journal of a run. */
export function createRowJournal(journal: OpenJournal): RowJournal {
  /** What an earlier run left in doubt: no line may make it look as if nothing had been sent. */
  const doubts = new Map<Item, RowState>();
  const keys = new Map<Item, string>();
  /** A row is written three times, and what it sends is long. */
  const bases = new Map<Item, Base>();
  const knownBase = (item: Item) => {
    const base = bases.get(item) ?? baseOf(item);
    bases.set(item, base);
    return base;
  };
  const rowOf = (item: Item, state: RowState, ending: Ending = {}): NewRow => ({
    ...knownBase(item),
    state,
    key: keys.get(item),
    id: item.id,
    ...ending,
  });
  return {
    async begin(items) {
      const rows = items.flatMap((item): readonly NewRow[] => {
        const planned = isPending(item) ? [rowOf(item, 'planned')] : [];
        const before = journal.recall(item.kind, item.name);
        if (!isInDoubt(before)) return planned;
        if (isSeenDone(before, item)) return [seenDone(before, item), ...planned];
        doubts.set(item, before.state);
        return [];
      });
      if (rows.length > 0) await journal.writeAll(rows);
    },
    async announce(item) {
      const key = isKeyed(item) ? journal.keyFor(item.name, item.body) : undefined;
      if (key !== undefined) keys.set(item, key);
      await journal.write(rowOf(item, 'sent'));
      return key;
    },
    ended: (item, state, ending) => journal.write(rowOf(item, state, ending)),
    async takeBack(item, why) {
      const doubt = doubts.get(item);
      if (doubt !== undefined) return journal.write(rowOf(item, doubt));
      // A plan alone does not end the doubt that an announcement leaves.
      await journal.writeAll([rowOf(item, 'failed', { error: why }), rowOf(item, 'planned')]);
    },
  };
}

function isKeyed({ kind, action }: Item): boolean {
  return kind === 'property' && action === 'create';
}

/** Whether what was in doubt is there now: a creation whatever its fields are, a change when nothing differs. */
function isSeenDone({ action: before }: RowMemory, { action }: Item): boolean {
  if (before === 'create') return action === 'same' || action === 'change' || action === 'cannot_compare';
  return before === 'change' && action === 'same';
}

function seenDone({ kind, name, action, hash, key }: RowMemory, { id }: Item): NewRow {
  return { kind, name, action, state: 'done', hash, key, id };
}

function baseOf({ kind, name, action, id, steps, body }: Item): Base {
  if (action === 'create') return { kind, name, action, hash: hashOf(body) };
  if (action === 'change') return { kind, name, action, hash: hashOf(steps) };
  return { kind, name, action: 'delete', hash: hashOf(id ?? name) };
}
