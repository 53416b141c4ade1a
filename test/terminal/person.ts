import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';

/** A person at a pseudo-terminal in front of a program whose stdout goes to a file. */
export interface Person {
  /** Waits until the terminal shows the text, after what was seen before. */
  sees(text: string): Promise<void>;
  types(keys: string): void;
  /** Sends SIGTERM to the program. */
  terminates(): void;
  /** Everything the terminal showed, and what the program wrote to stdout, once it has ended. */
  leaves(): Promise<{ readonly screen: string; readonly stdout: string; readonly exitCode: number }>;
}

const program = join(import.meta.dirname, 'ask.ts');

/** Starts `ask.ts` with the questions to ask. */
export async function person(...questions: readonly string[]): Promise<Person> {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-prompter-'));
  const stdoutFile = join(folder, 'stdout');
  const command = 'out=$1; shift; exec "$0" --import tsx "$@" >"$out"';
  const terminal = spawn('sh', ['-c', command, process.execPath, stdoutFile, program, ...questions], {
    cols: 80,
    rows: 24,
    env: { ...process.env, TERM: 'xterm-256color' },
  });
  let screen = '';
  let seen = 0;
  let ended = false;
  let look = () => {};
  terminal.onData((text) => {
    screen += text;
    look();
  });
  const exit = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  void exit.then(() => {
    ended = true;
    look();
  });
  return {
    sees: (text) =>
      new Promise((resolve, reject) => {
        look = () => {
          const at = screen.indexOf(text, seen);
          if (at >= 0) {
            seen = at + text.length;
            resolve();
          } else if (ended) reject(new Error(`The program ended before it showed "${text}": ${screen}`));
        };
        look();
      }),
    types: (keys) => terminal.write(keys),
    terminates: () => terminal.kill('SIGTERM'),
    async leaves() {
      const exitCode = await exit;
      const stdout = await readFile(stdoutFile, 'utf8');
      await rm(folder, { recursive: true });
      return { screen, stdout, exitCode };
    },
  };
}
