import type { Dispatcher } from 'undici';
import type { Ending, WireResponse } from '../transport.ts';
import { type AnswerBody, createAnswerBody, errorFrom } from './answer-body.ts';
import type { Connections } from './connections.ts';

/** How far an exchange had come when it broke. */
export interface Progress {
  /** Whether a byte of the request may have left. */
  readonly sent: boolean;
  /** Whether the head of the answer had come. */
  readonly answered: boolean;
  /** Whether the connection had carried an answer before. */
  readonly reused: boolean;
}

/** A `WireResponse` whose body can be dropped unread. */
export interface Carried extends WireResponse {
  readonly body: AnswerBody;
}

/** One request as undici is given it. */
export interface Cargo {
  readonly connections: Connections;
  readonly options: Dispatcher.DispatchOptions;
  readonly signal: Ending;
  /** A read goes over a connection that was not used before. */
  readonly isFresh: boolean;
  /** Called once, when the first byte may have left. */
  readonly onSent: (() => void) | undefined;
  /** What the caller gets for an error of undici's. */
  readonly explain: (cause: Error, progress: Progress) => Error;
}

/**
 * Carries one request and brings the head of its answer, with the body to follow.
 *
 * This is undici's `request` but for two things that it does not offer: it tells whether a request was written at all,
 * and an abort does not wait for a connection that is still being made.
 */
export function carry({ connections, options, signal, isFresh, onSent, explain }: Cargo): Promise<Carried> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let body: AnswerBody | undefined;
    let isWhole = false;
    let isFree = false;
    const complete = () => {
      if (isWhole) return;
      isWhole = true;
      signal.removeEventListener('abort', abort);
      // A turn later: that a service hangs up right after its answer is to be seen before the next request is written.
      setImmediate(() => {
        if (isFree) connections.give(Object.assign(connection, { isUsed: true }));
        body?.end();
      });
    };
    const end = (cause: unknown) => {
      signal.removeEventListener('abort', abort);
      if (body === undefined) reject(cause);
      else if (!isWhole) body.fail(cause);
    };
    const abort = () => {
      end(signal.reason);
      controller?.abort(errorFrom(signal.reason));
    };
    signal.throwIfAborted();
    signal.addEventListener('abort', abort);

    const isRead = options.method === 'GET' || options.method === 'HEAD';
    const connection = isRead ? connections.take(isFresh) : connections.takeForWrite();
    const reused = connection.isUsed;
    connection.dispatcher.dispatch(options, {
      onRequestStart(started) {
        if (signal.aborted) return started.abort(errorFrom(signal.reason));
        controller = started;
        onSent?.();
      },
      onResponseStart(started, status, headers) {
        if (status < 200) return;
        body = createAnswerBody(started);
        resolve({ status, headers: joined(headers), body });
        // Whatever such a head says of a length, nothing follows it (RFC 9112, section 6.3).
        if (status === 204 || status === 304) complete();
      },
      onResponseData(_started, chunk) {
        body?.push(chunk);
      },
      onResponseEnd() {
        isFree = true;
        complete();
      },
      onResponseError(_started, cause) {
        if (reused && body === undefined) connections.lost();
        connections.give(Object.assign(connection, { isUsed: false }));
        end(explain(cause, { sent: controller !== undefined, answered: body !== undefined, reused }));
      },
    });
  });
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

function joined(headers: Headers): Readonly<Record<string, string>> {
  if (areTexts(headers)) return headers;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : (value ?? []).join(', '),
    ]),
  );
}

function areTexts(headers: Headers): headers is Readonly<Record<string, string>> {
  return Object.values(headers).every((value) => typeof value === 'string');
}
