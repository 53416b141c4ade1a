import { stripVTControlCharacters } from 'node:util';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { refuseLeaks } from '../helpers/leaks.ts';
import { binary, type Home } from './home.ts';

/** The built innctl on a pseudo-terminal, with the screen as a user sees it. */
export interface Screen extends Disposable {
  /** Waits until the screen shows all of these texts. */
  shows(...texts: readonly string[]): Promise<void>;
  types(keys: string): void;
  resizes(columns: number): void;
  /** All lines from the first on, without trailing blanks. */
  text(): string;
  /** The same as one copies it: without the breaks that the terminal made in long lines. */
  copied(): string;
  /** Waits until the program ends. @returns its exit code and output. */
  leaves(): Promise<{ readonly exitCode: number; readonly written: string }>;
}

interface ScreenOptions {
  readonly columns?: number;
  /** Added to the environment of the home. */
  readonly env?: Home['env'];
  /** A command that runs innctl: `env -u TERM`. */
  readonly through?: readonly string[];
}

/** Lines of the terminal; the scrollback is kept. */
const ROWS = 40;

/** Starts innctl with a terminal of this width for stdin, stdout and stderr. */
export function openScreen(
  home: Home,
  args: readonly string[],
  { columns = 80, env = {}, through = [] }: ScreenOptions = {},
): Screen {
  const [program = '', ...words] = [...through, process.execPath, binary, ...args];
  const size = { cols: columns, rows: ROWS };
  const terminal = new xterm.Terminal({ ...size, scrollback: 10_000, allowProposedApi: true });
  const child = spawn(program, words, {
    ...size,
    cwd: home.folder,
    env: { TERM: 'xterm-256color', ...home.env, ...env },
  });
  let written = '';
  let isOver = false;
  let look = () => {};
  child.onData((text) => {
    written += text;
    terminal.write(text, () => look());
  });
  const ended = new Promise<number>((resolve) =>
    child.onExit(({ exitCode }) =>
      terminal.write('', () => {
        isOver = true;
        look();
        resolve(exitCode);
      }),
    ),
  );
  const text = () => textOf(terminal);
  return {
    text,
    copied: () => textOf(terminal, true),
    shows: (...texts) =>
      new Promise((resolve, reject) => {
        look = () => {
          const missing = texts.filter((each) => !text().includes(each));
          if (missing.length === 0) resolve();
          else if (isOver) reject(new Error(`The program ended before it showed ${missing}:\n${text()}`));
        };
        look();
      }),
    types: (keys) => child.write(keys),
    resizes(cols) {
      terminal.resize(cols, ROWS);
      child.resize(cols, ROWS);
    },
    leaves: async () => {
      const exitCode = await ended;
      refuseLeaks({ ...home.env, ...env }, { screen: text(), written: stripVTControlCharacters(written) });
      return { exitCode, written };
    },
    [Symbol.dispose]: () => child.kill('SIGKILL'),
  };
}

function textOf({ buffer, rows }: xterm.Terminal, isJoined = false): string {
  const { active } = buffer;
  const lines = Array.from({ length: active.baseY + rows }, (_, index) => {
    const line = active.getLine(index);
    const goesOn = isJoined && active.getLine(index + 1)?.isWrapped === true;
    const text = line?.translateToString(!goesOn) ?? '';
    return goesOn ? text : `${text.trimEnd()}\n`;
  });
  return `${lines.join('').trimEnd()}\n`;
}
