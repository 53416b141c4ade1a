import { setMaxListeners } from 'node:events';

/** How the way to the service hears that the run is interrupted: at once, and late for work that is sheltered. */
export interface Shelter {
  /** Aborted with the reason of the run's own signal. */
  readonly signal: AbortSignal;
  /**
   * Does work that an interruption lets come to its end, for 30 s at most.
   *
   * @throws the reason of the interruption when there was one before, and the work is not begun.
   */
  sheltered<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Ends what is still under way when nobody waits for it any more. */
  end(): void;
}

/** Milliseconds from an interruption to the end of what is sheltered. */
const GRACE_MS = 30_000;

/** Follows the signal of a run. */
export function createShelter(run: AbortSignal, graceMs = GRACE_MS): Shelter {
  const end = new AbortController();
  // As many may wait for it as there are workers: Node warns of more than ten.
  setMaxListeners(0, end.signal);
  let works = 0;
  let grace: NodeJS.Timeout | undefined;
  const finish = () => end.abort(run.reason);
  const onInterruption = () => {
    if (works === 0) finish();
    else grace = setTimeout(finish, graceMs);
  };
  if (run.aborted) finish();
  else run.addEventListener('abort', onInterruption, { once: true });
  return {
    signal: end.signal,
    end: () => end.abort(new Error('nobody waits for it any more')),
    async sheltered(work) {
      end.signal.throwIfAborted();
      works += 1;
      try {
        return await work();
      } finally {
        works -= 1;
        if (works === 0 && run.aborted) {
          clearTimeout(grace);
          finish();
        }
      }
    },
  };
}
