import type { Clock } from '../context.ts';
import { CliError, OutcomeUnknown } from '../errors.ts';
import { maskHeaders } from '../redaction.ts';
import type { Method, Transport, WireRequest } from '../transport.ts';
import type { Credentials, Token } from './authorization.ts';
import { type Budget, openBudget } from './budget.ts';
import { decodeJson } from './decode.ts';
import { WireFailure } from './failures.ts';
import { isInProgress, type Rejection, readRejection, rejectionError } from './rejection.ts';
import { requestIdOf } from './request-id.ts';
import { type Mishap, mayHaveHappened, mayRetry, retryAfterMs, retryDelayMs, type Safety } from './retry.ts';
import type { Trace } from './trace.ts';
import { tracedExchange } from './traced.ts';
import { endedFromOutside, failureError, outOfTime, verdict } from './verdict.ts';

/** One operation as it is sent: the wire's request and how often it may go out. */
export interface ServiceRequest {
  readonly method: Method;
  readonly url: string;
  readonly safety: Safety;
  /** What it does, as the end of `Could not ...`. */
  readonly does: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string | undefined;
}

/** A success. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded JSON; `undefined` when the answer has no body. */
  readonly body: unknown;
  readonly requestId: string | undefined;
}

/**
 * Sends one operation until it is answered, within the rules of retry.ts and the time there is.
 *
 * @throws {OutcomeUnknown} when a write may have been carried out and no answer says so.
 * @throws {CliError} when the service refuses or cannot be reached.
 * @throws {WouldSend} instead of a write, in a dry run.
 */
export type Send = (request: ServiceRequest) => Promise<Answer>;

export interface SendOptions {
  readonly transport: Transport;
  readonly credentials: Credentials;
  readonly trace: Trace;
  readonly clock: Clock;
  readonly random: () => number;
  /** Aborted when the run is interrupted. */
  readonly signal: AbortSignal;
  /** When the whole command must be over, milliseconds since the epoch; `undefined`: each operation has 120 s. */
  readonly deadline: number | undefined;
  readonly maxAttempts: number;
  readonly maxBytes: number;
  readonly attemptTimeoutMs: number;
  readonly userAgent: string;
  readonly dryRun: boolean;
  /** Called before each write goes out. */
  readonly beforeWrite: (host: string) => Promise<void>;
}

/** A dry run reached a write: this is what would have been sent. */
export class WouldSend extends Error {
  override readonly name = 'WouldSend';
  readonly request: Pick<WireRequest, 'method' | 'url' | 'headers' | 'body'>;

  constructor(request: WouldSend['request']) {
    super(`${request.method} ${request.url} was not sent`);
    this.request = request;
  }
}

/** A delete that found nothing on a later try: the earlier one was carried out. */
const gone: Answer = { status: 404, headers: {}, body: undefined, requestId: undefined };

type Try = { readonly answer: Answer } | { readonly mishap: Mishap; readonly error: CliError };

/** Binds the rules to one transport and one set of credentials. */
export function createSend(options: SendOptions): Send {
  return async (request) => {
    if (options.dryRun && request.method !== 'GET') throw new WouldSend(rehearse(request, options));
    if (request.method !== 'GET') await options.beforeWrite(new URL(request.url).host);
    const budget = openBudget(options);
    try {
      return await sendUntilAnswered(request, budget, options);
    } finally {
      budget.close();
    }
  };
}

async function sendUntilAnswered(
  request: ServiceRequest,
  budget: Budget,
  options: SendOptions,
): Promise<Answer> {
  // Until a token is there nothing was sent: a write that waits for its first one is in no doubt.
  let token = await options.credentials.current(budget.signal).catch((cause) => {
    throw endedFromOutside(cause, { does: request.does, safety: 'read' }, budget);
  });
  let renewed = false;
  let inDoubt = false;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await tryOnce(request, token, attempt, budget, options);
    if ('answer' in outcome) return outcome.answer;
    const { mishap, error } = outcome;

    const mayRenew = !renewed && error.status === 401;
    const newer = mayRenew ? await renew(token, request, inDoubt, budget, options) : undefined;
    if (newer !== undefined) {
      token = newer;
      renewed = true;
      continue;
    }
    if (inDoubt && request.safety === 'delete' && error.status === 404) return gone;
    inDoubt ||= mayHaveHappened(mishap);
    if (!mayRetry(request.safety, mishap) || attempt >= options.maxAttempts)
      throw verdict(error, request, inDoubt);

    const asked = mishap.kind === 'answer' ? mishap.retryAfterMs : undefined;
    const delayMs = retryDelayMs(attempt, asked, options.random());
    if (!budget.allows(delayMs)) throw verdict(outOfTime(error, delayMs, options.clock), request, inDoubt);
    await options.clock.sleep(delayMs, budget.signal).catch((cause) => {
      if (budget.expired) throw verdict(error, request, inDoubt);
      throw inDoubt ? endedFromOutside(cause, request, budget) : cause;
    });
  }
}

async function renew(
  stale: Token,
  request: ServiceRequest,
  inDoubt: boolean,
  budget: Budget,
  { credentials }: SendOptions,
): Promise<Token | undefined> {
  try {
    return await credentials.renew(stale, budget.signal);
  } catch (cause) {
    if (cause instanceof CliError) throw verdict(cause, request, inDoubt);
    throw endedFromOutside(cause, inDoubt ? request : { does: request.does, safety: 'read' }, budget);
  }
}

async function tryOnce(
  request: ServiceRequest,
  token: Token,
  attempt: number,
  budget: Budget,
  options: SendOptions,
): Promise<Try> {
  const wire = { ...wireRequest(request, token.header, options.userAgent), signal: budget.signal };
  try {
    const { status, headers, bytes } = await tracedExchange(wire, attempt, options);
    if (status >= 200 && status < 300) return { answer: readAnswer(request, status, headers, bytes) };
    return rejected(readRejection(status, headers, bytes), request, options.clock.now());
  } catch (cause) {
    if (!(cause instanceof WireFailure)) throw endedFromOutside(cause, request, budget);
    return { mishap: { kind: 'failure', failure: cause }, error: failureError(cause, request) };
  }
}

function readAnswer(
  request: ServiceRequest,
  status: number,
  headers: Answer['headers'],
  bytes: Uint8Array,
): Answer {
  const requestId = requestIdOf(headers);
  try {
    return { status, headers, body: decodeJson(bytes, headers), requestId };
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    const sentence = `Could not ${request.does}: ${cause.message} (${status} from ${new URL(request.url).host}).`;
    const facts = { hint: cause.hint, cause, status, requestId };
    if (request.safety === 'read') throw new CliError(cause.code, sentence, facts);
    throw new OutcomeUnknown(sentence, facts);
  }
}

function rejected(rejection: Rejection, request: ServiceRequest, now: number): Try {
  return {
    mishap: {
      kind: 'answer',
      status: rejection.status,
      retryAfterMs: retryAfterMs(rejection.headers, now),
      inProgress: isInProgress(rejection),
    },
    error: rejectionError(rejection, request.does, request.url),
  };
}

function wireRequest(request: ServiceRequest, authorization: string, userAgent: string) {
  return {
    method: request.method,
    url: request.url,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': userAgent,
      authorization,
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    },
    body: request.body,
  };
}

function rehearse(request: ServiceRequest, { userAgent }: SendOptions): WouldSend['request'] {
  const wire = wireRequest(request, 'Bearer token', userAgent);
  return { ...wire, headers: maskHeaders(wire.headers) };
}
