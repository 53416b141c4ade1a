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
