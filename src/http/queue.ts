import type { Clock } from '../context.ts';
import type { Ending } from '../transport.ts';

/** One that waits for its turn. */
export interface Waiter {
  /** Called when its turn has come. */
  readonly start: () => void;
  /** Whether its turn may come now; meanwhile those behind it go first who may. The same for all waiters of one host. */
  readonly mayStart: () => boolean;
  /** Each of them ends the waiting with its reason. */
  readonly signals: readonly Ending[];
  /** Why it does not wait so many milliseconds; `undefined` when it does. */
  readonly refusal: (waitMs: number) => Error | undefined;
}

/** Those who wait, in the order in which they came, before a door that may be shut for a while. */
export interface Queue {
  /** Returns once the waiter was started. @throws the reason of a signal, or the waiter's refusal. */
  join(waiter: Waiter): Promise<void>;
  /** Starts whom there is room for. */
  admit(): void;
  /** Shuts the door for so many milliseconds from now; it may be shut for longer already. */
  shut(ms: number): void;
  /** Milliseconds, never earlier than before. */
  time(): number;
}

interface Place extends Waiter {
  readonly leave: (cause: unknown) => void;
}

/**
 * Opens a queue. What was slept through is over, though a timer came a little early.
 *
 * @param hasRoom whether one more may be started.
 */
export function createQueue(clock: Clock, hasRoom: () => boolean): Queue {
  let places: readonly Place[] = [];
  let slept = 0;
  let opensAt = 0;
  let alarm: AbortController | undefined;
  const time = () => Math.max(clock.monotonic(), slept);
  const atOnce = Promise.resolve();

  const admit = () => {
    while (hasRoom()) {
      const first = places.find((place) => place.mayStart());
      if (first === undefined) return;
      if (opensAt > time()) return void sleepUntilOpen();
      first.start();
    }
  };
  const sleepUntilOpen = async () => {
    if (alarm !== undefined) return;
    alarm = new AbortController();
    const { signal } = alarm;
    const until = opensAt;
    try {
      await clock.sleep(until - time(), signal);
      slept = Math.max(slept, until);
    } catch (cause) {
      if (!signal.aborted) for (const place of places) place.leave(cause);
    }
    alarm = undefined;
    admit();
  };
  const vacate = (place: Place) => {
    places = places.filter((each) => each !== place);
    // A sleep for nobody would keep the process from ending.
    if (places.length === 0) alarm?.abort();
  };
  return {
    admit,
    time,
    join(waiter) {
      const isFree = places.length === 0 && hasRoom() && opensAt <= time() && waiter.mayStart();
      if (isFree && !waiter.signals.some(({ aborted }) => aborted)) {
        waiter.start();
        return atOnce;
      }
      return new Promise((resolve, reject) => {
        const place = placeOf(waiter, { resolve, reject, vacate });
        places = [...places, place];
        leaveInVain(place, opensAt - time());
        admit();
      });
    },
    shut(ms) {
      opensAt = Math.max(opensAt, time() + ms);
      for (const place of places) leaveInVain(place, opensAt - time());
    },
  };
}

function placeOf(
  waiter: Waiter,
  ends: {
    readonly resolve: () => void;
    readonly reject: (cause: unknown) => void;
    readonly vacate: (place: Place) => void;
  },
): Place {
  const leaving = (then: () => void) => {
    for (const [signal, listener] of listeners) signal.removeEventListener('abort', listener);
    ends.vacate(place);
    then();
  };
  const place: Place = {
    ...waiter,
    start: () =>
      leaving(() => {
        waiter.start();
        ends.resolve();
      }),
    leave: (cause) => leaving(() => ends.reject(cause)),
  };
  const listeners = waiter.signals.map((signal) => [signal, () => place.leave(signal.reason)] as const);
  for (const [signal, listener] of listeners) signal.addEventListener('abort', listener);
  return place;
}

/** Sends away whom a signal has reached already, and who does not wait so long. */
function leaveInVain(place: Place, waitMs: number): void {
  const ended = place.signals.find(({ aborted }) => aborted);
  const refusal = waitMs > 0 ? place.refusal(waitMs) : undefined;
  if (ended !== undefined) place.leave(ended.reason);
  else if (refusal !== undefined) place.leave(refusal);
}
