import { createHmac } from 'node:crypto';
import type { Caller } from './call.ts';

/** The id of the only client. A person may log in to it without its secret. */
export const CLIENT_ID = 'sandbox';

/** The client's secret: the same for one folder's state, even after resets. */
export function clientSecretOf(secret: string): string {
  return sign('client secret', secret);
}

/**
 * A signed bearer token, valid in every process with the same state; it is not stored.
 *
 * @param expires milliseconds since the epoch.
 */
export function issueToken(caller: Caller, expires: number, secret: string): string {
  return seal({ caller, expires }, secret);
}

/** The caller of a token; `undefined` when it is forged or expired. */
export function readToken(token: string, now: number, secret: string): Caller | undefined {
  return unseal<{ readonly caller?: Caller }>(token, now, secret)?.caller;
}

/** Signs what comes back later: every process with the same state can read it, and no other can make it. */
export function seal<Claims extends { readonly expires: number }>(claims: Claims, secret: string): string {
  const text = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${text}.${sign(text, secret)}`;
}

/**
 * Reads what was sealed; `undefined` when it is forged or expired.
 *
 * @typeParam Claims each field optional: the text may be one that was sealed for another use.
 */
export function unseal<Claims>(sealed: string, now: number, secret: string): Claims | undefined {
  const [text = '', signature = '', ...rest] = sealed.split('.');
  if (rest.length > 0 || signature !== sign(text, secret)) return undefined;
  // Signed, so written by `seal`.
  const read: Claims & { expires: number } = JSON.parse(Buffer.from(text, 'base64url').toString());
  return read.expires > now ? read : undefined;
}

/** What is exchanged for tokens. */
export type TicketKind = 'code' | 'device_code' | 'refresh_token';

/** A ticket stands for a grant that is stored, where its expiry and its use are known. */
export interface Ticket {
  /** Of the grant. */
  readonly id: string;
  /** How often the grant had been refreshed. */
  readonly round: number;
}

/** The text of a ticket, which is not stored. */
export function issueTicket(kind: TicketKind, { id, round }: Ticket, secret: string): string {
  return `${id}.${round}.${sign(`${kind} ${id} ${round}`, secret)}`;
}

/** A ticket of this kind; `undefined` when it is forged. */
export function readTicket(kind: TicketKind, text: string, secret: string): Ticket | undefined {
  const [id = '', digits = ''] = text.split('.');
  const ticket = { id, round: Number(digits) };
  return issueTicket(kind, ticket, secret) === text ? ticket : undefined;
}

function sign(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url');
}
