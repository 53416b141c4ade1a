import { usageError } from '../cli/errors.ts';
import type { Clock } from '../cli/ports.ts';
import type { Credentials, Token } from '../service/exchange.ts';
import { unlessAborted } from './time-limit.ts';

/**
 * A fixed token, which cannot be renewed.
 *
 * @throws {CliError} `usage` when it is no valid header value: empty, with blanks, control or non-ASCII characters.
 */
export function bearerCredentials(token: string, source: string): Credentials {
  if (!isSendable(token))
    throw usageError(
      `The token of ${source} ${token === '' ? 'is empty' : 'holds blanks, line breaks or characters outside ASCII'}.`,
      'Give the bare token, without "Bearer" and without quotes.',
    );
  return {
    source,
    grant: 'token',
    current: async () => ({ header: `Bearer ${token}`, generation: 1 }),
    renew: async () => undefined,
  };
}

/** The token of a header. A secret. */
export function bare({ header }: Pick<Token, 'header'>): string {
  return header.replace(/^Bearer /, '');
}

/** Whether a token is a valid header value. */
export function isSendable(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

/**
 * Credentials that are opened when a token is first needed, because a keyring may be slow. An aborted caller stops waiting.
 *
 * @param open called once; again only if it failed or every caller was aborted.
 */
export function deferred(
  source: string,
  grant: Credentials['grant'],
  open: (signal: AbortSignal) => Promise<Credentials>,
): Credentials {
  let opened: Credentials | undefined;
  const opening = singleFlight(async (signal) => {
    opened = await open(signal);
    return opened;
  });
  const credentials = async (signal: AbortSignal) => opened ?? opening(signal);
  return {
    source,
    grant,
    current: async (signal) => (await credentials(signal)).current(signal),
    renew: async (stale, signal) => (await credentials(signal)).renew(stale, signal),
    settled: async () => opened?.settled?.(),
  };
}

/**
 * Deduplicates concurrent calls.
 * Rejects with the reason of the caller's signal when that is aborted; the work is aborted once all callers are.
 */
function singleFlight<Result>(
  start: (signal: AbortSignal) => Promise<Result>,
): (signal: AbortSignal) => Promise<Result> {
  let current:
    | { readonly work: Promise<Result>; readonly stop: AbortController; waiting: number }
    | undefined;
  return async (signal) => {
    signal.throwIfAborted();
    const stop = new AbortController();
    const flight = current ?? { work: start(stop.signal), stop, waiting: 0 };
    const clear = () => {
      if (current === flight) current = undefined;
    };
    if (current === undefined) flight.work.then(clear, clear);
    current = flight;
    flight.waiting += 1;
    try {
      return await unlessAborted(flight.work, signal);
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0) {
        clear();
        flight.stop.abort(signal.reason);
      }
    }
  };
}

/** A header value and how long it may be used. */
export interface Issue {
  readonly header: string;
  /** Milliseconds since the epoch; infinite if unknown: then it is used until a 401. */
  readonly renewAt: number;
  /** Milliseconds since the epoch; `undefined` if unknown. */
  readonly expiresAt?: number | undefined;
}

/** A token is not sent this shortly before it expires: requests take time, and clocks differ. */
export const MARGIN_MS = 30_000;

/** When to renew a token, in milliseconds since the epoch: 30 s, or a tenth of a short lifetime, before it expires. */
export function renewAtOf(expiresAt: number, now: number): number {
  return expiresAt - Math.max(0, Math.min(MARGIN_MS, (expiresAt - now) / 10));
}

/**
 * Holds the newest issue of a token and counts its generations.
 *
 * @param obtain fetches a new issue; `stale` is the header of the issue it replaces, if any.
 */
export function renewable(
  obtain: (stale: string | undefined, signal: AbortSignal) => Promise<Issue>,
  clock: Clock,
): Pick<Credentials, 'current' | 'renew'> {
  let held: { readonly token: Token; readonly renewAt: number } | undefined;
  const replace = singleFlight(async (signal) => {
    const { header, renewAt, expiresAt } = await obtain(held?.token.header, signal);
    held = { token: { header, generation: (held?.token.generation ?? 0) + 1, expiresAt }, renewAt };
    return held.token;
  });
  return {
    async current(signal) {
      return held !== undefined && clock.now() < held.renewAt ? held.token : replace(signal);
    },
    async renew(stale, signal) {
      return held !== undefined && held.token.generation > stale.generation ? held.token : replace(signal);
    },
  };
}
