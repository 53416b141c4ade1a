import { fstatSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { version } from '../../package.json';
import { readOwnFile } from '../fs/standalone.ts';
import { completionFiles, placeOf, type Shell, shells } from '../reference/shells.ts';
import { enableCompileCache } from './compile-cache.ts';
import { codeOf } from './errors.ts';
import { mayAskForPage, pageFor, treeIn } from './pages.ts';

/**
 * Entry point of the build. Prints prebuilt texts (help, version, completions) without loading the program; otherwise
 * loads and runs it.
 *
 * @param dist the folder of the built files; the standalone executable needs none.
 */
export function start(dist: string, outside: NodeJS.Process): void {
  const [, , first, ...words] = outside.argv;
  if (first === '__complete') return void completeLine(words, dist, outside);
  if (isAnswered(dist, outside)) return;
  reportUncaught(outside);
  enableCompileCache(outside);
  // Exit explicitly: otherwise Node spends time on teardown.
  void import('./main.ts').then(({ main }) => main()).then(() => outside.exit());
}

/** Answers a shell that completes a command line. */
async function completeLine(words: readonly string[], dist: string, outside: NodeJS.Process): Promise<void> {
  const { answerCompletion } = await import('../reference/complete-door.ts');
  const text = answerCompletion(words, () => treeIn(join(dist, 'help.txt')), outside);
  print(Buffer.from(text), '', outside);
}

/** If the text cannot be printed, the program runs and reports the error. */
function isAnswered(dist: string, outside: NodeJS.Process): boolean {
  const answer = answerTo(outside.argv.slice(2), dist, outside);
  return answer !== undefined && print(answer.text, answer.note, outside);
}

interface Answer {
  readonly text: Buffer;
  /** Written to stderr. */
  readonly note: string;
}

/** The prebuilt answer to a command line; `undefined` if the program must run. */
function answerTo(words: readonly string[], dist: string, outside: NodeJS.Process): Answer | undefined {
  const [first = '', second = ''] = words;
  // The program makes other formats.
  if (outside.env['INNCTL_OUTPUT']) return undefined;
  try {
    if (words.length === 1 && ['--version', '-V', 'version'].includes(first))
      return { text: Buffer.from(`${version}\n`), note: '' };
    if (words.length === 2 && first === 'completion' && isShell(second)) return completionsOf(second, dist);
    if (!mayAskForPage(words)) return undefined;
    const text = pageFor(words, join(dist, 'help.txt'), () => columnsOf(outside));
    return text && { text, note: '' };
  } catch {
    return undefined;
  }
}

function isShell(word: string): word is Shell {
  return shells.some((shell) => shell === word);
}

function completionsOf(shell: Shell, dist: string): Answer {
  const text = readOwnFile(join(dist, '../completions', completionFiles[shell]));
  return { text, note: `${placeOf(shell)}\n` };
}

/** The width of the terminal, otherwise 80. */
function columnsOf(outside: Outside): number {
  return mayBeTerminal() ? outside.stdout.columns || 80 : 80;
}

/** False for the null device. */
function mayBeTerminal(): boolean {
  const { rdev } = fstatSync(1);
  return rdev !== 0 && rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}

/**
 * Writes a text to stdout and a note to stderr without opening streams, which takes a fifth of the start-up time. A
 * stream writes the rest if the system accepts only a part.
 *
 * @returns `false` if nothing was written: the next writer gets the error.
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

/** The parts of the process used here; its streams are opened on first use. */
type Outside = Pick<NodeJS.Process, 'exitCode' | 'stdout' | 'stderr'>;
type Write = (file: number, text: Uint8Array) => number;

function writeNow(file: number, text: Uint8Array): number {
  return writeSync(file, text);
}

/** Reports a write error; a closed pipe ends quietly. */
function finish(rest: Buffer, tell: (text: string) => void, note: string, outside: Outside): void {
  outside.stdout.on('error', () => {});
  outside.stdout.write(rest, (error) => {
    if (!error) return tell(note);
    if (codeOf(error) === 'EPIPE') return;
    outside.exitCode = 1;
    tell(`error: Cannot write to stdout: ${error.message}.\n`);
  });
}

/** A failed write of a note is ignored. */
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

/** Reports an uncaught error and ends the process. */
function reportUncaught(outside: NodeJS.Process): void {
  outside.on('uncaughtException', (error) => {
    const hint = 'hint: This is a bug in innctl: please report it with this text.';
    try {
      writeSync(2, `error: ${inspect(error)}\n${hint}\n`);
    } finally {
      outside.exit(1);
    }
  });
}
