import { stripVTControlCharacters } from 'node:util';
import { type IPty, spawn } from '@lydell/node-pty';
import { refuseLeaks } from './leaks.ts';

/** A program on a pseudo-terminal, and the person in front of it. */
export interface Terminal extends Disposable {
  /** Waits until the screen shows the text, after what was seen before, colours and cursor movements left out. */
  sees(text: string): Promise<void>;
  types(keys: string): void;
  /** Sends SIGTERM to the program. */
  terminates(): void;
  /** All the text that was shown, and how the program ended, once it has. */
  leaves(): Promise<{ readonly screen: string; readonly exitCode: number }>;
}

/** The keys that have no letter. */
export const keys = {
  enter: '\r',
  space: ' ',
  tab: '\t',
  down: '\u001b[B',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
} as const;

/** Not the one that a home's PATH may hide. */
const STTY = '/bin/stty';

interface TerminalOptions {
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Starts a program with a terminal for stdin, stdout and stderr. A terminal forgets what was typed and not read yet, and what
 * was written and not shown yet, when ^C is typed: this one does not, or what a program answers at once could be lost.
 */
export function openTerminal(command: readonly string[], options: TerminalOptions): Terminal {
  const env = { ...options.env, TERM: options.env['TERM'] ?? 'xterm-256color' };
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
