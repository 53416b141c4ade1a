import {
  closeSync,
  fchmodSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from '../../cli/errors.ts';
import { decodeFile } from '../../fs/decode.ts';
import { preparePrivateFolder } from '../../fs/private-folder.ts';
import { FileProblem, reasonOf, TooLarge, unreadable } from '../../fs/read.ts';

/** A text on the disk that somebody edits. Nobody else may read it. */
export interface TextFile {
  readonly path: string;
  /** @throws {CliError} when it is gone, or no text. */
  read(): string;
  /** Takes it away, for nobody needs it any more; somebody's own file stays. */
  remove(): void;
  /** Whether it holds what is nowhere else; what is there otherwise is taken away, unless it was given. */
  isWorthKeeping(): boolean;
}

interface TextFileOptions {
  /** The folder of the state. */
  readonly state: string;
  /** Beginning of its name. */
  readonly label: string;
  readonly uuid: string;
}

const LARGEST = 16 * 1_048_576;
const LONGEST_LABEL = 60;

/**
 * Writes a text to a new file of its own in `<state>/edits`.
 *
 * @throws {CliError} when the disk does not take it.
 */
export function createTextFile(text: string, { state, label, uuid }: TextFileOptions): TextFile {
  const folder = folderIn(state);
  const path = join(folder, `${safeName(label)}-${uuid}.yaml`);
  try {
    preparePrivateFolder(folder);
    writeNew(path, text);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError('unwritable_file', `Could not write ${path}: ${reasonOf(cause)}.`, { cause });
  }
  const remove = () => rmSync(path, { force: true });
  return {
    path,
    read: () => readText(path),
    remove,
    isWorthKeeping() {
      const isNew = isFile(path) && !holds(path, text);
      if (!isNew) removeAny(path);
      return isNew;
    },
  };
}

/**
 * Opens a text that is there already: one of those that were kept in `<state>/edits`, or somebody's own.
 *
 * @throws {CliError} exit 2 when it is no text file.
 */
export function openTextFile(given: string, state: string): TextFile {
  const path = realPath(given);
  readText(path);
  return {
    path,
    read: () => readText(path),
    remove() {
      if (isKept(path, state)) rmSync(path, { force: true });
    },
    isWorthKeeping: () => isFile(path),
  };
}

/** The folder may itself be below a link. */
function isKept(path: string, state: string): boolean {
  const folder = folderIn(state);
  return isFolder(folder) && dirname(path) === realpathSync(folder);
}

function folderIn(state: string): string {
  return join(state, 'edits');
}

/** A disk that takes only the beginning leaves nothing behind. */
function writeNew(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    fchmodSync(file, 0o600);
    writeFileSync(file, text);
  } catch (cause) {
    rmSync(path, { force: true });
    throw cause;
  } finally {
    closeSync(file);
  }
}

/** Letters, digits and dashes: whatever an id holds, the name stays one of this folder. */
function safeName(label: string): string {
  return label.replaceAll(/[^A-Za-z\d-]+/g, '_').slice(0, LONGEST_LABEL);
}

function realPath(given: string): string {
  try {
    return realpathSync(given);
  } catch (cause) {
    throw unreadable(given, cause);
  }
}

function readText(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    throw new CliError('no_text', `The editor left no file at ${path}; nothing was sent.`);
  }
  if (!found.isFile()) throw new FileProblem(path, 'is not a file');
  if (found.size > LARGEST) throw new TooLarge(path, LARGEST);
  return decodeFile(bytesOf(path), path);
}

function bytesOf(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** What cannot be read is kept: it is not for us to judge. */
function holds(path: string, text: string): boolean {
  try {
    return readText(path) === text;
  } catch {
    return false;
  }
}

/** Takes away whatever has the name, but for a folder with something in it. What cannot be taken away stays: another error is at hand. */
function removeAny(path: string): void {
  try {
    if (isFolder(path)) rmdirSync(path);
    else rmSync(path, { force: true });
  } catch {}
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
