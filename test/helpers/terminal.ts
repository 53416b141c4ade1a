import { stripVTControlCharacters } from 'node:util';
import { type IPty, spawn } from '@lydell/node-pty';
import { refuseLeaks } from './leaks.ts';

/** A program on a pseudo-terminal, and its user. */
export interface Terminal extends Disposable {
  /** Waits until the screen shows the text after the last match, without colours and cursor movements. */
  sees(text: string): Promise<void>;
  types(keys: string): void;
  /** Sends SIGTERM to the program. */
  terminates(): void;
  /** The whole output and the exit code, once the program has ended. */
  leaves(): Promise<{ readonly screen: string; readonly exitCode: number }>;
}

/** Control characters of special keys. */
export const keys = {
  enter: '\r',
  space: ' ',
  tab: '\t',
  down: '\u001b[B',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
} as const;

/** An absolute path, since the PATH of a test may not have it. */
const STTY = '/bin/stty';

interface TerminalOptions {
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Starts a program with a terminal for stdin, stdout and stderr. ^C normally flushes the unread input and the unwritten
 * output of a terminal: this one keeps both (noflsh), since an immediate response of the program could be lost otherwise.
 */
export function openTerminal(command: readonly string[], options: TerminalOptions): Terminal {
  const env = { PAGER: '', ...options.env, TERM: options.env['TERM'] ?? 'xterm-256color' };
  const child = spawn('/bin/sh', ['-c', `${STTY} noflsh && exec "$@"`, 'sh', ...command], {
    cols: 100,
    rows: 30,
    ...options,
    env,
  });
  const { screen, ended, sees } = watch(child);
  return {
    sees,
    types: (text) => child.write(text),
    terminates: () => child.kill('SIGTERM'),
    leaves: async () => {
      const exitCode = await ended;
      refuseLeaks(env, { screen: screen() });
      return { exitCode, screen: screen() };
    },
    [Symbol.dispose]: () => child.kill('SIGKILL'),
  };
}

function watch(child: IPty) {
  let written = '';
  const screen = () => stripVTControlCharacters(written);
  let seen = 0;
  let isOver = false;
  let look = () => {};
  child.onData((text) => {
    written += text;
    look();
  });
  const ended = new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)));
  void ended.then(() => {
    isOver = true;
    look();
  });
  const sees = (text: string) =>
    new Promise<void>((resolve, reject) => {
      look = () => {
        const at = screen().indexOf(text, seen);
        if (at >= 0) {
          seen = at + text.length;
          resolve();
        } else if (isOver) reject(new Error(`The program ended before it showed "${text}":\n${screen()}`));
      };
      look();
    });
  return { screen, ended, sees };
}
