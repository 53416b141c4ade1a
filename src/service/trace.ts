import type { Clock, Sink, Transport, WireRequest } from '../cli/ports.ts';
import { maskHeaders } from '../out/redaction.ts';
import { type Exchanged, type ExchangeLimits, exchange } from './exchange.ts';
import { WireFailure } from './failures.ts';

/** Writes lines about exchanges for `--debug`; `undefined` without it. */
export type Trace = ((lines: readonly string[]) => Promise<void>) | undefined;

/** Writes to stderr. */
export function createTrace(stderr: Sink, neutralise: (text: string) => string): Trace {
  return (lines) => stderr.write(lines.map((line) => `debug: ${neutralise(line)}\n`).join(''));
}

type TracedOptions = ExchangeLimits & {
  readonly transport: Transport;
  readonly trace: Trace;
  readonly clock: Clock;
};

/** One exchange, traced with method, URL, status, time and headers; credentials are masked. */
export async function tracedExchange(
  request: WireRequest,
  attempt: number,
  options: TracedOptions,
): Promise<Exchanged> {
  const { transport, trace, clock } = options;
  if (trace === undefined) return exchange(transport, request, options);
  await trace([`> ${request.method} ${request.url} (try ${attempt})`, ...headerLines('>', request.headers)]);
  const started = clock.monotonic();
  const elapsed = () => `${Math.round(clock.monotonic() - started)} ms`;
  try {
    const answer = await exchange(transport, request, options);
    await trace([`< ${answer.status} in ${elapsed()}`, ...headerLines('<', answer.headers)]);
    return answer;
  } catch (cause) {
    if (cause instanceof WireFailure) await trace([`< no answer in ${elapsed()}: ${cause.message}`]);
    throw cause;
  }
}

/** For reads: if the service has closed a kept connection, a new one carries the request, within the same attempt. */
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

function headerLines(mark: string, headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(maskHeaders(headers)).map(([name, value]) => `${mark}   ${name}: ${value}`);
}
