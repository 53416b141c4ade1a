import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  customFetch,
  processClientCredentialsResponse,
} from 'oauth4webapi';
import { isInsecure } from '../config/urls.ts';
import { usageError } from '../errors.ts';
import { decodeJson } from '../http/decode.ts';
import type { Exchanged } from '../http/exchange.ts';
import { WireFailure } from '../http/failures.ts';
import { readRejection } from '../http/rejection.ts';
import { mayRetry, retryDelayMs } from '../http/retry.ts';
import { failureError } from '../http/verdict.ts';
import type { WireRequest } from '../transport.ts';
import type { ClientCredentialsOptions } from './client-credentials.ts';
import { isSendable } from './credentials.ts';
import { getToken, malformedToken, rejectedToken, TokenRejected } from './token-errors.ts';

/** A token as the server issued it. */
export interface Issued {
  readonly accessToken: string;
  /** `undefined` when the server did not say, or said something unusable. */
  readonly lifetimeMs: number | undefined;
}

/** Seconds; a longer lifetime is cut to this. */
const LONGEST_LIFETIME = 24 * 3600;

/**
 * Fetches a token with the client's id and secret: in the header (RFC 6749, section 2.3.1), and where the server then
 * does not know the client, once more in the form, which is all that some servers read.
 *
 * @throws {CliError} when there is no token; token-errors.ts has the exit codes.
 */
export async function requestToken(options: ClientCredentialsOptions, signal: AbortSignal): Promise<Issued> {
  const { clientSecret } = options;
  refusePlainHttp(options);
  try {
    return await ask(ClientSecretBasic(clientSecret), options, signal).catch((cause) => {
      if (!(cause instanceof TokenRejected && cause.rejection.refusal.code === 'invalid_client')) throw cause;
      return ask(ClientSecretPost(clientSecret), options, signal);
    });
  } catch (cause) {
    if (cause instanceof TokenRejected) throw rejectedToken(cause, options);
    if (cause instanceof WireFailure) throw failureError(cause, { safety: 'read', does: getToken(options) });
    throw cause;
  }
}

function refusePlainHttp({ tokenUrl, insecureHttp }: ClientCredentialsOptions): void {
  if (insecureHttp || !isInsecure(tokenUrl)) return;
  throw usageError(
    `The token URL ${tokenUrl} would send the client secret unencrypted.`,
    'Use https, or allow it with --insecure-http.',
  );
}

async function ask(
  auth: ClientAuth,
  options: ClientCredentialsOptions,
  signal: AbortSignal,
): Promise<Issued> {
  const { tokenUrl, clientId, scope, userAgent } = options;
  const server = { issuer: tokenUrl, token_endpoint: tokenUrl };
  const client = { client_id: clientId };
  const parameters: Record<string, string> = scope === undefined ? {} : { scope };
  const response = await clientCredentialsGrantRequest(server, client, auth, parameters, {
    headers: { 'accept-encoding': 'identity', 'user-agent': userAgent },
    // Plain http was judged above, by where it goes.
    [allowInsecureRequests]: true,
    [customFetch]: async (url, { method, headers, body }) => {
      const credentials = headers['authorization']?.replace('Basic ', '') ?? '';
      options.redactor.add(credentials);
      const answer = await sendUntilSent({ method, url, headers, body: body.toString(), signal }, options);
      return Response.json(readAnswer(answer, options));
    },
  });
  const grant = await processClientCredentialsResponse(server, client, response).catch((cause: Error) => {
    throw malformedToken(`the answer is not a token: ${cause.message}`, options, cause);
  });
  const { access_token: accessToken, expires_in: seconds } = grant;
  if (grant.token_type !== 'bearer' || !isSendable(accessToken)) {
    throw malformedToken('the answer is not a token that can stand in a header', options, undefined);
  }
  options.redactor.add(accessToken);
  return { accessToken, lifetimeMs: seconds === undefined ? undefined : seconds * 1000 };
}

async function sendUntilSent(
  wire: WireRequest & { readonly signal: AbortSignal },
  options: ClientCredentialsOptions,
): Promise<Exchanged> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await options.request(wire);
    } catch (failure) {
      const again = failure instanceof WireFailure && mayRetry('once', { kind: 'failure', failure });
      if (!again || attempt >= options.maxAttempts) throw failure;
    }
    await options.clock.sleep(retryDelayMs(attempt, undefined, options.random()), wire.signal);
  }
}

function readAnswer({ status, headers, bytes }: Exchanged, options: ClientCredentialsOptions): unknown {
  if (status !== 200) throw new TokenRejected(readRejection(status, headers, bytes, options.redactor.text));
  try {
    return withUsableLifetime(decodeJson(bytes, headers));
  } catch (cause) {
    throw malformedToken(cause instanceof Error ? cause.message : String(cause), options, cause);
  }
}

/** Servers write `expires_in` as a number, a text, 0 or -1 for "never"; what is no time is left out. */
function withUsableLifetime(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || !('expires_in' in answer)) return answer ?? null;
  const { expires_in: value, ...rest } = answer;
  const seconds = Math.min(Number(value), LONGEST_LIFETIME);
  return seconds > 0 ? { ...rest, expires_in: seconds } : rest;
}
