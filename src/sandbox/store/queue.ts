/** What waits to be done together. */
export interface Queue<T> {
  add(entry: T): void;
  /** Resolves when nothing waits any more. */
  idle(): Promise<void>;
}

/**
 * Hands over what waits, all of it each time, so that a lock costs little however many entries there are.
 *
 * @param work takes the entries when its turn has come; when it fails before that, they are told.
 */
export function createQueue<T extends { readonly failed: (error: unknown) => void }>(
  work: (take: () => readonly T[]) => Promise<void>,
): Queue<T> {
  let waiting: T[] = [];
  let draining: Promise<void> | undefined;
  const take = () => {
    const taken = waiting;
    waiting = [];
    return taken;
  };
  const drain = async () => {
    while (waiting.length > 0) {
      try {
        await work(take);
      } catch (error) {
        for (const { failed } of take()) failed(error);
      }
    }
    draining = undefined;
  };
  return {
    add(entry) {
      waiting.push(entry);
      draining ??= drain();
    },
    idle: () => draining ?? Promise.resolve(),
  };
}
