import type { Ending } from '../transport.ts';

/** An ending that its owner brings about. */
interface OwnEnding extends Ending {
  /** Tells all who listen; a second time tells nobody. */
  end(reason: unknown): void;
}

/** Makes an ending that nobody has brought about yet. */
export function createEnding(): OwnEnding {
  return new Unended();
}

/** A class, because two are made for each request: functions of its own would be ten objects more. */
class Unended implements OwnEnding {
  aborted = false;
  reason: unknown;
  private readonly listeners: (() => void)[] = [];

  end(why: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = why;
    // One by one: whoever is told may take away others, who are not told then.
    for (let next = this.listeners.shift(); next !== undefined; next = this.listeners.shift()) next();
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) this.listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.listeners.indexOf(listener);
    if (at !== -1) this.listeners.splice(at, 1);
  }
}

/** Ends as a signal does, which hears of one listener only, however many there are here: it looks through all of them. */
export function endingWith(signal: AbortSignal): Ending {
  const ending = createEnding();
  const follow = () => ending.end(signal.reason);
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow, { once: true });
  return ending;
}
