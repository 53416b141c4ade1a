import { createHmac, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';
import type { Caller } from '../operations/exchange.ts';

/** The id of the one client that the sandbox knows. */
export const CLIENT_ID = 'sandbox';

const callerSchema = v.variant('kind', [
  v.object({ kind: v.literal('user'), subjectId: v.string() }),
  v.object({
    kind: v.literal('client'),
    clientId: v.string(),
    scopes: v.optional(v.array(v.string())),
  }),
]);
const claimsSchema = v.object({ caller: callerSchema, expires: v.number() });

/** The client's secret: fixed for one folder's state, resets included. */
export function clientSecretOf(secret: string): string {
  return sign('client secret', secret);
}

/**
 * A bearer token that every process with the same state understands: nothing is stored.
 *
 * @param expires milliseconds since the epoch.
 */
export function issueToken(caller: Caller, expires: number, secret: string): string {
  const claims = Buffer.from(JSON.stringify({ caller, expires })).toString('base64url');
  return `${claims}.${sign(claims, secret)}`;
}

/** Whose token it is; `undefined` when it is forged or expired. */
export function readToken(token: string, now: number, secret: string): Caller | undefined {
  const [claims = '', signature = '', ...rest] = token.split('.');
  if (rest.length > 0 || !isSame(signature, sign(claims, secret))) return undefined;
  // Signed, so written by issueToken.
  const { caller, expires } = v.parse(claimsSchema, JSON.parse(Buffer.from(claims, 'base64url').toString()));
  return expires > now ? caller : undefined;
}

/** Compares in a time that does not tell how much is right. */
export function isSame(given: string, right: string): boolean {
  const [a, b] = [sign(given, 'compare'), sign(right, 'compare')];
  return timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

function sign(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url');
}
