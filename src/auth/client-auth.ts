import {
  type AuthorizationServer,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  None,
} from 'oauth4webapi';
import type { Client, ClientAuthMethod } from './granted.ts';
import type { Provider } from './provider.ts';
import { TokenRejected } from './token-errors.ts';

/** How a client shows itself in one request. */
export interface Shown {
  readonly method: ClientAuthMethod;
  readonly auth: ClientAuth;
}

/** The client shown in this way; without a secret there is only one. */
export function shownAs(method: ClientAuthMethod, { secret }: Client): Shown {
  if (secret === undefined || method === 'none') return { method: 'none', auth: None() };
  return { method, auth: method === 'basic' ? ClientSecretBasic(secret) : ClientSecretPost(secret) };
}

/**
 * Asks as the client: with its secret in the header, in the form where the server reads nothing else, and in the form once
 * more where the server did not know the client by its header. It looks at the client before it looks at anything else, so
 * nothing is used up by that.
 */
export async function asClient<Result>(
  { clientAuthMethods }: Pick<Provider, 'clientAuthMethods'>,
  client: Client,
  ask: (shown: Shown) => Promise<Result>,
): Promise<Result> {
  if (client.secret === undefined) return ask(shownAs('none', client));
  const has = (method: string) => clientAuthMethods?.includes(method) === true;
  if (has('client_secret_post') && !has('client_secret_basic')) return ask(shownAs('post', client));
  return ask(shownAs('basic', client)).catch((cause) => {
    if (!(cause instanceof TokenRejected && cause.rejection.refusal.code === 'invalid_client')) throw cause;
    return ask(shownAs('post', client));
  });
}

/** Whatever a server may sign an ID token with; it comes from the server itself, so the name alone is looked at. */
const anyAlgorithm = ['RS', 'PS', 'ES'].flatMap((kind) => [`${kind}256`, `${kind}384`, `${kind}512`]);

/** The provider as oauth4webapi knows servers. */
export function serverOf(provider: Provider, issuer = provider.issuer): AuthorizationServer {
  return {
    issuer: issuer ?? provider.tokenUrl,
    token_endpoint: provider.tokenUrl,
    authorization_response_iss_parameter_supported: provider.sendsIssuer,
    id_token_signing_alg_values_supported: [
      ...(provider.signingAlgorithms ?? [...anyAlgorithm, 'EdDSA', 'Ed25519']),
    ],
    ...(provider.deviceAuthorizationUrl === undefined
      ? {}
      : { device_authorization_endpoint: provider.deviceAuthorizationUrl }),
  };
}
