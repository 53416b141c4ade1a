import { usageError } from '../cli/errors.ts';
import type { Clock, Ending } from '../cli/ports.ts';
import type { Credentials, Token } from '../service/exchange.ts';

/**
 * A token that was given and cannot be renewed.
 *
 * @throws {CliError} `usage` when it cannot stand in a header: empty, with blanks, control or non-ASCII characters.
 */
export function bearerCredentials(token: string, source: string): Credentials {
  if (!isSendable(token)) {
    throw usageError(
      `The token of ${source} ${token === '' ? 'is empty' : 'holds blanks, line breaks or characters outside ASCII'}.`,
      'Give the bare token, without "Bearer" and without quotes.',
    );
  }
  return {
    source,
    grant: 'token',
    current: async () => ({ header: `Bearer ${token}`, generation: 1 }),
    renew: async () => undefined,
  };
}

/** The token itself, as others than the service take it. A secret. */
export function bare({ header }: Pick<Token, 'header'>): string {
  return header.replace(/^Bearer /, '');
}

/** Whether a token can stand in a header as it is. */
export function isSendable(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

/**
 * Credentials that are opened when a token is first needed: a keyring may have to answer. A caller that is interrupted does
 * not wait for that.
 *
 * @param open is called once, again only if it failed or every caller had left.
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
  const credentials = async (signal: Ending) => opened ?? opening(signal);
  return {
    source,
    grant,
    current: async (signal) => (await credentials(signal)).current(signal),
    renew: async (stale, signal) => (await credentials(signal)).renew(stale, signal),
    settled: async () => opened?.settled?.(),
  };
}

interface Flight<Result> {
  readonly work: Promise<Result>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * Deduplicates concurrent calls.
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

/** An access token as it is kept between runs. */
export interface StoredToken {
  readonly access_token: string;
  /** Milliseconds since the epoch. */
  readonly expires_at: number;
}

/** Where a profile keeps its access token. */
export interface TokenCache {
  /** `undefined` when there is none. */
  read(): Promise<StoredToken | undefined>;
  /** @param signal ends the waiting for other processes that write. */
  write(token: StoredToken, signal: AbortSignal): Promise<void>;
}

/** A header value and how long it may be used. */
export interface Issue {
  readonly header: string;
  /** Milliseconds since the epoch; infinite when unknown: then a 401 ends it. */
  readonly renewAt: number;
  /** The end of the token, milliseconds since the epoch, where it is known. */
  readonly expiresAt?: number | undefined;
}

/** So long before its end a token is no longer sent: the request takes time, and clocks differ. */
export const MARGIN_MS = 30_000;

/** From when on another token is better, in milliseconds since the epoch; of a short life a tenth is left. */
export function renewAtOf(expiresAt: number, now: number): number {
  return expiresAt - Math.max(0, Math.min(MARGIN_MS, (expiresAt - now) / 10));
}

/**
 * Holds the newest issue of a token and counts its generations.
 *
 * @param obtain brings a new issue; it is given the header of the one that no longer serves, if there was one.
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
