import { isUtf8 } from 'node:buffer';
import { chmodSync, lstatSync, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import * as v from 'valibot';
import { reasonOf, writeReasonOf } from '../fs/read.ts';
import { closeToOthers, makePrivateFolder, quietly, refuseLink, sweepDrafts } from '../fs/replace.ts';
import { CliError, codeOf, ExitCode } from '../model/errors.ts';
import { isRecord } from '../model/records.ts';
import { shellLine } from '../print/text.ts';

/**
 * Reads and checks one of our JSON files; a missing one counts as empty.
 *
 * @throws {CliError} exit 2 naming the path when it cannot be read, is corrupt, or was written by a newer innctl.
 *   The content, which may have secrets, is never quoted.
 */
export function readStored<T>(path: string, schema: v.GenericSchema<unknown, T>): T {
  const text = readText(path);
  const value = text === undefined ? {} : parseJson(path, text);
  refuseNewer(path, value);
  const { success, output, issues } = v.safeParse(schema, value);
  if (success) return output;
  const [issue] = issues;
  if (issue.type === 'strict_object' && issue.expected === 'never')
    throw corrupt(path, `it has the unknown key ${v.getDotPath(issue)}`);
  // The one custom check expects an object, which valibot does not name.
  const expected = issue.type === 'custom' ? 'Object' : (issue.expected ?? 'something else');
  throw corrupt(path, `${v.getDotPath(issue) ?? 'the document'} must be ${expected}`);
}

/**
 * Removes the rights of other users to a file with secrets, except through a symbolic link, which was set up on purpose.
 *
 * @returns a warning; `undefined` if the file was closed already, and on Windows, which has no modes.
 */
export function closeSecrets(path: string, platform: NodeJS.Platform): string | undefined {
  const found = platform === 'win32' ? undefined : statsOf(path);
  if (found?.isFile() !== true || (found.mode & 0o077) === 0) return undefined;
  const open = `${path} was open to others (mode ${octal(found.mode)})`;
  try {
    if (lstatSync(path).isSymbolicLink()) throw new Error('it is a symbolic link');
    chmodSync(path, found.mode & 0o700);
    return `${open}, and is closed to them now. They may have read it: to be safe, log in again.`;
  } catch (cause) {
    return `${open}, and still is: ${reasonOf(cause)}. Close it: ${shellLine(['chmod', 'go-rwx', path])}`;
  }
}

/** `undefined` also after an error, which reading the file reports. */
function statsOf(path: string): Stats | undefined {
  return quietly(() => statSync(path, { throwIfNoEntry: false }));
}

/** The mode of a file for chmod. */
export function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}

/** @throws {CliError} exit 2 when a file with secrets has a second name, which may be in an unprotected folder. */
export function refuseHardLink(path: string): void {
  const found = statsOf(path);
  if (found?.isFile() !== true || found.nlink <= 1) return;
  throw new CliError('hard_link', `${path} has another name as well (a hard link), and is not used.`, {
    exitCode: ExitCode.usage,
    hint: `Make it a file of its own: ${shellLine(['cp', '-p', path, `${path}.own`])} && ${shellLine(['mv', `${path}.own`, path])}`,
  });
}

function readText(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    // A dangling link must not count as missing: continuing without settings means continuing without guards.
    if (found === undefined && lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    if (found === undefined) throw corrupt(path, 'it is a broken symbolic link');
    if (!found.isFile()) throw corrupt(path, 'it is not a file');
    const bytes = readFileSync(path);
    if (!isUtf8(bytes)) throw corrupt(path, 'it is not UTF-8 text');
    return new TextDecoder().decode(bytes);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    // Daemons have HOME=/dev/null, which cannot contain a file.
    if (codeOf(cause) === 'ENOTDIR') return undefined;
    throw new CliError('unreadable_config', `Could not read ${path}: ${reasonOf(cause)}.`, {
      cause,
      exitCode: ExitCode.usage,
    });
  }
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text, so it is not passed on as the cause.
    throw corrupt(path, 'it is not valid JSON');
  }
}

function refuseNewer(path: string, value: unknown): void {
  const version = isRecord(value) ? value['version'] : undefined;
  if (typeof version !== 'number' || version <= 1) return;
  const sentence = `${path} was written by a newer innctl (version ${version} of the file).`;
  const hint = 'Use that innctl, or point INNCTL_CONFIG_DIR to another folder.';
  throw new CliError('newer_config', sentence, { exitCode: ExitCode.usage, hint });
}

function corrupt(path: string, reason: string): CliError {
  return new CliError('corrupt_config', `${path} cannot be used: ${reason}.`, {
    exitCode: ExitCode.usage,
    hint: `Correct the file, or move it away: ${shellLine(['mv', path, `${path}.broken`])}`,
  });
}

/**
 * Reads, changes and writes one of our files under its lock.
 *
 * @param path of a `.json` file.
 * @param write replaces the file atomically, with mode 0600.
 * @throws {CliError} `config_not_written` when it cannot be written; the old file stays.
 */
export async function rewrite<T extends object>(
  path: string,
  read: () => T,
  change: (before: T) => T,
  write: (after: T) => void,
  signal: AbortSignal,
): Promise<void> {
  const update = () => {
    // Under the lock, all drafts are from killed writers; they may contain secrets.
    sweepDrafts(path, 0);
    const before = read();
    const after = change(before);
    if (after === before) return;
    refuseLink(path);
    write(after);
  };
  try {
    const { withLock } = await import('../fs/lock.ts');
    prepareFolder(dirname(path));
    await withLock(path, update, { signal });
  } catch (cause) {
    throw writingFailed(path, cause);
  }
}

/** Turns a system error into a `config_not_written`; returns any other cause unchanged. */
export function writingFailed(path: string, cause: unknown): unknown {
  if (codeOf(cause) === undefined || cause instanceof CliError) return cause;
  return new CliError('config_not_written', `Could not write ${path}: ${writeReasonOf(cause)}.`, {
    cause,
    hint: 'Set INNCTL_CONFIG_DIR to a writable folder.',
  });
}

/**
 * Creates the folder if needed, and closes it to other users.
 * A folder that contains files of others keeps its mode.
 *
 * @throws {CliError} `symlink` when it is a symbolic link; the system's error.
 */
export function prepareFolder(folder: string): void {
  refuseLink(folder);
  if (!makePrivateFolder(folder) && isOurs(folder)) closeToOthers(folder);
}

function isOurs(folder: string): boolean {
  const ours = /^(config|credentials)\.json|^state$/;
  return basename(folder) === 'innctl' || readdirSync(folder).every((name) => ours.test(name));
}
