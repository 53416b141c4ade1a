/**
 * Works on each item with a pool of workers. The next one is taken when a worker is free, so that an iterator may end
 * early.
 *
 * @param workers from 1.
 * @throws the first failure, once the work that was under way has ended; nothing more is started after it.
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
