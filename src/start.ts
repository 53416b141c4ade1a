import { fstatSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pageText } from './commands/help/page-text.ts';
import { codeOf } from './error-code.ts';
import { type Answer, answerTo } from './start/answers.ts';
import { cachedDataName, openChunks } from './start/chunks.ts';

export { cachedDataName, cachedDataOf, openChunks } from './start/chunks.ts';

/** Where dist/ has what; names of files in it. */
const ANSWERS = 'answers.json';

/**
 * What stands before the program: texts that were made with it are printed without it, for all else it is loaded and run.
 *
 * @param dist the folder of the built files.
 * @param outside the process.
 */
export function start(dist: string, outside: NodeJS.Process): void {
  if (isAnswered(dist, outside)) return;
  const { arch, versions } = outside;
  const chunks = openChunks(dist, join(dist, cachedDataName(versions.v8, arch)), outside.getBuiltinModule);
  void (chunks.load('main.js') as typeof import('./main.ts')).main();
}

/** Whatever keeps a text from being printed, the program finds again, and says it. */
function isAnswered(dist: string, outside: NodeJS.Process): boolean {
  const { argv, env } = outside;
  // Another form than the plain one is made by the program.
  if (env['INNCTL_OUTPUT']) return false;
  try {
    const answer = answerTo(argv.slice(2), JSON.parse(readFileSync(join(dist, ANSWERS), 'utf8')));
    if (answer === undefined || !isWritten(textOf(answer, dist, outside), outside)) return false;
    if ('place' in answer) writeSync(2, `${answer.place}\n`);
    return true;
  } catch {
    return false;
  }
}

function textOf(answer: Answer, dist: string, outside: NodeJS.Process): string {
  if ('text' in answer) return answer.text;
  if ('file' in answer) return readFileSync(join(dist, '../completions', answer.file), 'utf8');
  return pageText(JSON.parse(answer.page), isTerminalMaybe() ? outside.stdout.columns || 80 : 80);
}

/** Nobody looks at the null device. */
function isTerminalMaybe(): boolean {
  const { rdev } = fstatSync(1);
  return rdev !== 0 && rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}

/** Not by the stream: opening it costs a fifth of a start, as does every mention of it. */
function isWritten(text: string, outside: NodeJS.Process): boolean {
  const bytes = Buffer.from(text);
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(1, bytes, done);
  } catch (cause) {
    if (codeOf(cause) !== 'EAGAIN') return false;
    outside.stdout.write(bytes.subarray(done));
  }
  return true;
}
