import { clientCredentialsGrantRequest, processClientCredentialsResponse } from 'oauth4webapi';
import { WireFailure } from '../service/failures.ts';
import { failureError } from '../service/refusal.ts';
import type { ClientCredentialsOptions } from './client-credentials.ts';
import { isSendable } from './credentials.ts';
import type { ClientAuthMethod } from './granted.ts';
import { asClient, numberOf, oauthOptions, type Shown } from './oauth-http.ts';
import { getToken, malformedToken, rejectedToken, TokenRejected } from './token-errors.ts';

/** A token as the server issued it. */
export interface Issued {
  readonly accessToken: string;
  /** `undefined` when the server did not say, or said something unusable. */
  readonly lifetimeMs: number | undefined;
  /** What was granted, where the server says so. */
  readonly scope: string | undefined;
  /** How the client was known. */
  readonly clientAuth: ClientAuthMethod;
}

/**
 * Fetches a token with the client's id and secret: in the header (RFC 6749, section 2.3.1), and where the server then
 * does not know the client, once more in the form, which is all that some servers read.
 *
 * @throws {CliError} when there is no token; token-errors.ts has the exit codes.
 */
export async function requestToken(options: ClientCredentialsOptions, signal: AbortSignal): Promise<Issued> {
  const client = { id: options.clientId, secret: options.clientSecret };
  try {
    return await asClient({}, client, (shown) => ask(shown, options, signal));
  } catch (cause) {
    if (cause instanceof TokenRejected) throw rejectedToken(cause, options);
    if (cause instanceof WireFailure) throw failureError(cause, { safety: 'read', does: getToken(options) });
    throw cause;
  }
}

async function ask(
  { auth, method }: Shown,
  options: ClientCredentialsOptions,
  signal: AbortSignal,
): Promise<Issued> {
  const { tokenUrl, clientId, scope, http } = options;
  const server = { issuer: tokenUrl, token_endpoint: tokenUrl };
  const client = { client_id: clientId };
  const parameters: Record<string, string> = scope === undefined ? {} : { scope };
  const response = await clientCredentialsGrantRequest(
    server,
    client,
    auth,
    parameters,
    oauthOptions(http, options, signal),
  );
  const grant = await processClientCredentialsResponse(server, client, response).catch((cause: Error) => {
    throw malformedToken(`the answer is not a token: ${cause.message}`, options, cause, numberOf(response));
  });
  const { access_token: accessToken, expires_in: seconds } = grant;
  if (grant.token_type !== 'bearer' || !isSendable(accessToken)) {
    const what = 'the answer is not a token that can stand in a header';
    throw malformedToken(what, options, undefined, numberOf(response));
  }
  http.redactor.add(accessToken);
  return {
    accessToken,
    lifetimeMs: seconds === undefined ? undefined : seconds * 1000,
    scope: grant.scope,
    clientAuth: method,
  };
}
