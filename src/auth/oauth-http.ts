import { allowInsecureRequests, type CustomFetchOptions, customFetch } from 'oauth4webapi';
import { isInsecure } from '../config/urls.ts';
import type { Clock } from '../context.ts';
import { messageOf } from '../error-code.ts';
import { usageError } from '../errors.ts';
import { decodeJson } from '../http/decode.ts';
import type { Exchanged } from '../http/exchange.ts';
import { WireFailure } from '../http/failures.ts';
import { readRejection } from '../http/rejection.ts';
import { requestIdOf } from '../http/request-id.ts';
import { mayRetry, retryDelayMs } from '../http/retry.ts';
import type { Redactor } from '../redaction.ts';
import type { Method, WireRequest } from '../transport.ts';
import { malformedToken, type TokenAsked, TokenRejected } from './token-errors.ts';

/** How OAuth servers are asked: over the run's own transport. */
export interface OAuthHttp {
  /** One exchange: bounded, without redirects. */
  readonly request: (request: WireRequest) => Promise<Exchanged>;
  /** Tries of one request; only one that was certainly not sent is tried again. */
  readonly maxAttempts: number;
  readonly userAgent: string;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly redactor: Redactor;
}

/** The one header that an answer is handed on with, encoded: not every text can be one. */
const NUMBER = 'x-request-id';

/** Seconds; a longer lifetime is cut to this. */
const LONGEST_LIFETIME = 24 * 3600;

/**
 * Options that make oauth4webapi ask through us. An answer other than 200 is a `TokenRejected`, no answer a `WireFailure`.
 *
 * @param asked for the sentence about a success that is no JSON.
 * @throws {CliError} exit 2 when the request would go unencrypted to another machine.
 */
export function oauthOptions(http: OAuthHttp, asked: TokenAsked, signal: AbortSignal) {
  return {
    headers: { 'accept-encoding': 'identity', 'user-agent': http.userAgent },
    // Plain http is judged below, by where it goes.
    [allowInsecureRequests]: true,
    [customFetch]: async (
      url: string,
      { method, headers, body }: CustomFetchOptions<string, unknown>,
    ): Promise<Response> => {
      refusePlainHttp(url);
      const credentials = headers['authorization']?.replace('Basic ', '') ?? '';
      http.redactor.add(credentials);
      const text = body === undefined || body === null ? undefined : String(body);
      // oauth4webapi asks with GET and POST alone.
      const wire = { method: method as Method, url, headers, body: text, signal };
      const answer = await sendUntilSent(wire, http);
      const requestId = requestIdOf(answer.headers);
      const numbered =
        requestId === undefined ? {} : { headers: { [NUMBER]: encodeURIComponent(requestId) } };
      return Response.json(readAnswer(answer, http, asked), numbered);
    },
  };
}

/** The server's own number for the request that was answered so; `undefined` where it gave none. */
export function numberOf({ headers }: Response): string | undefined {
  const number = headers.get(NUMBER);
  return number === null ? undefined : decodeURIComponent(number);
}

/** @throws {CliError} exit 2 when what is sent there could be read on the way. */
function refusePlainHttp(url: string): void {
  if (!isInsecure(url)) return;
  throw usageError(
    `${url} would be sent credentials unencrypted.`,
    'Use https; http is for this machine alone.',
  );
}

async function sendUntilSent(
  wire: WireRequest & { readonly signal: AbortSignal },
  { request, maxAttempts, clock, random }: OAuthHttp,
): Promise<Exchanged> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request(wire);
    } catch (failure) {
      const again = failure instanceof WireFailure && mayRetry('once', { kind: 'failure', failure });
      if (!again || attempt >= maxAttempts) throw failure;
    }
    await clock.sleep(retryDelayMs(attempt, undefined, random()), wire.signal);
  }
}

function readAnswer(
  { status, headers, bytes }: Exchanged,
  { redactor }: OAuthHttp,
  asked: TokenAsked,
): unknown {
  if (status !== 200) throw new TokenRejected(readRejection(status, headers, bytes, redactor.text));
  try {
    return withUsableLifetime(decodeJson(bytes, headers));
  } catch (cause) {
    throw malformedToken(messageOf(cause), asked, cause, requestIdOf(headers));
  }
}

/** Servers write `expires_in` as a number, a text, 0 or -1 for "never"; what is no time is left out. */
function withUsableLifetime(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || !('expires_in' in answer)) return answer ?? null;
  const { expires_in: value, ...rest } = answer;
  const seconds = Math.min(Number(value), LONGEST_LIFETIME);
  return seconds > 0 ? { ...rest, expires_in: seconds } : rest;
}
