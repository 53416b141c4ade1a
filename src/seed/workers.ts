/**
 * Works on each item with a pool of workers. A worker takes the next item when it is free, so that an iterator may end
 * early.
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
