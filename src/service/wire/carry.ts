import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import type { Ending, WireResponse } from '../../cli/ports.ts';
import type { Connections } from './undici.ts';

/** The state of an exchange that broke. */
export interface Progress {
  /** Whether a byte of the request may have been sent. */
  readonly sent: boolean;
  /** Whether the head of the answer was received. */
  readonly answered: boolean;
  /** Whether the connection had carried an answer before. */
  readonly reused: boolean;
}

/** A `WireResponse` whose body can be dropped unread. */
export interface Carried extends WireResponse {
  readonly body: AnswerBody;
}

/** One request for undici. */
export interface Cargo {
  readonly connections: Connections;
  readonly options: Dispatcher.DispatchOptions;
  readonly signal: Ending;
  /** A read must use a new connection. */
  readonly isFresh: boolean;
  /** Called once, when the first byte may have been sent. */
  readonly onSent: (() => void) | undefined;
  /** Translates an error of undici. */
  readonly explain: (cause: Error, progress: Progress) => Error;
}

/**
 * Sends one request; resolves with the head of its answer, whose body is read afterwards.
 *
 * Like undici's `request`, but it reports whether the request was written, and an abort does not wait for a pending
 * connection.
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
      // One turn later, so that a close right after the answer is noticed before the next request is written.
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
        body = new AnswerBody(started);
        resolve({ status, headers: joined(headers), body });
        // These have no body, even if the head states a length (RFC 9112, section 6.3).
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

/** Unread bytes at which the connection is paused. */
const MOST_WAITING = 65_536;

/**
 * The body of an answer as it arrives, to be read once. Leaving it before its end closes the connection.
 *
 * A stream of Node would cost as much as all the rest of a small answer; the garbage of an async generator is not collected in
 * V8's quick collections.
 */
export class AnswerBody implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined> {
  private readonly controller: Dispatcher.DispatchController;
  private chunks: Uint8Array[] = [];
  private waiting = 0;
  private isPaused = false;
  private hasEnded = false;
  private failure: { readonly cause: unknown } | undefined;
  private taken: readonly Uint8Array[] = [];
  private read = 0;
  private wake: (() => void) | undefined;

  constructor(controller: Dispatcher.DispatchController) {
    this.controller = controller;
  }

  push(chunk: Uint8Array): void {
    if (this.failure !== undefined) return;
    this.chunks.push(chunk);
    this.waiting += chunk.byteLength;
    if (this.waiting > MOST_WAITING && !this.isPaused) {
      this.isPaused = true;
      this.controller.pause();
    }
    this.wake?.();
  }

  /** The body is complete. */
  end(): void {
    this.hasEnded = true;
    this.wake?.();
  }

  /** The reader gets the cause instead of the unread rest. */
  fail(cause: unknown): void {
    if (this.hasEnded || this.failure !== undefined) return;
    this.failure = { cause };
    this.chunks = [];
    this.controller.abort(errorFrom(cause));
    this.wake?.();
  }

  /** The rest is not needed. */
  drop(): void {
    if (!this.hasEnded) this.fail(new Error('the body was not read to its end'));
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      if (this.failure !== undefined) throw this.failure.cause;
      if (this.read === this.taken.length) this.take();
      const value = this.taken[this.read];
      if (value !== undefined) {
        this.read += 1;
        return { done: false, value };
      }
      if (this.hasEnded) return { done: true, value };
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.drop();
    return { done: true, value: undefined };
  }

  private take(): void {
    this.taken = this.chunks;
    this.read = 0;
    this.chunks = [];
    this.waiting = 0;
    if (!this.isPaused) return;
    this.isPaused = false;
    this.controller.resume();
  }
}

/** A thrown value as an error. */
function errorFrom(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error('ended from outside', { cause });
}

/** The parts of a URL, as they are sent. */
export interface Place {
  readonly origin: string;
  readonly protocol: string;
  /** Host and port; without the default port. */
  readonly host: string;
  /** Path and query. */
  readonly path: string;
}

/** Paths that `new URL` does not change: no dots, plain or encoded. */
const PLAIN = /^\/(?:[\w\-/~!$&()*+,;=:@?]|%(?!2e)[\da-f]{2})*$/i;

/** Maximum number of remembered origins: a run has two or three. */
const MOST_ORIGINS = 100;

/** Parses URLs; faster for known origins and plain paths. */
export function createPlaces(): (url: string) => Place {
  const origins = new Map<string, Omit<Place, 'path'>>();
  let last: { readonly url: string; readonly place: Place } | undefined;
  const read = (url: string): Place => {
    const end = url.indexOf('/', url.indexOf('://') + 3);
    const start = end === -1 ? url : url.slice(0, end);
    const path = end === -1 ? '' : url.slice(end);
    const known = origins.get(start);
    if (known !== undefined && PLAIN.test(path)) return { ...known, path };
    const { origin, protocol, host, pathname, search } = new URL(url);
    if (origin === start && origins.size < MOST_ORIGINS) origins.set(start, { origin, protocol, host });
    return { origin, protocol, host, path: `${pathname}${search}` };
  };
  // All creates have the same URL.
  return (url) => {
    if (last?.url !== url) last = { url, place: read(url) };
    return last.place;
  };
}

/** The start of an interim head; not 101, which switches the connection to another protocol. */
const INTERIM = /^HTTP\/1\.\d 1(?!01)\d\d[ \r]/;
const VERSION = 'HTTP/1.';
const STATUS_START = 'HTTP/1.1 '.length;
const ONE = 0x31;
const STATUS_END = 'HTTP/1.1 100 '.length;
const HEAD_END = '\r\n\r\n';
const MAX_HEAD = 16 * 1024;

/**
 * Removes interim heads (100, 102, 103, ...) before an answer. A client must skip those that it did not request (RFC 9110,
 * section 15.2); undici closes the connection at a 100.
 *
 * Relies on undici to read with `socket.read()`, and to write a request only after the end of the answer before it.
 */
export function skipInterim(socket: Socket): Socket {
  const nothing = Buffer.alloc(0);
  const read = socket.read.bind(socket);
  // Its overloads differ only in their optional arguments; all are passed on.
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let held: Buffer | undefined = nothing;
  socket.write = (...args: unknown[]) => {
    held ??= nothing;
    return write(...args);
  };
  socket.read = (size?: number) => {
    const chunk: Buffer | null = read(size);
    if (held === undefined || chunk === null) return chunk;
    held = withoutInterim(held === nothing ? chunk : Buffer.concat([held, chunk]));
    if (isUndecided(held)) return null;
    const rest = held;
    held = undefined;
    return rest;
  };
  return socket;
}

function withoutInterim(received: Buffer): Buffer {
  let rest = received;
  while (startsInterim(rest) && rest.includes(HEAD_END)) {
    rest = rest.subarray(rest.indexOf(HEAD_END) + HEAD_END.length);
  }
  return rest;
}

/** Whether more bytes are needed to decide. An interim head without an end is not waited for. */
function isUndecided(received: Buffer): boolean {
  if (received.length < STATUS_END) return VERSION.startsWith(received.toString('latin1', 0, VERSION.length));
  return startsInterim(received) && received.length < MAX_HEAD;
}

function startsInterim(received: Buffer): boolean {
  return received[STATUS_START] === ONE && INTERIM.test(received.toString('latin1', 0, STATUS_END));
}
