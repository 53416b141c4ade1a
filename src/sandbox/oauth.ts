import { type OperationId, operations } from '../service/operations.ts';
import type { Answer, Caller } from './call.ts';
import { exchanges, OFFLINE, oauthError, revokeToken, tokenAnswer } from './grants.ts';
import { readText } from './http.ts';
import type { Records } from './records.ts';
import { refusal } from './refusal.ts';
import type { Exchange, Service } from './run-operation.ts';
import { ADMIN_ID } from './seeds/seed.ts';
import { CLIENT_ID, clientSecretOf, issueToken, readToken } from './tokens.ts';

const LIFE_SECONDS = 3_600;

/** The address of a sandbox. */
export function urlAt(port: number | undefined): string {
  return `http://127.0.0.1:${port}`;
}

/** The paths of OAuth; those of pages are seen by people. */
export const oauthPaths = {
  discovery: '/.well-known/openid-configuration',
  token: '/connect/token',
  revocation: '/connect/revocation',
  device: '/connect/deviceauthorization',
  authorizePage: '/connect/authorize',
  devicePage: '/device',
} as const;

/** The document at `/.well-known/openid-configuration`. */
export function discovery({ dialect }: Service, { env }: Exchange): Answer {
  const url = urlAt(env.incoming.socket.localPort);
  // The keys of the table are the ids by definition.
  const needed = (Object.keys(operations) as OperationId[]).flatMap((id) => dialect.scopes(id));
  return {
    status: 200,
    body: {
      issuer: url,
      authorization_endpoint: url + oauthPaths.authorizePage,
      token_endpoint: url + oauthPaths.token,
      device_authorization_endpoint: url + oauthPaths.device,
      revocation_endpoint: url + oauthPaths.revocation,
      scopes_supported: [OFFLINE, ...new Set(needed)],
      response_types_supported: ['code'],
      grant_types_supported: ['client_credentials', ...Object.keys(exchanges)],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      authorization_response_iss_parameter_supported: true,
    },
  };
}

/** The token endpoint (RFC 6749, 3.2). @throws {Refusal} with an OAuth error body. */
export async function grantToken(service: Service, exchange: Exchange): Promise<Answer> {
  const { form, secret, isConfidential } = await readForm(service, exchange);
  const { store, now, tokenLifeSeconds: lifeSeconds = LIFE_SECONDS } = service;
  const type = form.get('grant_type');
  if (type === null) throw oauthError(400, 'invalid_request', 'The form has no grant_type.');
  if (type === 'client_credentials') {
    if (!isConfidential) throw oauthError(400, 'invalid_request', 'There is no client secret.');
    const scope = form.get('scope') ?? undefined;
    const caller = {
      kind: 'client',
      clientId: CLIENT_ID,
      scopes: scope?.split(' ').filter(Boolean),
    } as const;
    return tokenAnswer(issueToken(caller, now() + lifeSeconds * 1_000, secret), lifeSeconds, scope);
  }
  const exchangeTicket = Object.hasOwn(exchanges, type) ? exchanges[type] : undefined;
  if (exchangeTicket === undefined)
    throw oauthError(
      400,
      'unsupported_grant_type',
      'The discovery document lists the grants of the sandbox.',
    );
  return store.write((records) => exchangeTicket(form, { records, now: now(), secret, lifeSeconds }));
}

/** The revocation endpoint (RFC 7009). @throws {Refusal} with an OAuth error body. */
export async function revoke(service: Service, exchange: Exchange): Promise<Answer> {
  const { form, secret } = await readForm(service, exchange);
  return service.store.write((records) => revokeToken(form, { records, now: service.now(), secret }));
}

/**
 * The form of a request by the client, which is public but for its own tokens: its secret may be left out.
 *
 * @throws {Refusal} with an OAuth error body.
 */
export async function readForm({ store }: Service, { env, req }: Exchange) {
  const form = new URLSearchParams(await readText(env.incoming, ['application/x-www-form-urlencoded']));
  const { secret } = store.read().header;
  if (new Set(form.keys()).size < form.size)
    throw oauthError(400, 'invalid_request', 'A parameter is there twice.');
  const authorization = req.header('authorization');
  const [id, given] =
    authorization === undefined
      ? [form.get('client_id'), form.get('client_secret')]
      : inHeader(authorization);
  if (id === null) throw oauthError(400, 'invalid_request', 'There is no client id.');
  if (id !== CLIENT_ID || (given ?? clientSecretOf(secret)) !== clientSecretOf(secret))
    throw oauthError(401, 'invalid_client', 'The client id or its secret is wrong.');
  return { form, secret, isConfidential: given !== null };
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

/** @throws {Refusal} 401 for the token of a user who is disabled, or of a login that has ended. */
export function requireEnabled(caller: Caller, { users, grants }: Records): void {
  if (caller.kind === 'client') return;
  const isEnded = caller.grant !== undefined && grants.get(caller.grant)?.state === 'ended';
  if (!isEnded && users.get(caller.subjectId)?.enabled !== false) return;
  const why = isEnded ? 'The login of the token has ended.' : 'The user of the token is disabled.';
  throw unauthorised(why, 'Bearer error="invalid_token"');
}

function unauthorised(message: string, challenge: string) {
  return refusal(401, 'unauthorized', message, { headers: { 'www-authenticate': challenge } });
}
