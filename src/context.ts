import { ExitCode } from './exit-codes.ts';
import type { RunHelper } from './helper.ts';
import type { Keyring } from './keyring.ts';
import type { Prompter } from './prompter.ts';
import type { Redactor } from './redaction.ts';
import type { Connect } from './transport.ts';

/** Where text goes. A write settles when the text was handed to the system. */
export interface Sink {
  readonly isTerminal: boolean;
  /** Width in columns; 80 where nobody knows. */
  readonly columns: number;
  /** @throws {ClosedPipe} when the reader is gone; {CliError} `output_failed` when the system refuses the text. */
  write(text: string): Promise<void>;
}

/** Where text comes from. */
export interface Source {
  readonly isTerminal: boolean;
  /** It was read: there is nothing more to come. */
  readonly spent: boolean;
  /**
   * Ends the reading of all input, from here and from files, with its reason: the run's own end, or that of the time which
   * the command has. Where it is missing there is no such time.
   */
  readonly ends?: AbortSignal | undefined;
  /** Says how long all input may be waited for, from the beginning of the run. */
  limit?(timeoutMs: number): void;
  /**
   * Everything there is to read, as bytes.
   *
   * @param maxBytes reading stops with an error beyond this.
   * @param ends ends the reading as well as the run does, with its reason.
   */
  read(maxBytes: number, ends?: AbortSignal): Promise<Uint8Array>;
}

export interface Clock {
  /** Milliseconds since the epoch, as the system has it: for dates. Somebody may set it. */
  now(): number;
  /** The same, by a clock that runs evenly from the start of the process on and is never set: for pauses and time limits. */
  monotonic(): number;
  /** Rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** What the process gives to a run. Production: `main.ts`; tests: `test/helpers/cli.ts`. */
export interface World {
  readonly version: string;
  /** Version of Node, without a `v`. */
  readonly node: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The home folder, `undefined` where there is none. */
  readonly home: string | undefined;
  readonly pid: number;
  /** Who runs it; `undefined` on Windows. */
  readonly uid: number | undefined;
  /** Whether a process of this number exists, whoever owns it. */
  isAlive(pid: number): boolean;
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly uuid: () => string;
  /** Aborted with an `Interruption` when the process is asked to end. */
  readonly signal: AbortSignal;
  /** Aborted with an `Interruption` when the process is asked again: the run reports it and abandons what is under way. */
  readonly forced: AbortSignal;
  readonly prompter: Prompter;
  readonly connect: Connect;
  /** Where secrets are kept. */
  readonly keyring: Keyring;
  /**
   * Runs an editor on a file, where the person is, and waits until it ends.
   *
   * @param command as EDITOR has it, a command line for the shell.
   * @returns its exit code, `undefined` when a signal ended it.
   */
  readonly edit: (command: string, file: string) => Promise<number | undefined>;
  /**
   * Opens a page in the person's browser, and does not wait for it.
   *
   * @param url https or http.
   * @returns whether one was started; never an error.
   */
  readonly openBrowser: (url: string) => Promise<boolean>;
  /** Runs a command line of the person, and brings what it prints. */
  readonly helper: RunHelper;
  /** A text with a stack trace in it, as the sources have it; where it is missing, the sources themselves run. */
  readonly explainStack?: ExplainStack | undefined;
}

export type ExplainStack = (text: string) => string;

/** All that a run may touch: the world, behind a redactor that stands in front of both sinks and the prompter. */
export interface Context extends World {
  /** The words after the program's name. */
  readonly argv: readonly string[];
  readonly redactor: Redactor;
  /** stdout without the redactor in front of it: for `auth token`, whose result is a secret, and for nothing else. */
  readonly unmasked: Sink;
  /** How an error would be shown; the session settles it once the settings are known. */
  readonly presentation: Presentation;
}

export interface Presentation {
  json: boolean;
  colour: boolean;
  /** Warnings that must not stand beside the one JSON object of an error; they go into it. */
  readonly held: string[];
}

/** Why a run was aborted from outside. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly signal: 'SIGINT' | 'SIGTERM';

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(`interrupted by ${signal}`);
    this.signal = signal;
  }

  get exitCode(): ExitCode {
    return this.signal === 'SIGINT' ? ExitCode.interrupted : ExitCode.terminated;
  }
}
