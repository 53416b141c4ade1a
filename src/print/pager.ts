import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { ClosedPipe } from '../model/errors.ts';
import type { Pager, Sink, World } from '../model/ports.ts';
import { screenOf, sinkOver } from './streams.ts';

/**
 * Starts a pager on the terminal of this process. Without LESS and LV in the environment they are set so that colours are shown, and
 * less ends by itself where all fits.
 *
 * @param command words with blanks between, quoted if they have any.
 * @returns `undefined` if it cannot be started.
 */
export async function startPager(command: string, env: World['env']): Promise<Pager | undefined> {
  const { spawn } = await import('node:child_process');
  const [program = '', ...words] = (command.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) =>
    word.replaceAll(/^["']|["']$/g, ''),
  );
  const child = spawn(program, words, {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { LESS: 'FRX', LV: '-c', ...env },
  });
  const { stdin } = child;
  // Each write reports its own failure.
  stdin.on('error', () => {});
  const ended = once(child, 'close');
  // Of a pager that does not start.
  ended.catch(() => {});
  try {
    await once(child, 'spawn');
  } catch {
    return undefined;
  }
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        stdin.write(text, (error) => (error ? reject(new ClosedPipe('the pager is closed')) : resolve()));
      }),
    close: async () => {
      stdin.end();
      await ended;
    },
  };
}

/**
 * Prints to the terminal, or to a pager what has more lines than the terminal. Leaving the pager ends the printing. What is
 * written to stderr meanwhile is shown after it.
 *
 * @param open starts the pager; without one the terminal gets all.
 */
export async function printPaged(
  { stdout, stderr }: Readonly<Record<'stdout' | 'stderr', Sink>>,
  open: () => Promise<Pager | undefined>,
  print: (sink: Sink) => Promise<void>,
): Promise<void> {
  const screen = screenOf(stderr);
  let kept: string | undefined = '';
  let pager: Pager | undefined;
  const flush = async () => {
    const text = kept;
    kept = undefined;
    if (text) await (pager ?? stdout).write(text);
  };
  const write: Sink['write'] = async (text) => {
    if (kept === undefined) return (pager ?? stdout).write(text);
    kept += text;
    if (linesIn(kept, stdout.columns) <= stdout.rows) return;
    pager = await open();
    await flush();
    if (pager === undefined) await screen.release();
  };
  // A remark on a list comes after it.
  await screen.hold();
  try {
    await print(sinkOver(stdout, write));
    await flush();
  } catch (error) {
    await flush();
    if (pager === undefined || !(error instanceof ClosedPipe)) throw error;
  } finally {
    await pager?.close();
    await screen.release();
  }
}

/** The lines of a text on a terminal, with the one that the cursor is on. */
function linesIn(text: string, columns: number): number {
  const lines = stripVTControlCharacters(text).split('\n');
  return lines.reduce((sum, { length }) => sum + Math.max(1, Math.ceil(length / columns)), 0);
}
