import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Answer, type Caller, Refusal, refusal } from './call.ts';
import { readText } from './http.ts';
import { ADMIN_ID } from './seeds/names.ts';
import type { Store } from './store.ts';

/** The id of the only client. */
export const CLIENT_ID = 'sandbox';
export const TOKEN_PATH = '/connect/token';
const LIFE_SECONDS = 3_600;
const ADMIN: Caller = { kind: 'user', subjectId: ADMIN_ID };

/** What tokens are issued and judged by. */
interface Issuer {
  readonly store: Store;
  readonly now: () => number;
  readonly requireAuth?: boolean | undefined;
}

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
  const text = Buffer.from(JSON.stringify({ caller, expires })).toString('base64url');
  return `${text}.${sign(text, secret)}`;
}

/** The caller of a token; `undefined` when it is forged or expired. */
function readToken(token: string, now: number, secret: string): Caller | undefined {
  const [text = '', signature = '', ...rest] = token.split('.');
  if (rest.length > 0 || signature !== sign(text, secret)) return undefined;
  // Signed, so written by `issueToken`.
  const { caller, expires } = JSON.parse(Buffer.from(text, 'base64url').toString());
  return expires > now ? caller : undefined;
}

function sign(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url');
}

/** The token endpoint (RFC 6749, 4.4): a token for the client. @throws {Refusal} with an OAuth error body. */
export async function grantToken({ store, now }: Issuer, request: IncomingMessage): Promise<Answer> {
  const form = new URLSearchParams(await readText(request, ['application/x-www-form-urlencoded']));
  const { secret } = store.read().header;
  const [id = null, given = null] = clientIn(form, request.headers.authorization);
  if (id === null || given === null)
    throw oauthError(400, 'invalid_request', 'The client id or its secret is missing.');
  if (id !== CLIENT_ID || given !== clientSecretOf(secret))
    throw oauthError(401, 'invalid_client', 'The client id or its secret is wrong.');
  const type = form.get('grant_type');
  if (type === null) throw oauthError(400, 'invalid_request', 'The form has no grant_type.');
  if (type !== 'client_credentials')
    throw oauthError(400, 'unsupported_grant_type', 'The only grant of the sandbox is client_credentials.');
  const scope = form.get('scope');
  const caller = {
    kind: 'client',
    clientId: CLIENT_ID,
    ...(scope === null ? {} : { scopes: scope.split(' ').filter(Boolean) }),
  } as const;
  return {
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: {
      access_token: issueToken(caller, now() + LIFE_SECONDS * 1_000, secret),
      token_type: 'Bearer',
      expires_in: LIFE_SECONDS,
      ...(scope === null || scope === '' ? {} : { scope }),
    },
  };
}

/** In the header both parts are form-encoded before Base64 (RFC 6749, 2.3.1). */
function clientIn(form: URLSearchParams, header: string | undefined): readonly (string | null)[] {
  if (header === undefined) return [form.get('client_id'), form.get('client_secret')];
  const encoded = /^Basic +([^ ]+)$/i.exec(header)?.[1];
  if (encoded === undefined) return [];
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString().split(':');
  const both = new URLSearchParams(`id=${id}&secret=${secret.join(':')}`);
  return [both.get('id'), both.get('secret')];
}

/** An error as OAuth writes it (RFC 6749, 5.2). @param description plain ASCII without quotes. */
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
 * @throws {Refusal} 401 when the token is missing, forged or expired, or its user is disabled.
 */
export function authorise({ store, requireAuth, now }: Issuer, header: string | undefined): Caller {
  const stored = store.read();
  if (header === undefined && requireAuth === true)
    throw unauthorised('This sandbox requires a token.', 'Bearer');
  const [, token = ''] = /^Bearer +([^ ]+)$/i.exec(header ?? '') ?? [];
  const caller = header === undefined ? ADMIN : readToken(token, now(), stored.header.secret);
  if (caller === undefined) throw unauthorised("The token is not one of this sandbox's, or has expired.");
  if (caller.kind === 'user' && stored.records.users.get(caller.subjectId)?.enabled === false)
    throw unauthorised('The user of the token is disabled.');
  return caller;
}

function unauthorised(message: string, challenge = 'Bearer error="invalid_token"') {
  return refusal(401, 'unauthorized', message, { headers: { 'www-authenticate': challenge } });
}
