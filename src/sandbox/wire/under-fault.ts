import { setTimeout } from 'node:timers/promises';
import type { Fault } from '../faults.ts';
import type { Answer } from '../operations/exchange.ts';
import { refusal } from '../operations/refusal.ts';
import { type Delivery, type Written, written } from './deliver.ts';
import { spoilt } from './spoilt.ts';

const DEFAULT_DELAY_MS = 5_000;
const DEFAULT_DRIP_MS = 100;
const DEFAULT_RETRY_AFTER_SECONDS = 1;

/** A request that a fault may hit. */
export interface Exposed {
  /** Carries it out, with this query where it has one. */
  readonly carryOut: (query: URLSearchParams) => Promise<Answer>;
  readonly query: URLSearchParams;
  /** Writes a failure as the service does. */
  readonly failure: (answer: Answer) => Answer;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
}

/** Carries a request out as far as the fault lets it, and says how the answer is to be delivered. */
export async function underFault(fault: Fault | undefined, request: Exposed): Promise<Delivery> {
  const { carryOut, query, signal } = request;
  if (fault === undefined) return { kind: 'whole', answer: written(await carryOut(query)) };
  switch (fault.kind) {
    case 'drop-before':
      return { kind: 'none' };
    case 'drop-after':
      await carryOut(query);
      return { kind: 'none' };
    case 'hang':
      return { kind: 'silence' };
    case 'cut':
      return { kind: 'cut', answer: written(await carryOut(query)) };
    case 'drip':
      return {
        kind: 'drip',
        answer: written(await carryOut(query)),
        everyMs: fault.delayMs ?? DEFAULT_DRIP_MS,
      };
    case 'slow-head': {
      const answer = written(await carryOut(query));
      await setTimeout(fault.delayMs ?? DEFAULT_DELAY_MS, undefined, { signal });
      return { kind: 'whole', answer };
    }
    default:
      return answered(fault, request);
  }
}

/** Another answer than the operation's own. */
async function answered(fault: Fault, { carryOut, query, now, failure }: Exposed): Promise<Delivery> {
  const own = fault.kind === 'answer' ? await carryOut(sentFor(fault, query)) : invented(fault, failure);
  const status = fault.status ?? own.status;
  const answer =
    fault.body === undefined ? written({ ...own, status }) : spoilt(fault.body, own, status, query);
  return {
    kind: fault.body === 'endless' ? 'endless' : 'whole',
    answer: { ...answer, headers: withHeaders(fault, answer, now()) },
  };
}

/** The pages that faults repeat or invent are made from the first one. */
function sentFor({ body }: Fault, query: URLSearchParams): URLSearchParams {
  if (body !== 'first-page' && body !== 'pages') return query;
  const first = new URLSearchParams(query);
  first.delete('pageNumber');
  first.set('page_number', '1');
  return first;
}

/** What nobody carried anything out for. */
function invented({ kind }: Fault, failure: Exposed['failure']): Answer {
  if (kind === '200') return { status: 200 };
  if (kind === 'redirect') return { status: 302 };
  if (kind === '401') return failure(refused(401, 'unauthorized'));
  if (kind === '429') return failure(refused(429, 'rate_limited'));
  // The status is what was asked for, whatever the service would make of it.
  const { headers, body } = failure(
    refused(Number(kind), kind === '503' ? 'unavailable' : 'injected_failure'),
  );
  return { status: Number(kind), ...(headers === undefined ? {} : { headers }), body };
}

function refused(status: number, code: string): Answer {
  return refusal(status, code, 'The sandbox was asked to fail here; nothing was carried out.').answer;
}

function withHeaders(fault: Fault, { headers }: Written, now: number): Record<string, string> {
  const { kind, type, to, skewSeconds = 0 } = fault;
  const seconds = fault.retryAfterSeconds ?? (kind === '429' ? DEFAULT_RETRY_AFTER_SECONDS : undefined);
  const date = (offset: number) => new Date(now + (skewSeconds + offset) * 1_000).toUTCString();
  const isDated = fault.skewSeconds !== undefined;
  const { 'content-type': own, ...others } = headers;
  const shown = type ?? own;
  return {
    ...others,
    ...(shown === undefined || shown === 'none' ? {} : { 'content-type': shown }),
    ...(to === undefined ? {} : { location: to }),
    ...(isDated ? { date: date(0) } : {}),
    ...(seconds === undefined ? {} : { 'retry-after': isDated ? date(seconds) : String(seconds) }),
  };
}
