import type { Clock } from '../cli/ports.ts';

/**
 * Runs work with a signal that is also aborted when the time is over.
 *
 * @param error the reason of that signal then.
 */
export async function withTimeLimit<Result>(
  limitMs: number,
  error: Error,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const [over, done] = [new AbortController(), new AbortController()];
  clock.sleep(limitMs, AbortSignal.any([signal, done.signal])).then(
    () => over.abort(error),
    () => {},
  );
  try {
    return await work(AbortSignal.any([signal, over.signal]));
  } finally {
    done.abort();
  }
}

/** Waits for work until the signal is aborted. @throws the signal's reason; what the work throws. */
export async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
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
