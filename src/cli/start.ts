import { lstatSync, statSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { inspect } from 'node:util';
import { version } from '../../package.json';
import { isStandalone, placesOf, readOwnFile } from '../config/places.ts';
import { makePrivateFolder } from '../fs/replace.ts';

/**
 * Entry point of the build. Answers --version, and a shell that completes a command line, without loading the program; otherwise loads and runs it.
 *
 * @param dist the folder of the built files; the standalone executable needs none.
 */
export function start(dist: string, outside: NodeJS.Process): void {
  const [, , first, ...words] = outside.argv;
  if (first === '__complete') return void completeLine(words, dist, outside);
  const isVersion = (first === '--version' || first === '-V') && words.length === 0;
  // The program makes other formats, and reports what it cannot write.
  if (isVersion && !outside.env['INNCTL_OUTPUT'] && writeNow(Buffer.from(`${version}\n`)) > 0) return;
  reportUncaught(outside);
  enableCompileCache(outside);
  // Exit explicitly: otherwise Node spends time on teardown.
  void import('./main.ts').then(({ main }) => main()).then(() => outside.exit());
}

/** A stream writes what the system does not take at once. */
async function completeLine(words: readonly string[], dist: string, outside: NodeJS.Process): Promise<void> {
  const { answerCompletion } = await import('../reference/complete-door.ts');
  const answer = answerCompletion(words, () => readOwnFile(join(dist, TREE)).toString('utf8'), outside);
  const bytes = Buffer.from(answer);
  const done = writeNow(bytes);
  if (done === bytes.length) return;
  outside.stdout.on('error', () => {});
  outside.stdout.write(bytes.subarray(done));
}

/** Writes to stdout without opening a stream, which takes a fifth of the start-up time. @returns how many bytes the system took. */
function writeNow(bytes: Buffer): number {
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(1, bytes, done);
  } catch {
    // The caller knows what is left.
  }
  return done;
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

/**
 * Lets Node keep the compiled program between runs, where it can (Node 22.8 and newer). Write access to the folder is enough to make
 * innctl run other code, so the folder must belong to this user and be closed to others. Failures are ignored: they only cost time.
 */
function enableCompileCache(outside: NodeJS.Process): void {
  // Node 20 cannot, and would take a millisecond to load the module. The standalone executable loads no files.
  if (Number.parseInt(outside.versions.node, 10) < 22 || isStandalone()) return;
  try {
    const { env, platform } = outside;
    const { cache: own } = placesOf({ env, platform, home: homedir() });
    if (own === undefined || !isAbsolute(own)) return;
    // Others could replace a folder in it.
    if (((statSync(dirname(own), { throwIfNoEntry: false })?.mode ?? 0) & 0o002) !== 0) return;
    const folder = join(own, 'code');
    makePrivateFolder(folder);
    if ([own, folder].every((each) => isOurs(each, outside))) {
      // The types are those of Node 20.
      const modules = outside.getBuiltinModule('node:module') as {
        enableCompileCache?: (folder: string) => unknown;
      };
      modules.enableCompileCache?.(folder);
    }
  } catch {
    // As without a cache.
  }
}

/** Whether it is a folder of this user that others cannot write to. */
function isOurs(folder: string, { platform, geteuid }: NodeJS.Process): boolean {
  const found = lstatSync(folder);
  if (!found.isDirectory()) return false;
  return platform === 'win32' || (found.uid === geteuid?.() && (found.mode & 0o022) === 0);
}
