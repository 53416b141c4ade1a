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

/** A stream of Node's would do the same, and costs as much as all the rest of a small answer. */
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
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          if (failure !== undefined) throw failure.cause;
          const taken = take();
          for (const chunk of taken) yield chunk;
          if (taken.length > 0) continue;
          if (hasEnded) return;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      } finally {
        drop();
      }
    },
  };
}

/** What was thrown, as undici wants it. */
export function errorFrom(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error('ended from outside', { cause });
}
