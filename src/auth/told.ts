import { type Claims, told, type Who, whoIn } from './claims.ts';

/** What can be told of an access token without asking anybody. */
export interface Told {
  readonly who: Who;
  readonly clientId: string | undefined;
  readonly scopes: readonly string[] | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
}

/** Milliseconds since the epoch; no date is later. */
const LAST_MOMENT = 8.64e15;

const MOST_SCOPES = 100;
const LONGEST_SCOPE = 200;

/** The claims of a token in our words; nothing of one that tells nothing. */
export function toldBy(claims: Claims): Told {
  return {
    who: whoIn(claims),
    clientId: told(claims, 'client'),
    scopes: scopesIn(claims['scope'] ?? claims['scp']),
    expiresAt: momentIn(claims['exp']),
  };
}

/** The scopes of a text with blanks between them, or of a list; `undefined` when there are none that anybody would read. */
export function scopesIn(value: unknown): readonly string[] | undefined {
  const parts: readonly unknown[] = typeof value === 'string' ? value.split(' ') : [value].flat();
  const scopes = parts.filter((part) => typeof part === 'string').filter(isReadable);
  return scopes.length === 0 ? undefined : scopes.slice(0, MOST_SCOPES);
}

function isReadable({ length }: string): boolean {
  return length > 0 && length <= LONGEST_SCOPE;
}

/** Seconds since the epoch as milliseconds, where they are a time that a date can hold. */
export function momentIn(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && seconds > 0 && seconds * 1000 <= LAST_MOMENT
    ? seconds * 1000
    : undefined;
}

/** Milliseconds since the epoch as all dates are shown; `undefined` where no date can hold them. */
export function momentText(ms: number | undefined): string | undefined {
  return ms !== undefined && Math.abs(ms) <= LAST_MOMENT ? new Date(ms).toISOString() : undefined;
}
