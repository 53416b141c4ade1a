import { chmodSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../../errors.ts';
import { decodeFile } from '../../files/decode.ts';
import { FileProblem } from '../../files/file-problem.ts';
import { makeFolder } from '../../files/folder.ts';
import { refuseLink } from '../../files/link.ts';
import { tooLarge } from '../../files/read.ts';
import { reasonOf } from '../../files/reason.ts';

/** A text on the disk that somebody edits. Nobody else may read it. */
export interface TextFile {
  readonly path: string;
  /** @throws {CliError} when it is gone, or no text. */
  read(): string;
  remove(): void;
  /** Whether it holds what was not there at first; otherwise it is removed. */
  isWorthKeeping(): boolean;
}

interface TextFileOptions {
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
  const folder = join(state, 'edits');
  const path = join(folder, `${safeName(label)}-${uuid}.yaml`);
  refuseLink(folder);
  try {
    makeFolder(folder, 0o700);
    chmodSync(folder, 0o700);
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    throw new CliError('unwritable_file', `Could not write ${path}: ${reasonOf(cause)}.`, { cause });
  }
  const remove = () => rmSync(path, { force: true });
  return {
    path,
    read: () => readText(path),
    remove,
    isWorthKeeping() {
      const isSame = lstatSync(path, { throwIfNoEntry: false }) === undefined || holds(path, text);
      if (isSame) remove();
      return !isSame;
    },
  };
}

/** Letters, digits and dashes: whatever an id holds, the name stays one of this folder. */
function safeName(label: string): string {
  return label.replaceAll(/[^A-Za-z\d-]+/g, '_').slice(0, LONGEST_LABEL);
}

function readText(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    throw new CliError('no_text', `The editor left no file at ${path}; nothing was sent.`);
  }
  if (!found.isFile()) throw new FileProblem(path, 'is not a file any more');
  if (found.size > LARGEST) throw tooLarge(path, LARGEST);
  return decodeFile(readFileSync(path), path);
}

/** What cannot be read is kept: it is not for us to judge. */
function holds(path: string, text: string): boolean {
  try {
    return readText(path) === text;
  } catch {
    return false;
  }
}
