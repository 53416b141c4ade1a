import { fstatSync, statSync, writeSync } from 'node:fs';
import { codeOf } from '../error-code.ts';

/** The width of the terminal that stdout is, 80 where it is none. */
export function columnsOf(outside: Outside): number {
  return mayBeTerminal() ? outside.stdout.columns || 80 : 80;
}

/** Nobody looks at the null device. */
function mayBeTerminal(): boolean {
  const { rdev } = fstatSync(1);
  return rdev !== 0 && rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}

/**
 * Writes a text to stdout and a note to stderr, but not by the streams: opening one costs a fifth of a start, as does every
 * mention of it. What the system takes only in part goes on by the stream, which waits.
 *
 * @returns `false` when nothing at all was written: whoever writes it next, finds out why.
 */
export function print(text: Buffer, note: string, outside: Outside, write = writeNow): boolean {
  let done = 0;
  try {
    while (done < text.length) done += write(1, text.subarray(done));
  } catch (cause) {
    if (done === 0 && codeOf(cause) !== 'EAGAIN') return false;
    finish(text.subarray(done), (said) => say(said, outside, write), note, outside);
    return true;
  }
  say(note, outside, write);
  return true;
}

/** Of the process: two streams, which are opened when they are needed, and how it will end. */
type Outside = Pick<NodeJS.Process, 'exitCode' | 'stdout' | 'stderr'>;
type Write = (file: number, text: Uint8Array) => number;

function writeNow(file: number, text: Uint8Array): number {
  return writeSync(file, text);
}

/** What is wrong with a stream is told as the program tells it; a reader that is gone ends it quietly. */
function finish(rest: Buffer, tell: (text: string) => void, note: string, outside: Outside): void {
  outside.stdout.on('error', () => {});
  outside.stdout.write(rest, (error) => {
    if (!error) return tell(note);
    if (codeOf(error) === 'EPIPE') return;
    outside.exitCode = 1;
    tell(`error: Cannot write to stdout: ${error.message}.\n`);
  });
}

/** What is said beside a result never decides what becomes of it. */
function say(text: string, outside: Outside, write: Write): void {
  if (text === '') return;
  try {
    write(2, Buffer.from(text));
  } catch (cause) {
    if (codeOf(cause) !== 'EAGAIN') return;
    outside.stderr.on('error', () => {});
    outside.stderr.write(text);
  }
}
