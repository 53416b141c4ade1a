import type { Dispatcher } from 'undici';
import type { Connect, ConnectOptions, WireRequest, WireResponse } from '../../model/ports.ts';
import { requestIdOf } from '../answer.ts';
import type { WireProxy } from '../proxies.ts';
import { WireFailure } from '../retry.ts';
import { createConnections, exchangeFailure, unknownToProxy, type Way } from './connections.ts';

type Head = Omit<WireResponse, 'bytes'>;

/** Opens the transport over undici: HTTP/1.1 with keep-alive, through the proxies in `options`. */
export const connectUndici: Connect = async (options) => {
  const { to, close } = createConnections(options);
  return {
    request: (request) => {
      const url = new URL(request.url);
      return exchange(to(url), url, request, options);
    },
    close,
  };
};

const ATTEMPT_MS = 60_000;
const MOST_BYTES = 8 * 1_048_576;

/**
 * Sends one request over a free connection, or a new one, and reads its answer whole.
 *
 * undici calls `onRequestStart` right before it writes the first byte, and writes nothing twice: before that call nothing
 * was sent, and from then on everything may have been. A read that gets no answer over a used connection is sent again over
 * a new one: the service may have closed it as idle.
 */
function exchange(way: Way, url: URL, request: WireRequest, limits: ConnectOptions): Promise<WireResponse> {
  const { headTimeoutMs, idleTimeoutMs } = limits;
  const { method, signal, maxBytes = MOST_BYTES } = request;
  const { timeoutMs = Math.max(ATTEMPT_MS, headTimeoutMs) } = request;
  const { host } = url;
  const relay = url.protocol === 'http:' ? way.proxy : undefined;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const isRead = method === 'GET' || method === 'HEAD';
    const isAlone = !isRead && way.wary > 0;
    if (isAlone) way.wary -= 1;
    const connection = (isAlone ? undefined : way.free.pop()) ?? way.open();
    const isReused = way.used.has(connection);
    const body = createBody(maxBytes);
    let head: Head | undefined;
    let controller: Dispatcher.DispatchController | undefined;
    let sentAt = 0;
    let isOver = false;

    const end = (settle: () => void) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      settle();
    };
    const release = (isOpen: boolean) => {
      if (isAlone) return way.drop(connection);
      if (isOpen) way.used.add(connection);
      else way.used.delete(connection);
      way.free.push(connection);
    };
    const succeed = (answer: Head) => end(() => resolve({ ...answer, bytes: body.bytes() }));
    const fail = (cause: unknown) =>
      end(() => {
        reject(cause instanceof WireFailure ? numbered(cause, head?.headers) : cause);
        controller?.abort(new Error('given up', { cause }));
      });
    const late = (sentence: string) =>
      fail(new WireFailure('timeout', `${host} ${sentence}`, { sent: controller !== undefined }));
    const abort = () => fail(signal.reason);
    const timer = setTimeout(
      () => late(`did not answer completely within ${timeoutMs / 1000} s.`),
      timeoutMs,
    );
    signal.addEventListener('abort', abort);

    const sending = dispatched(url, request, relay);
    connection.dispatch(isAlone ? { ...sending, reset: true } : sending, {
      onRequestStart(started) {
        if (isOver) return started.abort(new Error('given up'));
        controller = started;
        sentAt = performance.now();
        request.onSent?.();
      },
      onResponseStart(_, status, headers) {
        if (status < 200) {
          // Each interim answer restarts the timeout of undici.
          if (performance.now() - sentAt > headTimeoutMs)
            late(`did not answer within ${headTimeoutMs / 1000} s.`);
          return;
        }
        head = { status, headers: joined(headers) };
        if (relay !== undefined && isRefusedBy(relay, head)) fail(unknownToProxy(relay, status));
      },
      onResponseData(_, chunk) {
        if (body.add(chunk, head?.headers['content-length'])) return;
        const sentence = `the answer of ${host} is longer than ${maxBytes} bytes.`;
        fail(new WireFailure('too-large', sentence, { sent: true }));
      },
      onResponseEnd() {
        const answer = head;
        // One turn later, so that a close right after the answer is noticed before the next request is written.
        setImmediate(() => {
          release(true);
          if (answer !== undefined) succeed(answer);
        });
      },
      onResponseError(_, cause) {
        release(false);
        // These have no body, even if the head states a length (RFC 9112, section 6.3).
        if (head?.status === 204 || head?.status === 304) return succeed(head);
        const [sent, answered] = [controller !== undefined, head !== undefined];
        const failure = exchangeFailure(cause, { host, sent, answered, headTimeoutMs, idleTimeoutMs });
        const isStale = isReused && failure instanceof WireFailure && failure.kind === 'reset';
        if (isStale) distrust(way);
        if (isStale && isRead) end(() => resolve(exchange(way, url, request, limits)));
        else fail(failure);
      },
    });
  });
}

/** How many writes get a connection of their own after a used one was closed: a lost write is in doubt. */
const WARY = 20;

/** Closes the free connections: the service gives them up, or something between. */
function distrust(way: Way): void {
  way.wary = WARY;
  for (const connection of way.free.splice(0)) way.drop(connection);
  way.used.clear();
}

/** @param relay gets it in absolute form (RFC 9112, section 3.2.2). */
function dispatched(url: URL, { method, headers, body }: WireRequest, relay: WireProxy | undefined) {
  const path = `${url.pathname}${url.search}`;
  const sent = { method, body: body ?? null };
  if (relay === undefined) return { ...sent, origin: url.origin, path, headers };
  const { origin, authorization } = relay;
  const login = authorization === undefined ? {} : { 'proxy-authorization': authorization };
  return { ...sent, origin, path: `${url.origin}${path}`, headers: { ...headers, host: url.host, ...login } };
}

function joined(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): WireResponse['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]),
  );
}

/** The same failure with the request id from the head of the answer. */
function numbered({ kind, message, sent, cause }: WireFailure, headers: Head['headers'] = {}): WireFailure {
  return new WireFailure(kind, message, { sent, requestId: requestIdOf(headers), cause });
}

/** Copies chunks into one buffer: kept chunks of one byte each would take a hundred times their size. */
function createBody(maxBytes: number) {
  let whole = Buffer.alloc(0);
  let length = 0;
  return {
    /**
     * @param stated the length in the head of the answer.
     * @returns false if the body is longer than allowed.
     */
    add(chunk: Uint8Array, stated: string | undefined): boolean {
      const end = length + chunk.byteLength;
      if (end > maxBytes) return false;
      if (end > whole.length) {
        const room = Math.min(maxBytes, Number(stated ?? 0) || 2 * whole.length);
        const larger = Buffer.allocUnsafe(Math.max(end, room));
        whole.copy(larger, 0, 0, length);
        whole = larger;
      }
      whole.set(chunk, length);
      length = end;
      return true;
    },
    bytes: (): Uint8Array => whole.subarray(0, length),
  };
}

/** Some proxies send a 401 for a wrong password, with a Basic challenge, which no service with tokens sends. */
function isRefusedBy({ authorization }: WireProxy, { status, headers }: Head): boolean {
  const isChallenged = authorization !== undefined && /^basic\b/i.test(headers['www-authenticate'] ?? '');
  return status === 407 || (status === 401 && isChallenged);
}
