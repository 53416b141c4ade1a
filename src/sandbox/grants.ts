import { createHash } from 'node:crypto';
import type { Answer, Caller, Outcome } from './call.ts';
import type { Change, GrantRecord, Records } from './records.ts';
import { Refusal } from './refusal.ts';
import { issueTicket, issueToken, readTicket, readToken, type TicketKind } from './tokens.ts';

/** How long a person, and a code that was not exchanged, may take. */
export const DECISION_MS = 10 * 60_000;
/** Seconds between two questions for the tokens of a device (RFC 8628, 3.2). */
export const INTERVAL_SECONDS = 5;
/** How long a refresh token waits for its use. */
const REFRESH_MS = 30 * 86_400_000;
/** The scope that gives refresh tokens. */
export const OFFLINE = 'offline_access';

/** What decides about a ticket. */
export interface Desk {
  readonly records: Records;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Signs tokens and tickets. */
  readonly secret: string;
  /** The life of access tokens. */
  readonly lifeSeconds: number;
}

/** Stores a grant, and forgets those that have expired. */
export function putGrant(
  id: string,
  grant: GrantRecord,
  { records, now }: Pick<Desk, 'records' | 'now'>,
): readonly Change[] {
  const expired = [...records.grants].filter(([other, { expires }]) => other !== id && expires <= now);
  return [
    ...expired.map(([other]): Change => ({ delete: ['grants', other] })),
    { put: ['grants', id, grant] },
  ];
}

/** The grant with this id, unless it has expired. */
export function liveGrant(
  id: string,
  { records, now }: Pick<Desk, 'records' | 'now'>,
): GrantRecord | undefined {
  const grant = records.grants.get(id);
  return grant !== undefined && grant.expires > now ? grant : undefined;
}

/** What exchanges a ticket for tokens, by grant type. They throw a refusal if it is missing. */
export const exchanges: Readonly<Record<string, (form: URLSearchParams, desk: Desk) => Outcome>> = {
  authorization_code: exchangeCode,
  'urn:ietf:params:oauth:grant-type:device_code': exchangeDeviceCode,
  refresh_token: exchangeRefreshToken,
};

/** A wrong redirect URL or verifier ends the grant too: the code is in the wrong hands. */
function exchangeCode(form: URLSearchParams, desk: Desk): Outcome {
  const [id, grant] = presented('code', form, desk);
  if (grant === undefined)
    return refused('invalid_grant', 'The code is not of this sandbox, or has expired.');
  if (grant.state !== 'allowed') return end(id, grant, desk, 'The code was used before.');
  if (form.get('redirect_uri') !== grant.redirect_uri)
    return end(id, grant, desk, 'The redirect_uri is not the one of the authorization request.');
  if (challengeOf(form.get('code_verifier') ?? '') !== grant.challenge)
    return end(id, grant, desk, 'The code_verifier does not match the code_challenge.');
  return grantTokens(id, grant, desk);
}

/** The code challenge S256 of a verifier (RFC 7636, 4.2). */
function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

function exchangeDeviceCode(form: URLSearchParams, desk: Desk): Outcome {
  const [id, grant] = presented('device_code', form, desk);
  if (id === '') return refused('invalid_grant', 'The device code is not of this sandbox.');
  if (grant === undefined) return refused('expired_token', 'The device code has expired.');
  if (grant.state === 'waiting') return keepWaiting(id, grant, desk);
  if (grant.state === 'denied') return refused('access_denied', 'The person denied it.');
  if (grant.state !== 'allowed') return end(id, grant, desk, 'The device code was used before.');
  return grantTokens(id, grant, desk);
}

/** A client that asks too early waits longer from then on (RFC 8628, 3.5). */
function keepWaiting(id: string, grant: GrantRecord, desk: Desk): Outcome {
  const { asked = 0, interval = INTERVAL_SECONDS } = grant;
  const isEarly = desk.now - asked < interval * 1_000;
  const next = { ...grant, asked: desk.now, interval: isEarly ? interval + 5 : interval };
  const answer = isEarly
    ? refused('slow_down', `Ask again in ${next.interval} seconds.`)
    : refused('authorization_pending', 'The login is not decided yet.');
  return { ...answer, changes: putGrant(id, next, desk) };
}

/** A refresh token that was used before is in the wrong hands, and so may be its successors (RFC 9700, 4.14). */
function exchangeRefreshToken(form: URLSearchParams, desk: Desk): Outcome {
  const [id, grant, round] = presented('refresh_token', form, desk);
  if (grant === undefined || grant.state !== 'used')
    return refused('invalid_grant', 'The refresh token is not of this sandbox, or has ended.');
  if (grant.round !== round)
    return end(id, grant, desk, 'The refresh token was used before; the whole login has ended.');
  return grantTokens(id, { ...grant, round: round + 1 }, desk);
}

/**
 * The grant of the ticket in a form; without one if it has expired, and without an id if the ticket is forged.
 *
 * @throws {Refusal} 400 if the form has no ticket.
 */
function presented(
  kind: TicketKind,
  form: URLSearchParams,
  desk: Desk,
): readonly [id: string, grant: GrantRecord | undefined, round: number] {
  const text = form.get(kind);
  if (text === null) throw oauthError(400, 'invalid_request', `The form has no ${kind}.`);
  const { id, round } = readTicket(kind, text, desk.secret) ?? { id: '', round: 0 };
  return [id, liveGrant(id, desk), round];
}

function grantTokens(id: string, grant: GrantRecord, desk: Desk): Outcome {
  const { now, secret, lifeSeconds, records } = desk;
  const { subject_id: subjectId = '', scope, round } = grant;
  if (records.users.get(subjectId)?.enabled !== true)
    return end(id, grant, desk, 'The user is disabled, or is none any more.');
  const scopes = scope.split(' ').filter((each) => each !== '' && each !== OFFLINE);
  const isLasting = scope.split(' ').includes(OFFLINE);
  const expires = now + lifeSeconds * 1_000;
  const caller: Caller = {
    kind: 'user',
    subjectId,
    grant: id,
    scopes: scopes.length === 0 ? undefined : scopes,
  };
  const token = issueToken(caller, expires, secret);
  const refresh_token = isLasting ? issueTicket('refresh_token', { id, round }, secret) : undefined;
  const kept: GrantRecord = { ...grant, state: 'used', expires: isLasting ? now + REFRESH_MS : expires };
  return { ...tokenAnswer(token, lifeSeconds, scope, refresh_token), changes: putGrant(id, kept, desk) };
}

/** The answer with tokens (RFC 6749, 5.1). */
export function tokenAnswer(
  access_token: string,
  expires_in: number,
  scope: string | undefined,
  refresh_token?: string,
): Answer {
  const named = {
    ...((scope ?? '') === '' ? {} : { scope }),
    ...(refresh_token === undefined ? {} : { refresh_token }),
  };
  return {
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: { access_token, token_type: 'Bearer', expires_in, ...named },
  };
}

/** Ends the login of a token (RFC 7009). The token of a client, and that of `sandbox serve`, cannot be revoked. */
export function revokeToken(form: URLSearchParams, desk: Omit<Desk, 'lifeSeconds'>): Outcome {
  const text = form.get('token');
  if (text === null) throw oauthError(400, 'invalid_request', 'The form has no token.');
  const caller = readToken(text, desk.now, desk.secret);
  const ofAccess = caller?.kind === 'user' ? caller.grant : undefined;
  if (caller !== undefined && ofAccess === undefined)
    return refused('unsupported_token_type', 'This token is valid until it expires.');
  const id = ofAccess ?? readTicket('refresh_token', text, desk.secret)?.id ?? '';
  const grant = liveGrant(id, desk);
  return {
    status: 200,
    changes: grant === undefined ? [] : putGrant(id, { ...grant, state: 'ended' }, desk),
  };
}

/** Ends a grant with all of its tokens. */
function end(id: string, grant: GrantRecord, desk: Desk, why: string): Outcome {
  return { ...refused('invalid_grant', why), changes: putGrant(id, { ...grant, state: 'ended' }, desk) };
}

function refused(error: string, description: string): Answer {
  return oauthError(400, error, description).answer;
}

/** An error as OAuth writes it (RFC 6749, 5.2). @param description plain ASCII without quotes. */
export function oauthError(status: number, error: string, description: string): Refusal {
  return new Refusal(description, {
    status,
    body: { error, error_description: description },
    headers: { 'cache-control': 'no-store', ...(status === 401 ? { 'www-authenticate': 'Basic' } : {}) },
  });
}
