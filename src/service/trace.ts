import type { Clock, Sink, Transport, WireRequest } from '../cli/ports.ts';
import { maskHeaders } from '../out/redaction.ts';
import { type Exchanged, type ExchangeLimits, exchange } from './exchange.ts';
import { WireFailure } from './failures.ts';

/** What `--debug` shows of each exchange; `undefined` where there is nothing to wait for. */
export interface Trace {
  request(request: WireRequest, attempt: number): Promise<void> | undefined;
  answer(
    status: number,
    headers: Readonly<Record<string, string>>,
    elapsedMs: number,
  ): Promise<void> | undefined;
  failure(sentence: string, elapsedMs: number): Promise<void> | undefined;
}

/** Writes method, URL, status, time and headers as lines of stderr; credentials are masked. */
export function createTrace(stderr: Sink, neutralise: (text: string) => string): Trace {
  const write = (lines: readonly string[]) =>
    stderr.write(lines.map((line) => `debug: ${neutralise(line)}\n`).join(''));
  return {
    request: (request, attempt) =>
      write([`> ${request.method} ${request.url} (try ${attempt})`, ...headerLines('>', request.headers)]),
    answer: (status, headers, elapsedMs) =>
      write([`< ${status} in ${Math.round(elapsedMs)} ms`, ...headerLines('<', headers)]),
    failure: (sentence, elapsedMs) => write([`< no answer in ${Math.round(elapsedMs)} ms: ${sentence}`]),
  };
}

/** Used without `--debug`. */
export const silentTrace: Trace = {
  request: () => undefined,
  answer: () => undefined,
  failure: () => undefined,
};

function headerLines(mark: string, headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(maskHeaders(headers)).map(([name, value]) => `${mark}   ${name}: ${value}`);
}

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
