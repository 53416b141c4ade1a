import type { Clock } from '../context.ts';
import type { Credentials, Token } from '../http/authorization.ts';
import { singleFlight } from './single-flight.ts';

/** A header value and how long it may be used. */
export interface Issue {
  readonly header: string;
  /** Milliseconds since the epoch; infinite when nobody knows: then a 401 is the sign. */
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
