/** How a helper is run. */
export interface HelperOptions {
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends it and what it has started; the run rejects with its reason. */
  readonly signal: AbortSignal;
  /** After so many milliseconds it is ended. */
  readonly limitMs: number;
  /** With more on its stdout it is ended. */
  readonly maxBytes: number;
  /** Gets what it writes to stderr, as it comes. */
  readonly say: (text: string) => void;
}

/** How a helper ended. */
export interface Helped {
  /** `undefined` when a signal ended it, or nothing could be started. */
  readonly exitCode: number | undefined;
  readonly stdout: Uint8Array;
  /** Why it was not waited for to its end. */
  readonly cut?: 'late' | 'too-long' | undefined;
}

/**
 * Runs a helper to its end: a command line for the shell, without stdin.
 * It rejects with the reason of the signal alone.
 */
export type RunHelper = (command: string, options: HelperOptions) => Promise<Helped>;
