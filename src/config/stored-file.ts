import { chmodSync, lstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import * as v from 'valibot';
import { CliError, codeOf } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { reasonOf } from '../fs/read.ts';
import { shellLine } from '../out/text.ts';

const LARGEST = 4 * 1024 * 1024;

/**
 * The checked content of one of our JSON files, or of an empty one where there is none.
 *
 * @throws {CliError} exit 2 naming the path when it cannot be read, is corrupt, or was written by a newer innctl.
 *   Nothing of the content is quoted: it may hold secrets.
 */
export function readStored<T>(path: string, schema: v.GenericSchema<unknown, T>): T {
  const text = readText(path);
  const value = text === undefined ? {} : parseJson(path, text);
  refuseNewer(path, value);
  const { success, output, issues } = v.safeParse(schema, value);
  if (success) return output;
  const [issue] = issues;
  // The one custom check asks for an object; valibot does not name what it expected there.
  const expected = issue.type === 'custom' ? 'Object' : (issue.expected ?? 'something else');
  throw corrupt(path, `${v.getDotPath(issue) ?? 'the document'} must be ${expected}`);
}

/**
 * Takes the rights of others to a file with secrets away. One that is reached through a link was set up on purpose, and
 * stays; so does one that the system does not let us change.
 *
 * @returns what is to be told of it; `undefined` where it was closed. Modes mean nothing on Windows.
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

/** `undefined` also where the system refuses: reading the file then reports it. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** The mode of a file as chmod takes it. */
export function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}

/** @throws {CliError} exit 2 when a file with secrets has another name as well, which this one's folder does not protect. */
export function refuseHardLink(path: string): void {
  const found = statsOf(path);
  if (found?.isFile() !== true || found.nlink <= 1) return;
  throw new CliError('hard_link', `${path} has another name as well (a hard link), and is not used.`, {
    exitCode: ExitCode.usage,
    hint: `Make it a file of its own: ${shellLine(['cp', '-p', path, `${path}.own`])} && ${shellLine(['mv', `${path}.own`, path])}`,
  });
}

function readText(path: string): string | undefined {
  const bytes = readBytes(path);
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw corrupt(path, 'it is not UTF-8 text', cause);
  }
}

function readBytes(path: string): Uint8Array | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return refuseDangling(path);
    if (!found.isFile()) throw corrupt(path, 'it is not a file');
    if (found.size > LARGEST) throw corrupt(path, `it is larger than ${LARGEST / 1024 / 1024} MiB`);
    return readFileSync(path);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    // HOME=/dev/null is how daemons say that they have none: nothing can be there.
    if (codeOf(cause) === 'ENOTDIR') return undefined;
    throw new CliError('unreadable_config', `Could not read ${path}: ${reasonOf(cause)}.`, {
      cause,
      exitCode: ExitCode.usage,
    });
  }
}

/** There are settings meant; to continue without them could be to continue without their guards. */
function refuseDangling(path: string): undefined {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  throw corrupt(path, 'it is a symbolic link that leads nowhere');
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const position = /at position (\d+)/.exec(cause instanceof Error ? cause.message : '')?.[1];
    const line =
      position === undefined ? '' : ` (line ${text.slice(0, Number(position)).split('\n').length})`;
    // The parser's own words quote the text, so they are not passed on as the cause.
    throw corrupt(path, `it is not valid JSON${line}`);
  }
}

function refuseNewer(path: string, value: unknown): void {
  const version = typeof value === 'object' && value !== null && 'version' in value ? value.version : 1;
  if (typeof version !== 'number' || version <= 1) return;
  throw new CliError(
    'newer_config',
    `${path} was written by a newer innctl (version ${version} of the file).`,
    {
      exitCode: ExitCode.usage,
      hint: 'Use that innctl, or point INNCTL_CONFIG_DIR to another folder.',
    },
  );
}

function corrupt(path: string, reason: string, cause?: unknown): CliError {
  return new CliError('corrupt_config', `${path} cannot be used: ${reason}.`, {
    cause,
    exitCode: ExitCode.usage,
    hint: `Correct the file, or move it away: ${shellLine(['mv', path, `${path}.broken`])}`,
  });
}
