import { lstatSync, readFileSync, realpathSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError, codeOf } from '../../cli/errors.ts';
import { decodeFile } from '../../fs/decode.ts';
import { isFolder } from '../../fs/lock.ts';
import { preparePrivateFolder } from '../../fs/private-folder.ts';
import { FileProblem, TooLarge, unreadable, writeReasonOf } from '../../fs/read.ts';
import { quietly } from '../../fs/replace.ts';

/** A text on the disk that is open in an editor. */
export interface TextFile {
  readonly path: string;
  /** The text written to it; `undefined` if the file existed already. */
  readonly written: string | undefined;
  /** Whether it is in innctl's folder and may be removed. */
  readonly isOurs: boolean;
}

const LARGEST = 16 * 1_048_576;
const LONGEST_LABEL = 60;

/**
 * Writes a text to a new file in `<state>/edits`, readable only by its owner.
 *
 * @param state the state folder.
 * @param label prefix of its name.
 * @throws {CliError} `unwritable_file` when that fails.
 */
export function createTextFile(text: string, state: string, label: string, uuid: string): TextFile {
  const folder = join(state, 'edits');
  // The name must stay inside this folder for any id.
  const name = label.replaceAll(/[^A-Za-z\d-]+/g, '_').slice(0, LONGEST_LABEL);
  const path = join(folder, `${name}-${uuid}.yaml`);
  try {
    preparePrivateFolder(folder);
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    // A full disk leaves a truncated file.
    if (codeOf(cause) !== 'EEXIST') quietly(() => rmSync(path, { force: true }));
    throw new CliError('unwritable_file', `Could not write ${path}: ${writeReasonOf(cause)}.`, { cause });
  }
  return { path, written: text, isOurs: true };
}

/**
 * Opens an existing text: one kept in `<state>/edits`, or a file of the user.
 *
 * @throws {CliError} exit 2 when it is not a text file.
 */
export function openTextFile(given: string, state: string): TextFile {
  const path = readingFrom(given, () => realpathSync(given));
  readTextFile(path);
  const folder = join(state, 'edits');
  // The folder may itself be reached through a link.
  return { path, written: undefined, isOurs: isFolder(folder) && dirname(path) === realpathSync(folder) };
}

/** @throws {CliError} when it is gone, or no text. */
export function readTextFile(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined)
    throw new CliError('no_text', `The editor left no file at ${path}; nothing was sent.`);
  if (!found.isFile()) throw new FileProblem(path, 'is not a file');
  if (found.size > LARGEST) throw new TooLarge(path, LARGEST);
  const bytes = readingFrom(path, () => readFileSync(path));
  return decodeFile(bytes, path);
}

function readingFrom<Read>(path: string, read: () => Read): Read {
  try {
    return read();
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** Whether a file contains changes stored nowhere else. Otherwise removes it, if it is in innctl's folder. */
export function isWorthKeeping({ path, written }: TextFile): boolean {
  const isFile = lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  const isKept = isFile && (written === undefined || !holds(path, written));
  if (!isKept && written !== undefined)
    quietly(() => (isFolder(path) ? rmdirSync(path) : rmSync(path, { force: true })));
  return isKept;
}

/** A file that cannot be read is kept. */
function holds(path: string, text: string): boolean {
  try {
    return readTextFile(path) === text;
  } catch {
    return false;
  }
}
