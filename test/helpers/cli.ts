import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../src/cli/run.ts';
import { ClosedPipe } from '../../src/model/errors.ts';
import {
  type Check,
  type Connect,
  type Keyring,
  KeyringFailure,
  type Prompter,
  type Sink,
  type Source,
  type World,
} from '../../src/model/ports.ts';
import { fetchTransport } from './fetch-transport.ts';
import { watchForLeaks } from './leaks.ts';

/** The environment of one run in memory; omitted fields have no effect. */
export interface Situation {
  readonly env?: Readonly<Record<string, string>>;
  /** Config folder; default: a temporary one, removed afterwards. */
  readonly folder?: string;
  readonly stdin?: string | Uint8Array;
  /** stdout is a terminal of this width; so is stderr with `answers`, which is very wide otherwise. */
  readonly columns?: number;
  /** The answers to the prompts, in order; a rejected answer is followed by the next one. */
  readonly answers?: readonly Answer[];
  /** Replaces the prompts; `answers`, even when empty, still make the run interactive. */
  readonly prompter?: Prompter;
  /** The transport; default: fetch of Node, which nock intercepts. */
  readonly connect?: Connect;
  /** The keyring; default: none. */
  readonly keyring?: Keyring;
  /** The browser, called with the URL; default: none. */
  readonly openBrowser?: World['openBrowser'];
  /** Milliseconds since the epoch; a function for an advancing clock. */
  readonly now?: number | (() => number);
  /** How the clock sleeps; default: it does not wait. */
  readonly sleep?: World['clock']['sleep'];
  readonly uuid?: string;
  /** The user id of the run; default: that of the test process. */
  readonly uid?: number;
  readonly signal?: AbortSignal;
  readonly forced?: AbortSignal;
  /** The reader of stdout closes the pipe after this many writes. */
  readonly closesAfter?: number;
}

/** One answer at a prompt; an error is thrown by the prompt. */
export type Answer = string | boolean | readonly string[] | Error;

export interface Result {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Two unreachable hosts, and a token for them. */
export const IDENTITY = 'https://identity.example.com';
export const API = 'https://api.example.com';
export const hotels = {
  INNCTL_IDENTITY_URL: IDENTITY,
  INNCTL_BASE_URL: API,
  INNCTL_TOKEN: 'token-of-ana-1234567890',
} as const;

/** What requests with that token must have. */
export const AUTH = { reqheaders: { authorization: `Bearer ${hotels.INNCTL_TOKEN}` } } as const;

/** A key that is derived of a run and a body. */
export const DERIVED_KEY = /^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-/;

/** The words that give one operation of a patch. */
export const patch = (op: string, path: string, value?: unknown) => [
  '--patch',
  JSON.stringify([{ op, path, value }]),
];

/** The same hosts in the dialect of the public service. */
export const apaleo = { ...hotels, INNCTL_DIALECT: 'apaleo', NO_COLOR: '1' } as const;

/** The same with a token that names its account, so that users/me is not requested. */
export const hotelsOfAurora = {
  ...hotels,
  INNCTL_TOKEN: [{ alg: 'none' }, { account_code: 'AURORA', sub: 'ana-7' }, 'signature']
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.'),
} as const;

/**
 * Runs the whole program in memory, and fails when it leaks a secret.
 *
 * @param line the arguments after `innctl`, split at blanks (quotes group words), or already as a list.
 */
export async function cli(line: string | readonly string[], situation: Situation = {}): Promise<Result> {
  const folder = situation.folder ?? (await mkdtemp(join(tmpdir(), 'innctl-')));
  const stdout = memorySink(situation.columns !== undefined, situation.columns ?? 80, situation.closesAfter);
  const stderr = memorySink(situation.answers !== undefined, situation.columns ?? 1_000);
  try {
    const argv = typeof line === 'string' ? split(line) : line;
    const world = worldOf(situation, folder, stdout, stderr);
    const watch = await watchForLeaks(world.env, folder);
    const exitCode = await run(argv, { ...world, connect: watch.connect(world.connect) });
    await watch.check({ stdout: stdout.text(), stderr: stderr.text() }, argv);
    return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    if (situation.folder === undefined) await rm(folder, { recursive: true, force: true });
  }
}

function worldOf(situation: Situation, folder: string, stdout: Sink, stderr: Sink): World {
  const bytes = Buffer.from(situation.stdin ?? '');
  const { now, prompter = prompterOf(situation.answers ?? []) } = situation;
  const clock = typeof now === 'function' ? now : () => now ?? Date.now();
  return {
    version: '0.0.0-test',
    node: '20.19.0',
    env: { INNCTL_CONFIG_DIR: folder, ...situation.env },
    platform: 'linux',
    home: folder,
    pid: 4711,
    uid: situation.uid ?? process.geteuid?.(),
    stdin: sourceOf(situation, bytes),
    stdout,
    stderr,
    clock: {
      now: clock,
      monotonic: clock,
      sleep: situation.sleep ?? (async (_ms, signal) => signal.throwIfAborted()),
    },
    random: () => 0.5,
    uuid: () => situation.uuid ?? '11111111-2222-4333-8444-555555555555',
    signal: situation.signal ?? new AbortController().signal,
    forced: situation.forced ?? new AbortController().signal,
    openPrompter: async () => prompter,
    connect: situation.connect ?? fetchTransport,
    keyring: situation.keyring ?? noKeyring,
    openBrowser: situation.openBrowser ?? (async () => false),
    openPager: async () => undefined,
  };
}

/** A system without a keyring. */
const noKeyring: Keyring = {
  read: () => Promise.reject(new KeyringFailure('cannot be reached on this system')),
  write: () => Promise.reject(new KeyringFailure('cannot be reached on this system')),
  remove: () => Promise.reject(new KeyringFailure('cannot be reached on this system')),
};

/** A keyring in memory; its entries by account. */
export function memoryKeyring(): Keyring & { readonly entries: ReadonlyMap<string, string> } {
  const entries = new Map<string, string>();
  return {
    entries,
    read: async (account) => entries.get(account),
    write: async (account, secret) => {
      entries.set(account, secret);
    },
    remove: async (account) => {
      entries.delete(account);
    },
  };
}

function sourceOf(situation: Situation, bytes: Uint8Array): Source {
  let spent = false;
  return {
    isTerminal: situation.answers !== undefined,
    get spent() {
      return spent;
    },
    read: async () => {
      spent = true;
      return bytes;
    },
  };
}

function memorySink(isTerminal: boolean, columns: number, closesAfter = Number.POSITIVE_INFINITY) {
  const parts: string[] = [];
  return {
    isTerminal,
    columns,
    rows: 24,
    write: async (text: string) => {
      if (parts.length >= closesAfter) throw new ClosedPipe('gone');
      parts.push(text);
    },
    text: () => parts.join(''),
  };
}

function prompterOf(answers: readonly Answer[]): Prompter {
  const left = [...answers];
  const next = (question: string): Answer => {
    const answer = left.shift();
    if (answer === undefined) throw new Error(`nobody answers "${question}"`);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const text = async (
    question: string,
    options: { readonly check?: Check | undefined } = {},
  ): Promise<string> => {
    for (;;) {
      const answer = String(next(question));
      if (options.check?.(answer) === undefined) return answer;
    }
  };
  return {
    text,
    secret: text,
    confirm: async (question) => next(question) === true,
    choose: async (question, choices) => oneOf(String(next(question)), choices),
    chooseSeveral: async (question, choices) => {
      const answer = next(question);
      return Array.isArray(answer) ? answer.map((each) => oneOf(String(each), choices)) : [];
    },
  };
}

function oneOf(answer: string, choices: readonly { readonly value: string }[]): string {
  if (choices.some(({ value }) => value === answer)) return answer;
  throw new Error(`"${answer}" is not offered: ${choices.map(({ value }) => value).join(', ')}`);
}

function split(line: string): readonly string[] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single),
  );
}
