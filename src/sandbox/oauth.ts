import { CLIENT_ID, clientSecretOf, isSame, issueToken } from './app.ts';
import type { Answer } from './handlers.ts';
import { Refusal } from './refusal.ts';

const LIFETIME_SECONDS = 3_600;

export interface TokenRequest {
  readonly authorization: string | undefined;
  readonly form: URLSearchParams;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly secret: string;
}

/** Where the token endpoint is. */
export const TOKEN_PATH = '/connect/token';

/**
 * The client-credentials grant (RFC 6749, 4.4), with the client's secret by Basic or in the form.
 *
 * @throws {Refusal} with an OAuth error body.
 */
export function grantToken({ authorization, form, now, secret }: TokenRequest): Answer {
  const credentials = authorization === undefined ? inForm(form) : inHeader(authorization);
  if (credentials === undefined) throw oauthError(400, 'invalid_request', 'There are no client credentials.');
  const isClient = credentials.id === CLIENT_ID && isSame(credentials.secret, clientSecretOf(secret));
  if (!isClient) throw oauthError(401, 'invalid_client', 'The client id or its secret is wrong.');
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

/** What `/.well-known/openid-configuration` tells. */
export function discovery(url: string): Answer {
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

interface Credentials {
  readonly id: string;
  readonly secret: string;
}

function inForm(form: URLSearchParams): Credentials | undefined {
  const id = form.get('client_id');
  const secret = form.get('client_secret');
  return id === null || secret === null ? undefined : { id, secret };
}

/** Both parts are form-encoded before Base64 (RFC 6749, 2.3.1). */
function inHeader(authorization: string): Credentials | undefined {
  const encoded = /^Basic +([^ ]+)$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString().split(':');
  return { id: formDecoded(id), secret: formDecoded(secret.join(':')) };
}

/** Reads one form-encoded value; a broken escape stands for itself. */
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
