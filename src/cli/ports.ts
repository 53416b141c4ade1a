import type { Redactor } from '../out/redaction.ts';
import { ExitCode } from './exit-codes.ts';

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

/** One request as it goes over the wire. */
export interface WireRequest {
  readonly method: Method;
  /** Absolute, already encoded. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Ends the exchange, body included; the transport rejects with the signal's reason. */
  readonly signal: Ending;
  /** Called once, when the first byte may have left. */
  readonly onSent?: () => void;
  /** A read that goes over a connection that has carried nothing yet. */
  readonly isFresh?: boolean;
}

/** What an `AbortSignal` can be asked; where thousands are made, making one of those costs as much as the request. */
export interface Ending {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT' | 'HEAD';

/** The head of an answer and its body, not yet read. */
export interface WireResponse {
  readonly status: number;
  /** Names in lower case; values of a repeated header joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** Raw bytes. Throws a `WireFailure` when the body is cut or idles. */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Carries one request and brings one answer: no redirects, no retries, no decoding.
 *
 * @throws {WireFailure} when no answer came.
 */
export interface Transport {
  request(request: WireRequest): Promise<WireResponse>;
  /**
   * When the certificate of a host comes to its end, in milliseconds since the epoch; `undefined` where that cannot be told.
   * A connection is made for it and nothing is sent.
   *
   * @throws {WireFailure} when no connection comes about.
   */
  certificateEnd?(url: string): Promise<number | undefined>;
  close(): Promise<void>;
}

/** How to reach the hosts. */
export interface ConnectOptions {
  readonly proxies: Proxies;
  /** PEM texts trusted beside the system's own roots. */
  readonly authorities: readonly string[];
  readonly connectTimeoutMs: number;
  /** From the request sent to the head of the answer. */
  readonly headTimeoutMs: number;
  /** Between two chunks of the body. */
  readonly idleTimeoutMs: number;
}

/** Proxy URLs as the environment gives them; empty when there are none. */
export interface Proxies {
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  /** Hosts that are reached directly, in the syntax of NO_PROXY. */
  readonly except?: string | undefined;
}

export type Connect = (options: ConnectOptions) => Promise<Transport>;

/** One entry of a list to choose from. */
export interface Choice {
  readonly value: string;
  /** What the person sees; already neutralised. */
  readonly label: string;
}

/** Says what is wrong with an answer, or `true`. */
export type Check = (answer: string) => true | string | Promise<true | string>;

/**
 * Asks the person at the terminal. Questions go to stderr.
 * Every method rejects with an `Interruption` on ^C.
 */
export interface Prompter {
  /** @param options.initial what Enter takes; one that a terminal cannot show as it is is not offered. */
  text(question: string, options?: { readonly check?: Check; readonly initial?: string }): Promise<string>;
  /** The answer is never echoed. */
  secret(question: string, options?: { readonly check?: Check }): Promise<string>;
  /** Default answer is no. */
  confirm(question: string): Promise<boolean>;
  /**
   * @param choices at least one.
   * @param options.initial the value that Enter takes; the first one where it is not listed.
   */
  choose(
    question: string,
    choices: readonly Choice[],
    options?: { readonly initial?: string },
  ): Promise<string>;
  /**
   * Choosing none is an answer.
   *
   * @param choices at least one.
   * @param options.chosen values that are chosen from the beginning; those that are not listed are left out.
   */
  chooseSeveral(
    question: string,
    choices: readonly Choice[],
    options?: { readonly chosen?: readonly string[] },
  ): Promise<readonly string[]>;
}

/** Why a keyring cannot be used: there is none, it is locked, it does not answer in time, or it says no. */
export type KeyringTrouble = 'missing' | 'locked' | 'silent' | 'refused';

/**
 * The operating system's keyring, with the entries of the service `innctl` in it.
 * Every method rejects with a `KeyringFailure` where the keyring cannot be used, at the latest after 3 s.
 */
export interface Keyring {
  /** The secret of this account; `undefined` where there is none. */
  read(account: string): Promise<string | undefined>;
  /** Keeps a secret in place of the one before. */
  write(account: string, secret: string): Promise<void>;
  /** Forgets a secret; there need not be one. */
  remove(account: string): Promise<void>;
}

/** The keyring cannot be used. The message ends a sentence that begins with `the keyring`. */
export class KeyringFailure extends Error {
  override readonly name = 'KeyringFailure';
  readonly trouble: KeyringTrouble;

  constructor(trouble: KeyringTrouble, message: string) {
    super(message);
    this.trouble = trouble;
  }
}

/**
 * Finds out whether a secret could be kept for this account: one that is locked may well say that it has none, and say so only
 * when it is given one. What is there stays; nothing new does.
 */
export async function tryOut(keyring: Keyring, account: string): Promise<void> {
  if ((await keyring.read(account)) !== undefined) return;
  await keyring.write(account, '{}');
  await keyring.remove(account);
}

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
