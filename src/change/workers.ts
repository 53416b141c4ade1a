/**
 * Works on each item with a pool of workers. A worker takes the next item when it is free.
 *
 * @param workers from 1.
 * @throws the first failure, after running work has ended; no further item is started.
 */
export async function eachOf<Item>(
  items: Iterable<Item>,
  workers: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const source = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const workThrough = async () => {
    while (failures.length === 0) {
      try {
        const next = source.next();
        if (next.done === true) return;
        await work(next.value);
      } catch (cause) {
        failures.push(cause);
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, workThrough));
  if (failures.length > 0) throw failures[0];
}

/** Reads of single records at the same time. */
export const READERS = 4;

/** Like `eachOf`; the results are in the order of the items. */
export async function mapEach<Item, Result>(
  items: readonly Item[],
  workers: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results = new Array<Result>(items.length);
  await eachOf(items.entries(), workers, async ([index, item]) => {
    results[index] = await work(item);
  });
  return results;
}
