import type { Caller } from '../operations/exchange.ts';
import { refusal } from '../operations/refusal.ts';
import { ADMIN_ID } from '../seeds/people.ts';
import { readToken } from './tokens.ts';

export interface AuthoriseOptions {
  /** Refuse calls without a token; otherwise they are the account admin's. */
  readonly requireAuth: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly secret: string;
}

/** Who calls, by the `Authorization` header. @throws {Refusal} 401 when the token is missing, forged or expired. */
export function authorise(
  header: string | undefined,
  { requireAuth, now, secret }: AuthoriseOptions,
): Caller {
  if (header === undefined && !requireAuth) return { kind: 'user', subjectId: ADMIN_ID };
  if (header === undefined) throw unauthorised('This sandbox requires a token.', 'Bearer');
  const token = /^Bearer +([^ ]+)$/i.exec(header)?.[1];
  const caller = token === undefined ? undefined : readToken(token, now, secret);
  if (caller !== undefined) return caller;
  throw unauthorised(
    "The token is not one of this sandbox's, or has expired.",
    'Bearer error="invalid_token"',
  );
}

function unauthorised(message: string, challenge: string) {
  return refusal(401, 'unauthorized', message, { headers: { 'www-authenticate': challenge } });
}
