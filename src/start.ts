import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../package.json';
import { type Shell, shells } from './checks/shells.ts';
import { placeOf } from './commands/completion/place.ts';
import type { ExplainStack } from './context.ts';
import { completionFiles } from './reference/completions/files.ts';
import { cachedDataName } from './start/cached-data.ts';
import { openChunks } from './start/chunks.ts';
import { explainStack } from './start/explain-stack.ts';
import { mayAskForPage, pageFor } from './start/pages.ts';
import { columnsOf, print } from './start/print.ts';
import { tellUncaught } from './start/uncaught.ts';

export { cachedDataName, cachedDataOf } from './start/cached-data.ts';
export { openChunks } from './start/chunks.ts';

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
