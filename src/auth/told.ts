import { type Claims, told, type Who, whoIn } from './claims.ts';

/** What can be told of an access token without asking anybody. */
export interface Told {
  readonly who: Who;
  readonly clientId: string | undefined;
  readonly scopes: readonly string[] | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
}

/** The claims of a token in our words; nothing of one that tells nothing. */
export function toldBy(claims: Claims): Told {
  return {
    who: whoIn(claims),
    clientId: told(claims, 'client'),
    scopes: scopesIn(claims['scope'] ?? claims['scp']),
    expiresAt: momentIn(claims['exp']),
  };
}

/** The scopes of a text with blanks between them, or of a list; `undefined` when there are none. */
export function scopesIn(value: unknown): readonly string[] | undefined {
  const parts: readonly unknown[] = Array.isArray(value) ? value : String(value ?? '').split(' ');
  const scopes = parts.filter((part) => typeof part === 'string' && part !== '');
  return scopes.length === 0 ? undefined : scopes.map(String);
}

/** Seconds since the epoch as milliseconds, where they are a time that a date can hold. */
export function momentIn(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && seconds > 0 && seconds <= 8.64e12 ? seconds * 1000 : undefined;
}
