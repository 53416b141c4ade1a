import type { Clock } from '../context.ts';
import type { Transport, WireRequest } from '../transport.ts';
import { type Exchanged, type ExchangeLimits, exchange } from './exchange.ts';
import { WireFailure } from './failures.ts';
import { silentTrace, type Trace } from './trace.ts';

type TracedOptions = ExchangeLimits & {
  readonly transport: Transport;
  readonly trace: Trace;
  readonly clock: Clock;
};

/** One exchange, shown to the trace: the request, then its answer or why none came. */
export function tracedExchange(
  request: WireRequest,
  attempt: number,
  options: TracedOptions,
): Promise<Exchanged> {
  return options.trace === silentTrace
    ? exchange(options.transport, request, options)
    : shownExchange(request, attempt, options);
}

/** The same. Where the service has given up a connection that was kept open, a new one carries it: that is no further try. */
export async function steadyExchange(
  request: WireRequest,
  attempt: number,
  options: TracedOptions,
): Promise<Exchanged> {
  try {
    return await tracedExchange(request, attempt, options);
  } catch (cause) {
    if (!(cause instanceof WireFailure && cause.isStale)) throw cause;
    return tracedExchange({ ...request, isFresh: true }, attempt, options);
  }
}

async function shownExchange(
  request: WireRequest,
  attempt: number,
  options: TracedOptions,
): Promise<Exchanged> {
  const { transport, trace, clock } = options;
  const told = trace.request(request, attempt);
  if (told !== undefined) await told;
  const started = clock.monotonic();
  try {
    const answer = await exchange(transport, request, options);
    const shown = trace.answer(answer.status, answer.headers, clock.monotonic() - started);
    if (shown !== undefined) await shown;
    return answer;
  } catch (cause) {
    if (cause instanceof WireFailure) await trace.failure(cause.message, clock.monotonic() - started);
    throw cause;
  }
}
