import type { Ending } from '../transport.ts';

/** An ending that its owner brings about. */
interface OwnEnding extends Ending {
  /** Tells all who listen; a second time tells nobody. */
  end(reason: unknown): void;
}

/** Makes an ending that nobody has brought about yet. */
export function createEnding(): OwnEnding {
  let listeners: (() => void)[] | undefined;
  let aborted = false;
  let reason: unknown;
  return {
    get aborted() {
      return aborted;
    },
    get reason() {
      return reason;
    },
    end(why) {
      if (aborted) return;
      aborted = true;
      reason = why;
      for (const listener of listeners ?? []) listener();
      listeners = undefined;
    },
    throwIfAborted() {
      if (aborted) throw reason;
    },
    addEventListener(_type, listener) {
      listeners ??= [];
      listeners.push(listener);
    },
    removeEventListener(_type, listener) {
      const at = listeners?.indexOf(listener) ?? -1;
      if (at >= 0) listeners?.splice(at, 1);
    },
  };
}

/** Ends as a signal does, which hears of one listener only, however many there are here: it looks through all of them. */
export function endingWith(signal: AbortSignal): Ending {
  const ending = createEnding();
  const follow = () => ending.end(signal.reason);
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow, { once: true });
  return ending;
}
