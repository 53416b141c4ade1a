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
  let chunks: Uint8Array[] = [];
  let waiting = 0;
  let isPaused = false;
  let hasEnded = false;
  let failure: { readonly cause: unknown } | undefined;
  let wake: (() => void) | undefined;
  const fail = (cause: unknown) => {
    if (hasEnded || failure !== undefined) return;
    failure = { cause };
    chunks = [];
    controller.abort(errorFrom(cause));
    wake?.();
  };
  const drop = () => {
    if (!hasEnded) fail(new Error('the body was not read to its end'));
  };
  const take = (): readonly Uint8Array[] => {
    const taken = chunks;
    chunks = [];
    waiting = 0;
    if (isPaused) {
      isPaused = false;
      controller.resume();
    }
    return taken;
  };
  let taken: readonly Uint8Array[] = [];
  let read = 0;
  const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
    for (;;) {
      if (failure !== undefined) throw failure.cause;
      if (read === taken.length) {
        taken = take();
        read = 0;
      }
      const value = taken[read];
      if (value !== undefined) {
        read += 1;
        return { done: false, value };
      }
      if (hasEnded) return { done: true, value };
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    push(chunk) {
      if (failure !== undefined) return;
      chunks.push(chunk);
      waiting += chunk.byteLength;
      if (waiting > MOST_WAITING && !isPaused) {
        isPaused = true;
        controller.pause();
      }
      wake?.();
    },
    end() {
      hasEnded = true;
      wake?.();
    },
    fail,
    drop,
    [Symbol.asyncIterator]: () => ({
      next,
      async return() {
        drop();
        return { done: true, value: undefined };
      },
    }),
  };
}

/** What was thrown, as undici wants it. */
export function errorFrom(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error('ended from outside', { cause });
}
