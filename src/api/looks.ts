import { CliError } from '../errors.ts';

/** What looking at the service after a write needs. */
export interface LookOptions {
  /** Rejects with the `Interruption` when the run is interrupted. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly now: () => number;
  /** When the looking must be over, milliseconds since the epoch. */
  readonly deadline: number;
}

/** What was seen last, or why nothing could be seen. */
export type Look<Seen> = { readonly seen: Seen } | { readonly failure: CliError | undefined };

/** Waits before the looks, milliseconds: what was written may show a little later. */
const LOOKS_MS = [0, 1_000, 3_000];

/**
 * Reads until what is seen is enough, at most three times.
 *
 * @throws {Interruption} when the run is interrupted.
 */
export async function look<Seen>(
  read: (deadline: number) => Promise<Seen>,
  isEnough: (seen: Seen) => boolean,
  { sleep, now, deadline }: LookOptions,
): Promise<Look<Seen>> {
  let last: Look<Seen> = { failure: undefined };
  for (const wait of LOOKS_MS) {
    if (now() + wait >= deadline) break;
    await sleep(wait);
    try {
      last = { seen: await read(deadline) };
      if (isEnough(last.seen)) break;
    } catch (cause) {
      if (!(cause instanceof CliError)) throw cause;
      // An earlier look is worth more than a failed one; a refusal will not become an answer.
      if (!('seen' in last)) last = { failure: cause };
      if (isRefusal(cause)) break;
    }
  }
  return last;
}

function isRefusal({ status }: CliError): boolean {
  return status !== undefined && status >= 400 && status < 500;
}
