import { CliError } from '../model/errors.ts';
import type { WireRequest } from '../model/ports.ts';
import { maskHeaders } from '../model/redaction.ts';
import {
  type Answer,
  type Failed,
  nothingConfirms,
  readAnswer,
  requestIdOf,
  type ServiceRequest,
  type Try,
  unconfirmed,
} from './answer.ts';
import { type Budget, openBudget } from './budget.ts';
import {
  type Credentials,
  headersOf,
  type Token,
  type TracedOptions,
  tracedExchange,
  type WriteLog,
} from './exchange.ts';
import type { Gate, Passage } from './gate.ts';
import type { Guard } from './guard.ts';
import {
  doubtAbout,
  endedFromOutside,
  failureError,
  readRejection,
  rejected,
  tryLater,
  verdict,
} from './refusal.ts';
import {
  mayBeDone,
  mayRetry,
  type Past,
  pastAfter,
  retryAfterMs,
  retryDelayMs,
  WireFailure,
} from './retry.ts';
import type { Writes } from './writes.ts';

/** A success. With `sending`, a caller that does not accept the answer can have the request sent again. */
export interface Sent extends Answer {
  readonly sending?: Sending;
}

/** The wait before a further attempt is over. The caller sends it, with another body if need be, or leaves it. */
export interface Pause {
  readonly past: Past;
  readonly sending: Sending;
}

/** What a further call continues: a pause, or a success that was not accepted, and why. */
export type Earlier =
  | Pause
  | (Pick<Answer, 'status' | 'requestId'> & { readonly sending: Sending; readonly cause: CliError });

/**
 * Sends one operation until it is answered, within the rules of retry.ts and the time limit.
 *
 * @param earlier continues a sending: its attempts, its time and its doubt count.
 * @throws {CliError} exit 11 when a guard forbids it, before anything is sent.
 * @throws {OutcomeUnknown} when a write may have been carried out and no answer says so.
 * @throws {CliError} when the service refuses or cannot be reached.
 * @throws {WouldSend} instead of a write, in a dry run.
 */
export type Send = (request: ServiceRequest, earlier?: Earlier) => Promise<Sent | Pause>;

export interface SendOptions extends TracedOptions {
  readonly credentials: Credentials;
  /** Every attempt passes it. */
  readonly gate: Gate;
  readonly random: () => number;
  /** Aborted when the run is interrupted. */
  readonly signal: AbortSignal;
  /** When the whole command must be over, by `Clock.monotonic`; `undefined`: each operation has 120 s. */
  readonly deadline: number | undefined;
  readonly maxAttempts: number;
  /** A longer body of an answer is refused. */
  readonly maxBytes: number;
  readonly userAgent: string;
  readonly dryRun: boolean;
  /** Masks secrets in the texts of a refusal, before they are cut. */
  readonly clean: (text: string) => string;
  /** Throws if the settings forbid a write. */
  readonly guard: Guard;
  /** Called before each write is sent, with its URL. */
  readonly beforeWrite: (url: string) => Promise<void>;
  /** Announces every write. */
  readonly kept: Writes;
  /** Gets every attempt of a write. */
  readonly writes?: WriteLog | undefined;
}

/** A dry run reached a write: this is what would have been sent. */
export class WouldSend extends Error {
  override readonly name = 'WouldSend';
  readonly request: Pick<WireRequest, 'method' | 'url' | 'headers' | 'body'>;

  /** What else is known of it. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(request: WouldSend['request'], facts: WouldSend['facts'] = {}) {
    super(`${request.method} ${request.url} was not sent`);
    this.request = request;
    this.facts = facts;
  }
}

/** One operation that is being sent. */
interface Sending {
  readonly request: ServiceRequest;
  readonly passage: Passage;
  readonly budget: Budget;
  readonly options: SendOptions;
  past: Past;
  /** Attempts made. */
  attempts: number;
  token: Token | undefined;
  hasNewToken: boolean;
}

/** Binds the rules to one transport and one set of credentials. */
export function createSend(options: SendOptions): Send {
  return async (request, earlier) => {
    const isRead = request.safety === 'read';
    if (earlier === undefined && !isRead) {
      options.guard(request);
      if (options.dryRun) throw new WouldSend(rehearse(request, options));
    }
    const work = () => carryOn(request, earlier, options);
    return isRead ? work() : options.kept.one(work);
  };
}

async function carryOn(request: ServiceRequest, earlier: Earlier | undefined, options: SendOptions) {
  const sending = earlier === undefined ? open(request, options) : { ...earlier.sending, request };
  if (earlier !== undefined) sending.budget.reopen();
  const isRefused = earlier !== undefined && 'cause' in earlier;
  try {
    return await sendUntilAnswered(
      sending,
      isRefused ? unconfirmed(request, earlier, earlier.cause) : undefined,
    );
  } finally {
    sending.budget.close();
  }
}

function open(request: ServiceRequest, options: SendOptions): Sending {
  const { clock, gate, deadline, signal } = options;
  const budget = openBudget(clock, signal, deadline, gate.operationMs);
  const past = { inDoubt: false, suspect: false, honoursKey: false };
  const passage = gate.passage(request, budget);
  return { request, budget, passage, options, past, attempts: 0, token: undefined, hasNewToken: false };
}

/** @param failed the attempt before, if it is still to be judged. */
async function sendUntilAnswered(sending: Sending, failed?: Failed): Promise<Sent | Pause> {
  const { request } = sending;
  for (let last: Try | undefined = failed; ; last = undefined) {
    const outcome = last ?? (await attempt(sending));
    if ('answer' in outcome) {
      sending.options.kept.answered(outcome.answer);
      return { ...outcome.answer, sending };
    }
    const { mishap, error } = outcome;
    if (request.safety === 'delete' && error.code === 'not_found' && mayBeDone(sending.past, mishap))
      return gone(error);
    await waitForRepeat(sending, outcome);
    if (request.pauses === true) return { past: sending.past, sending };
  }
}

/** Makes one attempt. */
async function attempt(sending: Sending): Promise<Try> {
  const { request, passage, budget, options } = sending;
  const isWrite = request.safety !== 'read';
  // Before its turn: the service may ask for a pause meanwhile.
  if (sending.attempts === 0 && isWrite)
    await orEnded(options.kept.announce(request, budget.signal), sending);
  try {
    await orEnded(passage.enter(), sending);
    if (sending.attempts === 0) {
      budget.begin(request.deadline);
      if (!budget.allows(0)) throw endedFromOutside(undefined, request, true, false);
      if (isWrite) await options.beforeWrite(request.url);
    }
    sending.token ??= await orEnded(options.credentials.current(budget.signal), sending);
    sending.attempts += 1;
    return await exchangeOnce(sending, sending.token);
  } finally {
    passage.leave();
  }
}

/** One exchange; a write is kept with how it ended, if the command keeps writes. */
async function exchangeOnce(sending: Sending, { header }: Token): Promise<Try> {
  const { request, passage, budget, options, past, attempts } = sending;
  const { clock, maxBytes, userAgent, writes } = options;
  const { method, url, body, ids, does } = request;
  let sent = false;
  const onSent = () => {
    sent = true;
  };
  const headers = headersOf(request, header, userAgent);
  const wire: WireRequest = { method, url, headers, body, signal: budget.signal, onSent, maxBytes };
  const sentAt = clock.now();
  const keep = (end: Parameters<WriteLog['add']>[2]) => {
    if (request.safety !== 'read') writes?.add({ ...wire, ids, attempt: attempts }, sentAt, end);
  };
  try {
    const answer = await tracedExchange(wire, attempts, options);
    const { status } = answer;
    const requestId = requestIdOf(answer.headers);
    keep({ status, request_id: requestId });
    passage.saw({ status, requestId, retryAfterMs: retryAfterMs(answer.headers, clock.now()) });
    if (status >= 200 && status < 300) return readAnswer(request, answer);
    return rejected(readRejection(answer, options.clean, method), request, clock.now());
  } catch (cause) {
    const isFailure = cause instanceof WireFailure;
    keep({
      failure: isFailure ? cause.message : 'innctl was interrupted before an answer came',
      request_id: isFailure ? cause.requestId : undefined,
    });
    if (isFailure) return { mishap: { kind: 'failure', failure: cause }, error: failureError(cause, does) };
    throw endedFromOutside(cause, request, budget.expired, past.inDoubt || sent);
  }
}

/**
 * Returns when the next attempt may be made.
 *
 * @throws {CliError} the verdict, if there is no next attempt.
 */
async function waitForRepeat(sending: Sending, { mishap, error }: Failed): Promise<void> {
  const { request, passage, budget, options, attempts } = sending;
  const stale = error.status === 401 && !sending.hasNewToken ? sending.token : undefined;
  const newer = stale && (await orEnded(options.credentials.renew(stale, budget.signal), sending));
  if (newer !== undefined) {
    sending.token = newer;
    sending.hasNewToken = true;
    return;
  }
  sending.past = pastAfter(sending.past, mishap);
  const { suspect, honoursKey } = sending.past;
  // The journal takes a 503 for no answer.
  const inDoubt = sending.past.inDoubt || (request.leavesDoubt === true && suspect);
  const isLeft = request.leavesDoubt === true && inDoubt && !honoursKey;
  const mayGoOn = attempts < options.maxAttempts && !isLeft && mayRetry(request.safety, mishap);
  const wantedMs = mishap.kind === 'answer' ? mishap.retryAfterMs : undefined;
  if (!mayGoOn) {
    const last = wantedMs === undefined ? error : tryLater(error, wantedMs, options.clock, false);
    throw verdict(last, request, inDoubt);
  }
  const delayMs = retryDelayMs(attempts, wantedMs, options.random());
  if (!budget.allows(delayMs)) throw verdict(tryLater(error, delayMs, options.clock, true), request, inDoubt);
  await passage.pause(delayMs).catch((cause) => {
    if (budget.expired) throw verdict(error, request, inDoubt);
    throw endedFromOutside(cause, request, false, inDoubt);
  });
}

/** What to continue from if this was not what the caller asked for. @throws `cause` if it cannot be sent again. */
export function earlierOf(sent: Sent | Pause, cause = nothingConfirms()): Earlier {
  if ('past' in sent) return sent;
  const { sending, status, requestId } = sent;
  if (sending === undefined) throw cause;
  return { sending, status, requestId, cause };
}

/** Waits for a turn or a token; a failure keeps the doubt about an earlier attempt. */
async function orEnded<Result>(work: Promise<Result>, sending: Sending): Promise<Result> {
  try {
    return await work;
  } catch (cause) {
    throw endedBy(cause, sending);
  }
}

/** The error that ends a sending when a wait or a look failed: a doubt about the earlier attempts stays one. */
export function endedBy(cause: unknown, { request, budget, past }: Sending): unknown {
  return cause instanceof CliError
    ? verdict(cause, request, past.inDoubt)
    : endedFromOutside(cause, request, budget.expired, past.inDoubt);
}

/** A delete that found nothing after a doubtful attempt: that one was carried out, or there was nothing from the start. */
function gone(error: CliError): Answer {
  const { requestId } = error;
  return { status: 404, headers: {}, body: undefined, requestId, doubt: doubtAbout(error) };
}

function rehearse(request: ServiceRequest, { userAgent }: SendOptions): WouldSend['request'] {
  const { method, url, body } = request;
  return { method, url, headers: maskHeaders(headersOf(request, 'Bearer token', userAgent)), body };
}
