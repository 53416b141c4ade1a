import { randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CliError } from '../../errors.ts';
import { makeFolder } from '../../files/folder.ts';
import { reasonOf } from '../../files/reason.ts';

/** A file of an export that is not in its place yet. */
const draft = /^\..{1,45}\.(ya?ml|json|ndjson|csv)\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;
const OLD_MS = 60_000;

/**
 * Makes a folder where there is none, and takes away what killed exports left where there is one.
 *
 * @param isOurs it stands in a folder that was named, and must not lead out of it.
 * @throws {CliError} `symlink`, or `not_written`.
 */
export function openFolder(path: string, isOurs: boolean): void {
  try {
    if (isOurs && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
      throw new CliError('symlink', `${path} is a symbolic link; an export does not write through it.`, {
        hint: 'Remove the link, or name another folder.',
      });
    }
    if (!makeFolder(path, 0o777)) sweep(path);
  } catch (cause) {
    throw cause instanceof CliError ? cause : notWritten(path, cause);
  }
}

/** Why files cannot go into a folder of this name, or `undefined`; nothing is made. */
export function folderProblem(path: string): string | undefined {
  try {
    const whole = resolve(path);
    for (let each = whole; ; each = dirname(each)) {
      const found = statSync(each, { throwIfNoEntry: false });
      if (found?.isDirectory() === true) return undefined;
      if (found !== undefined) return `${each === whole ? 'it' : each} is not a folder`;
      if (dirname(each) === each) return undefined;
    }
  } catch (cause) {
    return reasonOf(cause);
  }
}

/**
 * Puts a file into place in one step; a link of its name is replaced, and not followed.
 *
 * @throws {CliError} `not_written`; what was there stays.
 */
export function replaceFile(path: string, text: string): void {
  const fresh = join(dirname(path), `.${basename(path).slice(0, 50)}.${randomUUID()}.tmp`);
  try {
    writeFileSync(fresh, text, { flag: 'wx' });
    renameSync(fresh, path);
  } catch (cause) {
    rmSync(fresh, { force: true });
    throw notWritten(path, cause);
  }
}

/** What is younger than a minute may be another export's, at work. */
function sweep(folder: string): void {
  for (const name of readdirSync(folder).filter((each) => draft.test(each))) {
    const path = join(folder, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isFile() === true && Date.now() - found.mtimeMs > OLD_MS) rmSync(path, { force: true });
  }
}

/** The disk refuses. */
function notWritten(path: string, cause: unknown): CliError {
  return new CliError('not_written', `Could not write ${path}: ${reasonOf(cause)}.`, { cause });
}
