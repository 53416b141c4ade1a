import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import type { Ending, WireResponse } from '../../cli/ports.ts';
import type { Connections } from './undici.ts';

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

/** The body of an answer as it arrives, to be read once. Left before its end, it takes its connection with it. */
interface AnswerBody extends AsyncIterable<Uint8Array> {
  push(chunk: Uint8Array): void;
  /** Nothing more comes. */
  end(): void;
  /** The reader gets the cause, instead of what has not been read yet. */
  fail(cause: unknown): void;
  /** It is not read, or not read any further. */
  drop(): void;
}

/** Bytes that may wait to be read before the connection has to wait. */
const MOST_WAITING = 65_536;

/**
 * A stream of Node's would do the same, and costs as much as all the rest of a small answer; what an async generator leaves
 * behind is not found by V8 in its quick collections.
 */
export function createAnswerBody(controller: Dispatcher.DispatchController): AnswerBody {
  return new ArrivingBody(controller);
}

class ArrivingBody implements AnswerBody, AsyncIterator<Uint8Array, undefined> {
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

  end(): void {
    this.hasEnded = true;
    this.wake?.();
  }

  fail(cause: unknown): void {
    if (this.hasEnded || this.failure !== undefined) return;
    this.failure = { cause };
    this.chunks = [];
    this.controller.abort(errorFrom(cause));
    this.wake?.();
  }

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

/** What was thrown, as undici wants it. */
function errorFrom(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error('ended from outside', { cause });
}

/** What a URL names, as it is sent. */
export interface Place {
  readonly origin: string;
  readonly protocol: string;
  /** Host and port, the port only where it is not the usual one. */
  readonly host: string;
  /** Path and query. */
  readonly path: string;
}

/** Of these a URL keeps every one: no dots, of which two go up a step, and no dot in disguise. */
const PLAIN = /^\/(?:[\w\-/~!$&()*+,;=:@?]|%(?!2e)[\da-f]{2})*$/i;

/** So many origins are remembered: a run has two or three. */
const MOST_ORIGINS = 100;

/** Reads URLs, quickly where one begins like one that was read before and goes on plainly. */
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
  // Creates are all sent to the same one.
  return (url) => {
    if (last?.url !== url) last = { url, place: read(url) };
    return last.place;
  };
}

/** Up to the status and its end; 101 is not one of them: it would hand the connection over to another protocol. */
const INTERIM = /^HTTP\/1\.\d 1(?!01)\d\d[ \r]/;
const VERSION = 'HTTP/1.';
const STATUS_START = 'HTTP/1.1 '.length;
const ONE = 0x31;
const STATUS_END = 'HTTP/1.1 100 '.length;
const HEAD_END = '\r\n\r\n';
const MAX_HEAD = 16 * 1024;

/**
 * Takes every interim head (100, 102, 103, ...) out of what arrives before an answer. A client has to skip those that it
 * did not ask for (RFC 9110, section 15.2); undici gives the connection up at a 100.
 *
 * It relies on undici reading with `socket.read()` and writing a request only when the answer before it has ended.
 */
export function skipInterim(socket: Socket): Socket {
  const nothing = Buffer.alloc(0);
  const read = socket.read.bind(socket);
  // Its overloads differ only in which arguments may be left out; all are passed on as they came.
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

/** Whether more has to come before it shows what this is. An interim head that never ends is not waited for. */
function isUndecided(received: Buffer): boolean {
  if (received.length < STATUS_END) return VERSION.startsWith(received.toString('latin1', 0, VERSION.length));
  return startsInterim(received) && received.length < MAX_HEAD;
}

function startsInterim(received: Buffer): boolean {
  return received[STATUS_START] === ONE && INTERIM.test(received.toString('latin1', 0, STATUS_END));
}
