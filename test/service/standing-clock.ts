import type { Clock } from '../../src/cli/ports.ts';

/** A clock that stands until it is moved; who sleeps wakes when his time has come. */
export interface StandingClock extends Clock {
  /** Milliseconds that somebody sleeps now. */
  readonly sleeping: readonly number[];
  /** Moves the time on, or back, and lets everybody do what there is to do. */
  move(ms: number): Promise<void>;
  /** Sets the system's clock on, or back: no time has gone by. */
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

/** Lets all that waits for nothing but its turn go on. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
