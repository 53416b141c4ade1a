import { CliError } from '../cli/errors.ts';
import type { Clock, Method, Transport, WireRequest } from '../cli/ports.ts';
import { maskHeaders } from '../out/redaction.ts';
import { type Answer, nothingToSend, readAnswer, requestIdOf, type Try } from './answer.ts';
import { type Budget, cancelledBy, openBudget } from './budget.ts';
import { type Credentials, type Token, tied, wireRequest } from './exchange.ts';
import { WireFailure } from './failures.ts';
import type { Gate, Passage } from './gate.ts';
import type { Guard, OperationEffect } from './guard.ts';
import {
  doubtAbout,
  endedFromOutside,
  failureError,
  readRejection,
  rejected,
  type ScopeHint,
  tryLater,
  verdict,
} from './refusal.ts';
import {
  isSuspect,
  mayBeOwnWork,
  mayHaveHappened,
  mayRetry,
  type Past,
  retryAfterMs,
  retryDelayMs,
  type Safety,
} from './retry.ts';
import { steadyExchange, type Trace, tracedExchange } from './trace.ts';

/** One operation as it is sent: the wire's request and how often it may go out. */
export interface ServiceRequest {
  readonly method: Method;
  readonly url: string;
  /** What the path names, decoded: guards read it. */
  readonly ids: readonly string[];
  readonly safety: Safety;
  readonly effect: OperationEffect;
  /** Take an answer that is a text and no JSON as it is; a page of HTML is never an answer. */
  readonly plainText?: boolean;
  /** Whether a success is the answer to this; any other counts as no answer. It may throw a `CliError` that says what came. */
  readonly confirms?: ((answer: Answer) => boolean) | undefined;
  /** What it does, as the end of `Could not ...`. */
  readonly does: string;
  /** A token needs one of these; empty if unknown. */
  readonly scopes?: readonly string[];
  /** Our name of a field that a refusal names. */
  readonly fieldName?: ((spelt: string) => string) | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string | undefined;
  /**
   * Makes the body of every try but the first, where it depends on what may change meanwhile; `undefined` when nothing
   * is left to send, which counts as done. It gets what is known of the earlier tries.
   */
  readonly renewBody?: ((past: Past) => Promise<string | undefined>) | undefined;
  /** Do not repeat a try that may have been carried out: the caller looks first, and sends it again. */
  readonly leavesDoubt?: boolean | undefined;
  /** When it must be answered, on the clock that is never set; otherwise 120 s from now. */
  readonly deadline?: number | undefined;
}

/**
 * Sends one operation until it is answered, within the rules of retry.ts and the time there is.
 *
 * @throws {CliError} exit 11 when a guard forbids it, before anything is sent.
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
  /** Every try passes it. */
  readonly gate: Gate;
  readonly random: () => number;
  /** Aborted when the run is interrupted. */
  readonly signal: AbortSignal;
  /** When the whole command must be over, on the clock that is never set; `undefined`: each operation has 120 s. */
  readonly deadline: number | undefined;
  readonly maxAttempts: number;
  readonly maxBytes: number;
  readonly attemptTimeoutMs: number;
  readonly userAgent: string;
  readonly dryRun: boolean;
  /** Masks secrets in what a refusal says, before it is cut. */
  readonly clean: (text: string) => string;
  readonly scopeHint: ScopeHint;
  /** Throws where the settings forbid a write. */
  readonly guard: Guard;
  /** Called before each write goes out, with its URL. */
  readonly beforeWrite: (url: string) => Promise<void>;
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

/** One operation that is being sent. */
interface Sending {
  readonly request: ServiceRequest;
  readonly passage: Passage;
  readonly budget: Budget;
  readonly options: SendOptions;
}

/** Binds the rules to one transport and one set of credentials. */
export function createSend(options: SendOptions): Send {
  const from = { ...options, signal: cancelledBy(options.signal) };
  return async (request) => {
    const isWrite = request.safety !== 'read';
    if (isWrite) options.guard(request);
    if (isWrite && options.dryRun) throw new WouldSend(rehearse(request, options));
    const budget = openBudget(from, options.gate.operationMs);
    const passage = options.gate.passage(request, budget);
    const sending = { request, passage, budget, options };
    try {
      await orEnded(passage.enter(), sending, false);
      budget.begin(request.deadline);
      if (!budget.allows(0)) throw endedFromOutside(undefined, request, { expired: true }, false);
      if (isWrite) await options.beforeWrite(request.url);
      return await sendUntilAnswered(sending);
    } finally {
      passage.leave();
      budget.close();
    }
  };
}

async function sendUntilAnswered(sending: Sending): Promise<Answer> {
  const { request, passage, budget, options } = sending;
  const { credentials, clock, gate } = options;
  let token = await orEnded(credentials.current(budget.signal), sending, false);
  let hasNewToken = false;
  let inDoubt = false;
  let suspect = false;
  let honoursKey = false;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await tryOnce(sending, token, attempt, { inDoubt, suspect, honoursKey });
    if ('answer' in outcome) return outcome.answer;
    const { mishap, error } = outcome;

    const mayRenew = !hasNewToken && error.status === 401;
    const newer = mayRenew
      ? await orEnded(credentials.renew(token, budget.signal), sending, inDoubt)
      : undefined;
    if (newer !== undefined) {
      token = newer;
      hasNewToken = true;
      continue;
    }
    inDoubt ||= suspect && mayBeOwnWork(mishap);
    if (inDoubt && request.safety === 'delete' && error.code === 'not_found') return gone(error);
    inDoubt ||= mayHaveHappened(mishap);
    suspect ||= isSuspect(mishap);
    honoursKey ||= mishap.kind === 'answer' && mishap.inProgress;
    const isLeft = request.leavesDoubt === true && inDoubt && !honoursKey;
    const asked = mishap.kind === 'answer' ? mishap.retryAfterMs : undefined;
    if (attempt >= options.maxAttempts || isLeft || !mayRetry(request.safety, mishap) || !gate.mayRetry()) {
      throw verdict(asked === undefined ? error : tryLater(error, asked, clock, ''), request, inDoubt);
    }
    const delayMs = retryDelayMs(attempt, asked, options.random());
    if (!budget.allows(delayMs)) {
      const late = tryLater(error, delayMs, clock, ', later than there is time for');
      throw verdict(late, request, inDoubt);
    }
    await passage.pause(delayMs).catch((cause) => {
      throw budget.expired
        ? verdict(error, request, inDoubt)
        : endedFromOutside(cause, request, budget, inDoubt);
    });
  }
}

/**
 * The request with the body for a further try; `undefined` when nothing is left to send. Making the body may
 * read, which passes the gate as well, so it is made outside.
 */
async function renewed(sending: Sending, past: Past): Promise<ServiceRequest | undefined> {
  const { request } = sending;
  if (request.renewBody === undefined) return request;
  const body = await orEnded(request.renewBody(past), sending, past.inDoubt);
  return body === undefined ? undefined : { ...request, body };
}

/** Waits for a turn, a token or a body; a failure keeps the doubt about an earlier try. */
async function orEnded<Result>(
  work: Promise<Result>,
  { request, budget }: Sending,
  inDoubt: boolean,
): Promise<Result> {
  try {
    return await work;
  } catch (cause) {
    throw cause instanceof CliError
      ? verdict(cause, request, inDoubt)
      : endedFromOutside(cause, request, budget, inDoubt);
  }
}

/** Makes one try; the first one has entered the gate already. */
async function tryOnce(sending: Sending, token: Token, attempt: number, past: Past): Promise<Try> {
  const { request, passage, budget, options } = sending;
  const current = attempt === 1 ? request : await renewed(sending, past);
  if (current === undefined) return { answer: nothingToSend };
  if (attempt > 1) await orEnded(passage.enter(), sending, past.inDoubt);
  let sent = false;
  const onSent = () => {
    sent = true;
  };
  const wire = tied(wireRequest(current, token.header, options.userAgent), budget.signal, onSent);
  try {
    const exchanged = request.safety === 'read' ? steadyExchange : tracedExchange;
    const { status, headers, bytes } = await exchanged(wire, attempt, options);
    const now = options.clock.now();
    passage.saw({ status, requestId: requestIdOf(headers), retryAfterMs: retryAfterMs(headers, now) });
    if (status >= 200 && status < 300) return readAnswer(request, status, headers, bytes);
    const rejection = readRejection(status, headers, bytes, options.clean, request.method);
    return await rejected(rejection, request, now, options.scopeHint);
  } catch (cause) {
    if (!(cause instanceof WireFailure)) throw endedFromOutside(cause, request, budget, past.inDoubt || sent);
    return { mishap: { kind: 'failure', failure: cause }, error: failureError(cause, request) };
  } finally {
    passage.leave();
  }
}

/** A delete that found nothing on a later try: an earlier one was carried out, or there was nothing from the start. */
function gone(error: CliError): Answer {
  const { requestId } = error;
  return { status: 404, headers: {}, body: undefined, requestId, doubt: doubtAbout(error) };
}

function rehearse(request: ServiceRequest, { userAgent }: SendOptions): WouldSend['request'] {
  const wire = wireRequest(request, 'Bearer token', userAgent);
  return { ...wire, headers: maskHeaders(wire.headers) };
}

/** Announces where writes go: each host once, before the first write to it. */
export interface Announcer {
  /** The host in words, for a sentence of the caller's own; it is not announced again. */
  told(host: string): string;
  /** Announces the host of a URL, once. */
  announce(url: string): Promise<void>;
}

/**
 * Creates an announcer.
 *
 * @param profile the name of the profile in use, if any.
 * @param tell prints a sentence; `undefined`: announces nothing.
 */
export function createAnnouncer(
  profile: string | undefined,
  tell: ((sentence: string) => Promise<void>) | undefined,
): Announcer {
  const hosts = new Set<string>();
  const told = (host: string) => {
    hosts.add(host);
    return profile === undefined ? host : `${host} (profile ${profile})`;
  };
  return {
    told,
    async announce(url) {
      if (tell === undefined) return;
      const { host } = new URL(url);
      if (hosts.has(host)) return;
      await tell(`Sending to ${told(host)}.`);
    },
  };
}
