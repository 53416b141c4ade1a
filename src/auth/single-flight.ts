import type { Ending } from '../transport.ts';

interface Flight<Result> {
  readonly work: Promise<Result>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * Lets parallel callers share one piece of work: whoever comes while it is under way waits for that one.
 * A caller whose signal is aborted leaves with its reason; the work is aborted when the last one has left.
 */
export function singleFlight<Result>(
  start: (signal: AbortSignal) => Promise<Result>,
): (signal: Ending) => Promise<Result> {
  let current: Flight<Result> | undefined;
  const land = (flight: Flight<Result>) => {
    if (current === flight) current = undefined;
  };
  const takeOff = (): Flight<Result> => {
    const stop = new AbortController();
    const flight = { work: start(stop.signal), stop, waiting: 0 };
    const landed = () => land(flight);
    flight.work.then(landed, landed);
    return flight;
  };
  return async (signal) => {
    signal.throwIfAborted();
    current ??= takeOff();
    const flight = current;
    flight.waiting += 1;
    try {
      return await unlessAborted(flight.work, signal);
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0) {
        land(flight);
        flight.stop.abort(signal.reason);
      }
    }
  };
}

async function unlessAborted<Result>(work: Promise<Result>, signal: Ending): Promise<Result> {
  let leave = () => {};
  const left = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave);
  });
  try {
    return await Promise.race([work, left]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
