import type { Sink } from '../context.ts';
import { maskHeaders } from '../redaction.ts';
import type { WireRequest } from '../transport.ts';

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
