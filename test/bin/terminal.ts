import { stripVTControlCharacters } from 'node:util';
import { spawn } from '@lydell/node-pty';
import { binary, type Home } from './home.ts';

/** innctl on a pseudo-terminal, and the person in front of it. */
export interface Terminal extends Disposable {
  /** Waits until the screen shows the text, after what was seen before, colours and cursor movements left out. */
  sees(text: string): Promise<void>;
  types(keys: string): void;
  /** All the text that was shown, and how innctl ended, once it has. */
  leaves(): Promise<{ readonly screen: string; readonly exitCode: number }>;
}

/** The keys that have no letter. */
export const keys = { enter: '\r', space: ' ', down: '\u001b[B', ctrlC: '\u0003' } as const;

/** Starts the built innctl with a terminal for stdin, stdout and stderr. */
export function openTerminal(home: Home, args: readonly string[], env: Home['env'] = {}): Terminal {
  const child = spawn(process.execPath, [binary, ...args], {
    cols: 100,
    rows: 30,
    cwd: home.folder,
    env: { ...home.env, TERM: 'xterm-256color', ...env },
  });
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
  return {
    sees: (text) =>
      new Promise((resolve, reject) => {
        look = () => {
          const at = screen().indexOf(text, seen);
          if (at >= 0) {
            seen = at + text.length;
            resolve();
          } else if (isOver) reject(new Error(`innctl ended before it showed "${text}":\n${screen()}`));
        };
        look();
      }),
    types: (text) => child.write(text),
    leaves: async () => ({ exitCode: await ended, screen: screen() }),
    [Symbol.dispose]: () => child.kill('SIGKILL'),
  };
}
