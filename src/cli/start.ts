import { fstatSync, readFileSync, statSync, writeSync } from 'node:fs';
import { type SourceMap, SourceMap as SourceMapOf, type SourceMapPayload } from 'node:module';
import { join, sep } from 'node:path';
import { inspect } from 'node:util';
import { version } from '../../package.json';
import { placeOf } from '../commands/completion/place.ts';
import { completionFiles, type Shell, shells } from '../reference/completions/files.ts';
import { cachedDataName, openChunks, PLACE } from './cached-code.ts';
import { codeOf } from './errors.ts';
import { mayAskForPage, pageFor } from './pages.ts';
import type { ExplainStack } from './ports.ts';

export { cachedDataName, cachedDataOf, openChunks } from './cached-code.ts';

/**
 * What stands before the program: texts that were made with it are printed without it, for all else it is loaded and run.
 *
 * @param dist the folder of the built files.
 * @param outside the process.
 * @param builtin a module of Node's: `require`, for not every Node that is taken has `process.getBuiltinModule`.
 */
export function start(dist: string, outside: NodeJS.Process, builtin: (id: string) => unknown): void {
  if (isAnswered(dist, outside)) return;
  const chunks = openChunks(dist, join(dist, cachedDataName(outside)), builtin);
  const explain: ExplainStack = (text) => explainStack(text, dist);
  tellUncaught(explain, outside);
  const { main } = chunks.load('core.js') as typeof import('./main.ts');
  // Nothing is left to be done then, and Node would take down piece by piece what it has built.
  void main(explain).then(() => outside.exit());
}

/** Whatever keeps a text from being printed, the program finds again, and says it. */
function isAnswered(dist: string, outside: NodeJS.Process): boolean {
  const answer = answerTo(outside.argv.slice(2), dist, outside);
  return answer !== undefined && print(answer.text, answer.note, outside);
}

interface Answer {
  readonly text: Buffer;
  /** What is said beside it, on stderr. */
  readonly note: string;
}

/** The answer to a command line, where the program would give this one and no other; `undefined` for all else. */
function answerTo(words: readonly string[], dist: string, outside: NodeJS.Process): Answer | undefined {
  const [first = '', second = ''] = words;
  // Another form than the plain one is made by the program.
  if (outside.env['INNCTL_OUTPUT']) return undefined;
  try {
    if (words.length === 1 && (first === '--version' || first === '-V'))
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
  const text = readFileSync(join(dist, '../completions', completionFiles[shell]));
  return { text, note: `${placeOf(shell)}\n` };
}

/** The width of the terminal that stdout is, 80 where it is none. */
function columnsOf(outside: Outside): number {
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

/**
 * Tells of an error that nobody caught and ends the process. Node itself would print the line it was thrown in, and in a
 * built file that is all of it.
 */
function tellUncaught(explainStack: ExplainStack, outside: NodeJS.Process): void {
  outside.on('uncaughtException', (error) => {
    const text =
      `error: ${explainStack(inspect(error))}\n` +
      'hint: This is a bug in innctl: please report it with this text.\n';
    try {
      writeSync(2, text);
    } finally {
      outside.exit(1);
    }
  });
}

/** The name of the file in dist/ that holds the source map of each other. */
const MAPS = 'maps.json';

/**
 * A text with a stack trace in it, as the sources have it: each place in a built file becomes that in its source.
 *
 * @param dist the folder of the built files.
 * @returns the text itself where nothing is known.
 */
function explainStack(text: string, dist: string): string {
  const [before = '', ...places] = text.replaceAll(join(dist, sep), PLACE).split(PLACE);
  if (places.length === 0) return text;
  try {
    const maps = mapsIn(dist);
    const explained = places.map((place) => sourceOf(place, maps) ?? `${PLACE}${place}`);
    return [before, ...explained].join('');
  } catch {
    // An installation that is broken must still be able to say so.
    return text;
  }
}

type Maps = (name: string) => SourceMap | undefined;

function mapsIn(dist: string): Maps {
  const opened = new Map<string, SourceMap | undefined>();
  const payloads = payloadsIn(dist);
  return (name) => {
    if (!opened.has(name)) {
      const payload = payloads.get(name);
      opened.set(name, payload && new SourceMapOf(payload));
    }
    return opened.get(name);
  };
}

function payloadsIn(dist: string): ReadonlyMap<string, SourceMapPayload> {
  return new Map(Object.entries(JSON.parse(readFileSync(join(dist, MAPS), 'utf8'))));
}

/** `core.js:1:2345) ...` as `src/cli/run.ts:21:3) ...`. */
function sourceOf(place: string, maps: Maps): string | undefined {
  const [whole = '', name = '', line, column] = /^([\w-]+\.js):(\d+):(\d+)/.exec(place) ?? [];
  const entry = maps(name)?.findEntry(Number(line) - 1, Number(column) - 1);
  // Nothing is known of what the bundler added.
  if (entry === undefined || !('originalSource' in entry) || !entry.originalSource) return undefined;
  const { originalSource, originalLine, originalColumn } = entry;
  const source = originalSource.replace(/^(\.\.\/)+/, '');
  return `${source}:${originalLine + 1}:${originalColumn + 1}${place.slice(whole.length)}`;
}
