import { isRecord } from '../records.ts';
import { isSendable } from './credentials.ts';

/** A token as a command prints it, or why there is none: the end of a sentence that quotes nothing. */
export type Printed =
  | { readonly token: string; readonly expiresAt: number | undefined }
  | { readonly problem: string };

/** What prints for nothing at all; a bare word of it is no token. */
const nothings = new Set(['null', 'undefined', 'none', 'nil', 'true', 'false']);

/** Seconds since the epoch have ten digits until 2286, milliseconds have had thirteen since 2001. */
const FIRST_MILLISECONDS = 1e11;

const withZone = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;

/**
 * Reads one token, or one JSON object: `token` or `access_token`, and `expires_at` (ISO 8601, or seconds or milliseconds since
 * the epoch) or `expires_in` (seconds).
 *
 * @param mask gets whatever may be the secret, before anything is said of it.
 */
export function readPrinted(bytes: Uint8Array, now: number, mask: (secret: string) => void): Printed {
  const text = decoded(bytes)?.trim();
  if (text === undefined) return { problem: 'prints bytes that are no UTF-8 text' };
  if (text === '') return { problem: 'prints nothing' };
  if (text.startsWith('{')) return readObject(text, now, mask);
  const isBare = isSendable(text) && !/^["'[<]/.test(text) && !nothings.has(text.toLowerCase());
  if (!isBare) return { problem: 'prints something that is not one token' };
  mask(text);
  return { token: text, expiresAt: undefined };
}

function readObject(text: string, now: number, mask: (secret: string) => void): Printed {
  const value = parsed(text);
  if (!isRecord(value)) return { problem: 'prints JSON that is not one object' };
  const tokens = [value['token'], value['access_token']].filter((token) => token !== undefined);
  for (const token of tokens) if (typeof token === 'string') mask(token);
  const [token] = tokens;
  if (tokens.length !== 1 || typeof token !== 'string' || !isSendable(token)) {
    return { problem: 'prints a JSON object without one "token" (or "access_token") that can be sent' };
  }
  const expiresAt = endOf(value, now);
  return Number.isNaN(expiresAt)
    ? { problem: 'prints an "expires_at" or "expires_in" that is no time' }
    : { token, expiresAt };
}

/** Milliseconds since the epoch; `undefined` where nothing is said, `NaN` where it is no time. */
function endOf({ expires_at: at, expires_in: seconds }: Record<string, unknown>, now: number) {
  if (at !== undefined && at !== null) {
    if (typeof at === 'string') return withZone.test(at) ? Date.parse(at) : Number.NaN;
    if (typeof at !== 'number' || at <= 0) return Number.NaN;
    return at < FIRST_MILLISECONDS ? at * 1_000 : at;
  }
  if (seconds === undefined || seconds === null) return undefined;
  return typeof seconds === 'number' && seconds > 0 ? now + seconds * 1_000 : Number.NaN;
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
