import { createHmac } from 'node:crypto';
import type { Answer, Caller } from './call.ts';
import type { Records } from './records.ts';
import { Refusal, refusal } from './refusal.ts';
import { ADMIN_ID } from './seeds/seed.ts';

const LIFETIME_SECONDS = 3_600;

/** The address of a sandbox. */
export function urlAt(port: number | undefined): string {
  return `http://127.0.0.1:${port}`;
}

/** The path of the token endpoint. */
export const TOKEN_PATH = '/connect/token';

/**
 * The client-credentials grant (RFC 6749, 4.4), with the client's secret by Basic or in the form.
 *
 * @param now milliseconds since the epoch.
 * @throws {Refusal} with an OAuth error body.
 */
export function grantToken(
  authorization: string | undefined,
  form: URLSearchParams,
  now: number,
  secret: string,
): Answer {
  const [id, given] =
    authorization === undefined
      ? [form.get('client_id'), form.get('client_secret')]
      : inHeader(authorization);
  if (id === null || given === null)
    throw oauthError(400, 'invalid_request', 'There are no client credentials.');
  if (id !== CLIENT_ID || given !== clientSecretOf(secret))
    throw oauthError(401, 'invalid_client', 'The client id or its secret is wrong.');
  const grant = form.get('grant_type');
  if (grant === null) throw oauthError(400, 'invalid_request', 'The form has no grant_type.');
  if (grant !== 'client_credentials') {
    throw oauthError(400, 'unsupported_grant_type', 'The sandbox grants client_credentials only.');
  }
  const scope = form.get('scope');
  return {
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: {
      access_token: issueToken(
        { kind: 'client', clientId: CLIENT_ID, scopes: scope?.split(' ').filter(Boolean) },
        now + LIFETIME_SECONDS * 1_000,
        secret,
      ),
      token_type: 'Bearer',
      expires_in: LIFETIME_SECONDS,
      ...(scope === null ? {} : { scope }),
    },
  };
}

/** The document at `/.well-known/openid-configuration`. */
export function discovery(port: number | undefined): Answer {
  const url = urlAt(port);
  return {
    status: 200,
    body: {
      issuer: url,
      token_endpoint: `${url}${TOKEN_PATH}`,
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      response_types_supported: [],
    },
  };
}

/** Both parts are form-encoded before Base64 (RFC 6749, 2.3.1). */
function inHeader(authorization: string): readonly [id: string | null, secret: string | null] {
  const encoded = /^Basic +([^ ]+)$/i.exec(authorization)?.[1];
  if (encoded === undefined) return [null, null];
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString().split(':');
  return [formDecoded(id), formDecoded(secret.join(':'))];
}

/** Reads one form-encoded value; a broken escape stays as it is. */
function formDecoded(text: string): string {
  return new URLSearchParams(`value=${text}`).get('value') ?? '';
}

function oauthError(status: number, error: string, description: string): Refusal {
  return new Refusal(description, {
    status,
    body: { error, error_description: description },
    headers: { 'cache-control': 'no-store', ...(status === 401 ? { 'www-authenticate': 'Basic' } : {}) },
  });
}

/**
 * The caller by the `Authorization` header; without one the account admin, unless `requireAuth`.
 *
 * @param now milliseconds since the epoch.
 * @throws {Refusal} 401 when the token is missing, forged or expired.
 */
export function authorise(
  header: string | undefined,
  requireAuth: boolean | undefined,
  now: number,
  secret: string,
): Caller {
  if (header === undefined && requireAuth !== true) return { kind: 'user', subjectId: ADMIN_ID };
  if (header === undefined) throw unauthorised('This sandbox requires a token.', 'Bearer');
  const token = /^Bearer +([^ ]+)$/i.exec(header)?.[1];
  const caller = token === undefined ? undefined : readToken(token, now, secret);
  if (caller !== undefined) return caller;
  throw unauthorised(
    "The token is not one of this sandbox's, or has expired.",
    'Bearer error="invalid_token"',
  );
}

/** @throws {Refusal} 401 for the token of a user who is disabled. */
export function requireEnabled(caller: Caller, { users }: Records): void {
  if (caller.kind === 'client' || users.get(caller.subjectId)?.enabled !== false) return;
  throw unauthorised('The user of the token is disabled.', 'Bearer error="invalid_token"');
}

function unauthorised(message: string, challenge: string) {
  return refusal(401, 'unauthorized', message, { headers: { 'www-authenticate': challenge } });
}

/** The id of the only client. */
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
  const claims = Buffer.from(JSON.stringify({ caller, expires })).toString('base64url');
  return `${claims}.${sign(claims, secret)}`;
}

/** The caller of a token; `undefined` when it is forged or expired. */
function readToken(token: string, now: number, secret: string): Caller | undefined {
  const [claims = '', signature = '', ...rest] = token.split('.');
  if (rest.length > 0 || signature !== sign(claims, secret)) return undefined;
  // Signed, so written by issueToken.
  const read: { caller: Caller; expires: number } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  return read.expires > now ? read.caller : undefined;
}

function sign(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url');
}
