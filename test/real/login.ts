import type { ChildProcess } from 'node:child_process';
import { binary, type Ended, type Home } from '../bin/home.ts';
import { type Client, clients, type Identity, scopes } from './identity.ts';

/** A running `innctl login`. */
export interface LoggingIn {
  /** Resolves with the first group when stderr matches; rejects if the program ends before. */
  waitFor(text: RegExp): Promise<string>;
  readonly child: Promise<ChildProcess>;
  readonly ended: Promise<Ended>;
}

/** Starts `innctl login` for the profile chain, without a terminal; its secrets are stored in the file, or in a keyring. */
export function startLogin(
  home: Home,
  identity: Identity,
  words: readonly string[],
  {
    client = clients.native,
    env = {},
    keyring = false,
    before = [],
  }: {
    readonly client?: Client;
    readonly env?: Readonly<Record<string, string>>;
    readonly keyring?: boolean;
    /** A program, with its arguments, that runs innctl. */
    readonly before?: readonly string[];
  } = {},
): LoggingIn {
  const where = ['--identity-url', identity.issuer, '--base-url', identity.issuer, '--profile', 'chain'];
  const who = [
    '--client-id',
    client.id,
    '--scope',
    scopes.join(' '),
    ...(keyring ? [] : ['--insecure-storage']),
  ];
  let stderr = '';
  const listeners = new Set<() => void>();
  let begin = (_: ChildProcess) => {};
  const child = new Promise<ChildProcess>((resolve) => {
    begin = resolve;
  });
  const ended = home.run([...before, process.execPath, binary, 'login', ...words, ...where, ...who], {
    env,
    started: (process) => {
      process.stderr?.on('data', (part) => {
        stderr += part;
        for (const listener of listeners) listener();
      });
      begin(process);
    },
  });
  const waitFor = (text: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const [, found] = text.exec(stderr) ?? [];
        if (found !== undefined) resolve(found);
      };
      listeners.add(look);
      look();
      ended.then(({ stderr }) => reject(new Error(`It ended with stderr: ${stderr}`)), reject);
    });
  return { waitFor, child, ended };
}

/** The URL of the login page, on a separate line. */
export const PAGE = /^ {2}(http\S+)$/m;

/** The code to type. */
export const TYPED = /type the code (\S+) within/;
