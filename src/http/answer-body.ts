import type { Dispatcher } from 'undici';

/** The body of an answer as it arrives, to be read once. Left before its end, it takes its connection with it. */
export interface AnswerBody extends AsyncIterable<Uint8Array> {
  push(chunk: Uint8Array): void;
  /** Nothing more comes. */
  end(): void;
  /** Whoever reads gets the cause, instead of what has not been read yet. */
  fail(cause: unknown): void;
  /** Nobody reads it, or nobody any further. */
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
export function errorFrom(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error('ended from outside', { cause });
}
