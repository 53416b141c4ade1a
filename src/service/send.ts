import { CliError } from '../cli/errors.ts';
import type { Clock, Method, Transport, WireRequest } from '../cli/ports.ts';
import { maskHeaders } from '../out/redaction.ts';
import {
  type Answer,
  type Failed,
  nothingConfirms,
  readAnswer,
  requestIdOf,
  type Try,
  unconfirmed,
} from './answer.ts';
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
  /** What it does, as the end of `Could not ...`. */
  readonly does: string;
  /** A token needs one of these; empty if unknown. */
  readonly scopes?: readonly string[];
  /** Our name of a field that a refusal names. */
  readonly fieldName?: ((spelt: string) => string) | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string | undefined;
  /** Return a `Pause` before every further try: the caller looks first whether there is anything left to send. */
  readonly pauses?: boolean | undefined;
  /** Do not repeat a try that may have been carried out: the caller looks first, and sends it again. */
  readonly leavesDoubt?: boolean | undefined;
  /** When it must be answered, on the clock that is never set; otherwise 120 s from now. */
  readonly deadline?: number | undefined;
}

/** A success. Where `sending` is there, a caller for whom it is no answer can have the request sent again. */
export interface Sent extends Answer {
  readonly sending?: Sending;
}

/** The wait before a further try is over. The caller sends it, with another body if need be, or leaves it. */
export interface Pause {
  readonly past: Past;
  readonly sending: Sending;
}

/** What a further call goes on from: a pause, or a success that counts as no answer, and why. */
export type Earlier =
  | Pause
  | {
      readonly sending: Sending;
      readonly status: number;
      readonly requestId: string | undefined;
      readonly cause: CliError;
    };

/**
 * Sends one operation until it is answered, within the rules of retry.ts and the time there is.
 *
 * @param earlier goes on with a sending: its tries, its time and its doubt count.
 * @throws {CliError} exit 11 when a guard forbids it, before anything is sent.
 * @throws {OutcomeUnknown} when a write may have been carried out and no answer says so.
 * @throws {CliError} when the service refuses or cannot be reached.
 * @throws {WouldSend} instead of a write, in a dry run.
 */
export type Send = (request: ServiceRequest, earlier?: Earlier) => Promise<Sent | Pause>;

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

/** One operation that is being sent, and what its tries came to. */
interface Sending {
  readonly request: ServiceRequest;
  readonly passage: Passage;
  readonly budget: Budget;
  readonly options: SendOptions;
  past: Past;
  /** Tries that were made. */
  tries: number;
  token: Token;
  hasNewToken: boolean;
}

/** Binds the rules to one transport and one set of credentials. */
export function createSend(options: SendOptions): Send {
  const from = { ...options, signal: cancelledBy(options.signal) };
  return async (request, earlier) => {
    if (earlier !== undefined) return resume({ ...earlier.sending, request }, earlier);
    const isWrite = request.safety !== 'read';
    if (isWrite) options.guard(request);
    if (isWrite && options.dryRun) throw new WouldSend(rehearse(request, options));
    const budget = openBudget(from, options.gate.operationMs);
    const passage = options.gate.passage(request, budget);
    const past = { inDoubt: false, suspect: false, honoursKey: false };
    const start = { request, passage, budget, options, past, tries: 0, hasNewToken: false };
    try {
      await orEnded(passage.enter(), start);
      budget.begin(request.deadline);
      if (!budget.allows(0)) throw endedFromOutside(undefined, request, { expired: true }, false);
      if (isWrite) await options.beforeWrite(request.url);
      const token = await orEnded(options.credentials.current(budget.signal), start);
      return await sendUntilAnswered({ ...start, token });
    } finally {
      passage.leave();
      budget.close();
    }
  };
}

/** Goes on with a sending: after its pause, or as after any try without an answer. */
async function resume(sending: Sending, earlier: Earlier): Promise<Sent | Pause> {
  const { passage, budget, request } = sending;
  budget.reopen();
  try {
    if ('past' in earlier) return await sendUntilAnswered(sending);
    return await sendUntilAnswered(sending, unconfirmed(request, earlier, earlier.cause));
  } finally {
    passage.leave();
    budget.close();
  }
}

/** @param failed the try before, where it is still to be judged. */
async function sendUntilAnswered(sending: Sending, failed?: Failed): Promise<Sent | Pause> {
  for (let last: Try | undefined = failed; ; last = undefined) {
    const outcome = last ?? (await tryOnce(sending));
    if ('answer' in outcome) return { ...outcome.answer, sending };
    const missed = await waitForRepeat(sending, outcome);
    if (missed !== undefined) return missed;
    if (sending.request.pauses === true) return { past: sending.past, sending };
  }
}

/**
 * Returns when the next try may be made.
 *
 * @returns the answer to a delete that found nothing after a doubtful try; otherwise nothing.
 * @throws {CliError} the verdict, when there is no next try.
 */
async function waitForRepeat(sending: Sending, { mishap, error }: Failed): Promise<Answer | undefined> {
  const { request, passage, budget, options, tries } = sending;
  const { clock, credentials, gate } = options;
  const mayRenew = !sending.hasNewToken && error.status === 401;
  const newer = mayRenew
    ? await orEnded(credentials.renew(sending.token, budget.signal), sending)
    : undefined;
  if (newer !== undefined) {
    sending.token = newer;
    sending.hasNewToken = true;
    return undefined;
  }
  const { past } = sending;
  const wasCarriedOut = past.inDoubt || (past.suspect && mayBeOwnWork(mishap));
  if (wasCarriedOut && request.safety === 'delete' && error.code === 'not_found') return gone(error);
  const inDoubt = wasCarriedOut || mayHaveHappened(mishap);
  const honoursKey = past.honoursKey || (mishap.kind === 'answer' && mishap.inProgress);
  sending.past = { inDoubt, suspect: past.suspect || isSuspect(mishap), honoursKey };
  const isLeft = request.leavesDoubt === true && inDoubt && !honoursKey;
  const asked = mishap.kind === 'answer' ? mishap.retryAfterMs : undefined;
  if (tries >= options.maxAttempts || isLeft || !mayRetry(request.safety, mishap) || !gate.mayRetry()) {
    throw verdict(asked === undefined ? error : tryLater(error, asked, clock, ''), request, inDoubt);
  }
  const delayMs = retryDelayMs(tries, asked, options.random());
  if (!budget.allows(delayMs)) {
    const late = tryLater(error, delayMs, clock, ', later than there is time for');
    throw verdict(late, request, inDoubt);
  }
  await passage.pause(delayMs).catch((cause) => {
    throw budget.expired
      ? verdict(error, request, inDoubt)
      : endedFromOutside(cause, request, budget, inDoubt);
  });
  return undefined;
}

/** What to go on from where this was not what was asked for. */
export function earlierOf(sent: Sent | Pause, cause = nothingConfirms()): Earlier {
  if ('past' in sent) return sent;
  const { sending, status, requestId } = sent;
  if (sending === undefined) throw cause;
  return { sending, status, requestId, cause };
}

/** The error to throw when a look in a pause failed: a doubt about the earlier tries stays one. */
export function failedLook(cause: unknown, { sending }: Pause): unknown {
  return endedBy(cause, sending);
}

/** Waits for a turn or a token; a failure keeps the doubt about an earlier try. */
async function orEnded<Result>(work: Promise<Result>, sending: Unfinished): Promise<Result> {
  try {
    return await work;
  } catch (cause) {
    throw endedBy(cause, sending);
  }
}

type Unfinished = Pick<Sending, 'request' | 'budget' | 'past'>;

function endedBy(cause: unknown, { request, budget, past }: Unfinished): unknown {
  return cause instanceof CliError
    ? verdict(cause, request, past.inDoubt)
    : endedFromOutside(cause, request, budget, past.inDoubt);
}

/** Makes one try; the first one has entered the gate already. */
async function tryOnce(sending: Sending): Promise<Try> {
  const { request, passage, budget, options, past } = sending;
  if (sending.tries > 0) await orEnded(passage.enter(), sending);
  sending.tries += 1;
  let sent = false;
  const onSent = () => {
    sent = true;
  };
  const wire = tied(wireRequest(request, sending.token.header, options.userAgent), budget.signal, onSent);
  try {
    const exchanged = request.safety === 'read' ? steadyExchange : tracedExchange;
    const { status, headers, bytes } = await exchanged(wire, sending.tries, options);
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
