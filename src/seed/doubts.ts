import type { OutcomeUnknown } from '../cli/errors.ts';
import type { Found } from './end.ts';
import type { Item } from './item.ts';

/** The creation of a property that may have been carried out, and that no answer confirms. */
export interface Doubt {
  readonly error: OutcomeUnknown;
  /** Its idempotency key: a further try uses the same. */
  readonly key: string | undefined;
  /** How often it was sent. */
  readonly tries: number;
  /** A later try was refused: the service would refuse another one too. */
  readonly isRefused: boolean;
}

/** The creations in doubt of one run. */
export interface Doubts {
  of(item: Item): Doubt | undefined;
  all(): readonly (readonly [Item, Doubt])[];
  arose(item: Item, doubt: Omit<Doubt, 'tries'>): void;
  /** How it ended is known, or was reported as unknown. */
  ended(item: Item): void;
  beginRound(): void;
  /** Whether no further row may be sent before the service was looked at. */
  mustLook(): boolean;
}

/** So many rows in a row without a clear answer, and the service is looked at before more are sent. */
const MOST_IN_A_ROW = 10;

/** @param atOnce one doubt is enough to look before the next row is sent. */
export function createDoubts(atOnce: boolean): Doubts {
  const open = new Map<Item, Doubt>();
  let inARow = 0;
  return {
    of: (item) => open.get(item),
    all: () => [...open],
    arose(item, doubt) {
      open.set(item, { ...doubt, tries: (open.get(item)?.tries ?? 0) + 1 });
      inARow += 1;
    },
    ended(item) {
      open.delete(item);
      inARow = 0;
    },
    beginRound() {
      inARow = 0;
    },
    mustLook: () => inARow >= (atOnce ? 1 : MOST_IN_A_ROW),
  };
}

/** What sends and looks, round by round. */
export interface Rounds {
  /** So often one row may be sent. */
  readonly most: number;
  /** Whether a try may be repeated under its key although nothing tells whether the property is there. */
  readonly trustsKeys: boolean;
  carryOut(items: readonly Item[]): Promise<void>;
  /** Looks once for all of them; `undefined` where not even that may be done any more. */
  look(names: readonly string[]): Promise<Found | undefined>;
  done(item: Item, id: string): void;
  /** @param isInARow whether it is one of many that ended so, one after the other. */
  unknown(item: Item, doubt: Doubt, isInARow: boolean): void;
  /** Whether nothing is known of a row, and it may be sent. */
  isOpen(item: Item): boolean;
  mayGoOn(): boolean;
  pause(tries: number): Promise<void>;
}

/**
 * Carries out rows until none is in doubt, or nothing more can be done about it. A creation that may have been carried out is
 * never repeated at once: the service is looked at first, once for all of them. What is found is done, what is certainly
 * not there is sent again under its key, and what nothing tells about stays unknown unless keys are trusted.
 */
export async function inRounds(items: readonly Item[], doubts: Doubts, rounds: Rounds): Promise<void> {
  let left = items;
  while (left.length > 0) {
    doubts.beginRound();
    await rounds.carryOut(left);
    const wasCut = doubts.mustLook();
    const again = await settle(doubts, rounds, wasCut);
    left = wasCut
      ? [...again, ...items.filter((item) => rounds.isOpen(item) && !again.includes(item))]
      : again;
    if (left.length === 0 || !rounds.mayGoOn()) break;
    if (again.length > 0) await rounds.pause(Math.max(...again.map((item) => doubts.of(item)?.tries ?? 1)));
  }
  for (const [item, doubt] of doubts.all()) {
    doubts.ended(item);
    rounds.unknown(item, doubt, false);
  }
}

/** @returns what is to be sent again. */
async function settle(doubts: Doubts, rounds: Rounds, wasCut: boolean): Promise<readonly Item[]> {
  const open = doubts.all();
  const found = open.length === 0 ? undefined : await rounds.look(open.map(([{ name }]) => name));
  if (found === undefined) return [];
  const again: Item[] = [];
  for (const [item, doubt] of open) {
    const id = found.ids.get(item.name);
    const isSpent = doubt.tries >= rounds.most;
    const mayRepeat = rounds.trustsKeys || found.isAbsent(item.name);
    if (id === undefined && !isSpent && !doubt.isRefused && mayRepeat) {
      again.push(item);
      continue;
    }
    doubts.ended(item);
    if (id === undefined) rounds.unknown(item, doubt, wasCut);
    else rounds.done(item, id);
  }
  return again;
}

/** Items that are worked on in their order, and for which something is done beforehand, many at a time. */
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
      // Whoever is passed over is prepared all the same.
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
