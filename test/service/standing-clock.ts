import type { Clock } from '../../src/model/ports.ts';

/** A clock that advances only by `move`; sleepers wake when their time has come. */
export interface StandingClock extends Clock {
  /** The remaining milliseconds of the pending sleeps. */
  readonly sleeping: readonly number[];
  /** Moves the time forward or back, and runs everything that is due. */
  move(ms: number): Promise<void>;
  /** Sets the system clock forward or back, without elapsed time. */
  set(ms: number): void;
}

export function standingClock(): StandingClock {
  let now = 1_000_000;
  let off = 0;
  let sleepers: readonly { readonly ms: number; readonly until: number; readonly wake: () => void }[] = [];
  return {
    now: () => now + off,
    monotonic: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const sleeper = { ms, until: now + ms, wake: resolve };
        sleepers = [...sleepers, sleeper];
        signal.addEventListener('abort', () => {
          sleepers = sleepers.filter((each) => each !== sleeper);
          reject(signal.reason);
        });
      }),
    set(ms) {
      off += ms;
    },
    get sleeping() {
      return sleepers.map(({ ms }) => ms);
    },
    async move(ms) {
      now += ms;
      const due = sleepers.filter(({ until }) => until <= now);
      sleepers = sleepers.filter(({ until }) => until > now);
      for (const { wake } of due) wake();
      await settled();
    },
  };
}

/** Runs all pending microtasks and immediates. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
