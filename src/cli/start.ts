import { fstatSync, readFileSync, statSync, writeSync } from 'node:fs';
import { type SourceMap, SourceMap as SourceMapOf, type SourceMapPayload } from 'node:module';
import { join, sep } from 'node:path';
import { inspect } from 'node:util';
import { version } from '../../package.json';
import { placeOf } from '../commands/completion/place.ts';
import { completionFiles, type Shell, shells } from '../reference/stubs.ts';
import { cachedDataName, openChunks, PLACE } from './cached-code.ts';
import { codeOf } from './errors.ts';
import { mayAskForPage, pageFor, treeIn } from './pages.ts';
import type { ExplainStack } from './ports.ts';

export { cachedDataName, cachedDataOf, openChunks } from './cached-code.ts';

/**
 * Entry point of the build. Prints prebuilt texts (help, version, completions) without loading the program; otherwise
 * loads and runs it.
 *
 * @param dist the folder of the built files.
 * @param builtin loads a module of Node: `require`, because not every supported Node has `process.getBuiltinModule`.
 */
export function start(dist: string, outside: NodeJS.Process, builtin: (id: string) => unknown): void {
  const [, , first, ...words] = outside.argv;
  if (first === '__complete') return void completeLine(words, dist, outside);
  if (isAnswered(dist, outside)) return;
  const chunks = openChunks(dist, join(dist, cachedDataName(outside)), builtin);
  const explain: ExplainStack = (text) => explainStack(text, dist);
  reportUncaught(explain, outside);
  const { main } = chunks.load('core.js') as typeof import('./main.ts');
  // Exit explicitly: otherwise Node spends time on teardown.
  void main(explain).then(() => outside.exit());
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

/**
 * Reports an uncaught error and ends the process. Node would print the whole line that threw it, which is huge in a
 * built file.
 */
function reportUncaught(explainStack: ExplainStack, outside: NodeJS.Process): void {
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

/** The file in dist/ with the source maps of all other files. */
const MAPS = 'maps.json';

/**
 * Replaces positions in built files in a stack trace by positions in the sources.
 *
 * @param dist the folder of the built files.
 * @returns the text itself without source maps.
 */
function explainStack(text: string, dist: string): string {
  const [before = '', ...places] = text.replaceAll(join(dist, sep), PLACE).split(PLACE);
  if (places.length === 0) return text;
  try {
    const maps = mapsIn(dist);
    const explained = places.map((place) => sourceOf(place, maps) ?? `${PLACE}${place}`);
    return [before, ...explained].join('');
  } catch {
    // A broken installation must still report its errors.
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

/** Maps `core.js:1:2345) ...` to `src/cli/run.ts:21:3) ...`. */
function sourceOf(place: string, maps: Maps): string | undefined {
  const [whole = '', name = '', line, column] = /^([\w-]+\.js):(\d+):(\d+)/.exec(place) ?? [];
  const entry = maps(name)?.findEntry(Number(line) - 1, Number(column) - 1);
  // Code added by the bundler has no source.
  if (entry === undefined || !('originalSource' in entry) || !entry.originalSource) return undefined;
  const { originalSource, originalLine, originalColumn } = entry;
  const source = originalSource.replace(/^(\.\.\/)+/, '');
  return `${source}:${originalLine + 1}:${originalColumn + 1}${place.slice(whole.length)}`;
}
