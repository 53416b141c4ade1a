import { ExitCode } from './errors.ts';
import type { Redactor } from './redaction.ts';

/** An output stream. A write settles once the system has the text. */
export interface Sink {
  readonly isTerminal: boolean;
  /** Width in columns; 80 if unknown. */
  readonly columns: number;
  /** Height in lines; 24 if unknown. */
  readonly rows: number;
  /** @throws {ClosedPipe} when the reader is gone; {CliError} `output_failed` for other write errors. */
  write(text: string): Promise<void>;
}

/** A program that shows a text by the page. */
export interface Pager {
  /** @throws {ClosedPipe} when it was left. */
  write(text: string): Promise<void>;
  /** Ends the text, and waits until it is left. */
  close(): Promise<void>;
}

/** An input stream. */
export interface Source {
  readonly isTerminal: boolean;
  /** It was read to its end. */
  readonly spent: boolean;
  /**
   * Everything, as bytes.
   *
   * @param maxBytes beyond this, reading fails.
   * @param ends aborts reading, with its reason.
   */
  read(maxBytes: number, ends: AbortSignal): Promise<Uint8Array>;
}

/** What a run reads: stdin, and how long it may read stdin and files. */
export interface Input {
  /** Aborts all reading, of stdin and of files, at the end of the run or of the command's time limit. */
  readonly ends: AbortSignal;
  /** All of stdin; see `Source`. */
  read(maxBytes: number): Promise<Uint8Array>;
}

export interface Clock {
  /** Milliseconds since the epoch by the system clock, which may be changed. For dates. */
  now(): number;
  /** Milliseconds by a monotonic clock. For pauses and time limits. */
  monotonic(): number;
  /** Rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** What a run gets from the process. Production: `main.ts`; tests: `test/helpers/cli.ts`. */
export interface World {
  readonly version: string;
  /** Version of Node, without a `v`. */
  readonly node: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** `undefined` if there is none. */
  readonly home: string | undefined;
  readonly pid: number;
  /** The user id; `undefined` on Windows. */
  readonly uid: number | undefined;
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly uuid: () => string;
  /** Aborted with an `Interruption` on the first signal to end. */
  readonly signal: AbortSignal;
  /** Aborted with an `Interruption` on the second signal: the run reports it and abandons its work. */
  readonly forced: AbortSignal;
  readonly openPrompter: () => Promise<Prompter>;
  readonly connect: Connect;
  /** Where secrets are kept. */
  readonly keyring: Keyring;
  /**
   * Opens a page in the browser; does not wait for it.
   *
   * @param url https or http.
   * @returns whether a browser was started; never rejects.
   */
  readonly openBrowser: (url: string) => Promise<boolean>;
  /** Starts a pager on the terminal. @returns `undefined` if there is no such program. */
  readonly openPager: (command: string, env: World['env']) => Promise<Pager | undefined>;
}

/** The world of a run with redaction of both output streams and the prompter. */
export interface Context extends Omit<World, 'openPrompter'> {
  /** The words after the program's name. */
  readonly argv: readonly string[];
  readonly redactor: Redactor;
  readonly stdin: Input & {
    readonly isTerminal: boolean;
    readonly spent: boolean;
    /** Sets the time limit for all input, from the start of the run. */
    limit(timeoutMs: number): void;
  };
  readonly prompter: Prompter;
  /** stdout without redaction, for `auth token` only. */
  readonly unmasked: Sink;
  /** stderr for commands to the runner of GitHub Actions, which are escaped everywhere else; secrets are not masked. */
  readonly annotations: Sink;
  /** How errors are shown; set by the session once the settings are known. */
  readonly presentation: Presentation;
}

export interface Presentation {
  json: boolean;
  colour: boolean;
  /** Warnings held back until the JSON object of an error, which includes them. */
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

/** One request as it goes over the wire. */
export interface WireRequest {
  readonly method: Method;
  /** Absolute, already encoded. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Aborts the exchange; the transport rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Called once, before the first byte may leave. */
  readonly onSent?: () => void;
  /** A longer body of the response is refused, and its connection closed. Default 8 MiB. */
  readonly maxBytes?: number | undefined;
  /** Milliseconds from the first step to the last byte. Default 60 s, or the head timeout if that is longer. */
  readonly timeoutMs?: number | undefined;
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT' | 'HEAD';

/** One whole response. */
export interface WireResponse {
  readonly status: number;
  /** Names in lower case; values of a repeated header joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

/**
 * Sends one request and returns one response: no redirects, no retries, no decoding.
 *
 * @throws {WireFailure} without a whole response.
 */
export interface Transport {
  request(request: WireRequest): Promise<WireResponse>;
  close(): Promise<void>;
}

/** Options for all connections. */
export interface ConnectOptions {
  readonly proxies: Proxies;
  /** PEM texts of additional trusted authorities. */
  readonly authorities: readonly string[];
  readonly connectTimeoutMs: number;
  /** From the request to the head of the response. */
  readonly headTimeoutMs: number;
  /** Between two chunks of the body. */
  readonly idleTimeoutMs: number;
}

/** Proxy URLs from the environment; empty if there are none. */
export interface Proxies {
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  /** Hosts without a proxy, in the syntax of NO_PROXY. */
  readonly except?: string | undefined;
}

export type Connect = (options: ConnectOptions) => Promise<Transport>;

/** One entry of a list to choose from. */
export interface Choice {
  readonly value: string;
  /** Shown to the user; already neutralised. */
  readonly label: string;
}

/** Returns what is wrong with a text, or `undefined`. */
export type Check = (text: string) => string | undefined;

/** Prompts at the terminal, on stderr. Every method rejects with an `Interruption` on ^C. */
export interface Prompter {
  /** @param options.initial the default answer; not offered if a terminal cannot show it as it is. */
  text(
    question: string,
    options?: { readonly check?: Check | undefined; readonly initial?: string | undefined },
  ): Promise<string>;
  /** The answer is never echoed. */
  secret(question: string, options?: { readonly check?: Check | undefined }): Promise<string>;
  /** The default is no. */
  confirm(question: string): Promise<boolean>;
  /**
   * @param choices at least one.
   * @param options.initial the default value; the first choice if it is not listed.
   */
  choose(
    question: string,
    choices: readonly Choice[],
    options?: { readonly initial?: string | undefined },
  ): Promise<string>;
  /**
   * The answer may be empty.
   *
   * @param choices at least one.
   * @param options.chosen values chosen initially; unlisted ones are dropped.
   */
  chooseSeveral(
    question: string,
    choices: readonly Choice[],
    options?: { readonly chosen?: readonly string[] },
  ): Promise<readonly string[]>;
}

/**
 * The operating system's keyring, with the entries of the service `innctl`. Every method rejects with a
 * `KeyringFailure` after at most 4 s if the keyring cannot be used.
 */
export interface Keyring {
  /** The secret of this account; `undefined` if there is none. */
  read(account: string): Promise<string | undefined>;
  /** Stores a secret, replacing the previous one. */
  write(account: string, secret: string): Promise<void>;
  /** Removes a secret, if there is one. */
  remove(account: string): Promise<void>;
}

/** The keyring cannot be used. The message completes a sentence that begins with `the keyring`. */
export class KeyringFailure extends Error {
  override readonly name = 'KeyringFailure';
}

/**
 * Tests whether a secret can be stored for this account: a locked keyring may report it only on a write. Changes
 * nothing.
 */
export async function tryOut(keyring: Keyring, account: string): Promise<void> {
  if ((await keyring.read(account)) !== undefined) return;
  await keyring.write(account, '{}');
  await keyring.remove(account);
}
