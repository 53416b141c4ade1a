import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { readOwnFile } from '../fs/standalone.ts';
import { enableCompileCache } from './compile-cache.ts';

/**
 * Entry point of the build. Answers a shell that completes a command line without loading the program; otherwise loads and runs it.
 *
 * @param dist the folder of the built files; the standalone executable needs none.
 */
export function start(dist: string, outside: NodeJS.Process): void {
  const [, , first, ...words] = outside.argv;
  if (first === '__complete') return void completeLine(words, dist, outside);
  reportUncaught(outside);
  enableCompileCache(outside);
  // Exit explicitly: otherwise Node spends time on teardown.
  void import('./main.ts').then(({ main }) => main()).then(() => outside.exit());
}

/** Writes without opening a stream, which takes a fifth of the start-up time; a stream writes what the system does not take at once. */
async function completeLine(words: readonly string[], dist: string, outside: NodeJS.Process): Promise<void> {
  const { answerCompletion } = await import('../reference/complete-door.ts');
  const answer = answerCompletion(words, () => readOwnFile(join(dist, TREE)).toString('utf8'), outside);
  const bytes = Buffer.from(answer);
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(1, bytes, done);
  } catch {
    outside.stdout.on('error', () => {});
    outside.stdout.write(bytes.subarray(done));
  }
}

/** What `completionData` made at the build. */
export const TREE = 'tree.json';

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
