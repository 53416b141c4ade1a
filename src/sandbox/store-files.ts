import { constants, openSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { CliError, codeOf } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { refuseLink } from '../fs/private-folder.ts';
import { reasonOf } from '../fs/read.ts';
import { shellLine } from '../out/text.ts';
import type { Change } from './records.ts';

/** The version of the log's format. */
export const VERSION = 1;

const headerSchema = v.object({
  version: v.literal(VERSION),
  generation: v.number(),
  seed: v.string(),
  secret: v.string(),
});

const collection = v.picklist(['properties', 'unit_groups', 'users', 'invitations', 'replies']);
const record = v.custom<object>((value) => typeof value === 'object' && value !== null);
const batchSchema = v.array(
  v.union([
    v.object({ put: v.tuple([collection, v.string(), record]) }),
    v.object({ delete: v.tuple([collection, v.string()]) }),
  ]),
);

/** The first line of the log. */
export interface Header {
  readonly version: 1;
  /** Counts the resets, from 1. */
  readonly generation: number;
  /** Name of the seed that the state grew from. */
  readonly seed: string;
  /** Signs the sandbox's tokens; survives a reset, so that tokens do. */
  readonly secret: string;
}

/** @throws {CliError} naming the path when the line is not a header, or one of a newer version. */
export function parseHeader(line: Uint8Array, path: string): Header {
  const value = parseLine(line, path);
  const { version } = v.parse(v.fallback(v.object({ version: v.number() }), { version: 0 }), value);
  if (version > VERSION) throw newer(path, version);
  const header = v.safeParse(headerSchema, value);
  if (!header.success) throw corrupt(path, 'its first line is not a header');
  return header.output;
}

/** @throws {CliError} naming the path when the line is not a batch of changes. */
export function parseBatch(line: Uint8Array, path: string): readonly Change[] {
  const batch = v.safeParse(batchSchema, parseLine(line, path));
  if (!batch.success) throw corrupt(path, 'a line is not a batch of changes');
  // The shape was just checked; the version guarantees that records fit their collections.
  return batch.output as readonly Change[];
}

function parseLine(line: Uint8Array, path: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
  } catch (cause) {
    throw corrupt(path, 'a line is not JSON', cause);
  }
}

/** The file is broken, or not a state. Exit 2; it stays as it is until a reset. */
export function corrupt(path: string, why: string, cause?: unknown): CliError {
  return new CliError('sandbox_corrupt', `The sandbox's state ${path} cannot be read: ${why}.`, {
    exitCode: ExitCode.usage,
    hint: `Move it away: ${shellLine(['mv', path, `${path}.broken`])}`,
    cause,
  });
}

function newer(path: string, version: number): CliError {
  const message = `The sandbox's state ${path} has version ${version}; this innctl reads version ${VERSION}.`;
  return new CliError('sandbox_newer', message, {
    exitCode: ExitCode.usage,
    hint: `Update innctl, or move the file away: ${shellLine(['mv', path, `${path}.newer`])}`,
  });
}

/** The path of the log. */
export function statePath(folder: string): string {
  return join(folder, 'state.ndjson');
}

/**
 * Opens the log for reading and writing, or for reading on a read-only file system.
 *
 * @throws {CliError} when it is a symbolic link; the system's errors.
 */
export function openState(path: string): number {
  try {
    return openNode(path, constants.O_RDWR);
  } catch (cause) {
    if (codeOf(cause) === 'EROFS') return openNode(path, constants.O_RDONLY);
    if (codeOf(cause) === 'ELOOP') refuseLink(path);
    throw cause;
  }
}

/** Follows no link, and does not wait for a writer to a pipe. */
function openNode(path: string, access: number): number {
  return openSync(path, access | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}

/** Narrows to an error of the operating system. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** The system's codes for a path of another user, or one that is not a file. */
const notOurs = /^E(?:ACCES|PERM|EXIST|ISDIR|LOOP|NOTDIR|NXIO)$/;
const noRoom = /^E(?:NOSPC|DQUOT|FBIG)$/;

/** An error of the operating system as an expected failure; other errors as they are. */
export function troubleWith(folder: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  const path = statePath(folder);
  const code = codeOf(error) ?? '';
  if (noRoom.test(code)) {
    return new CliError('sandbox_full', `There is no room to write the sandbox's state ${path}: ${code}.`, {
      hint: 'Make room on the disk, or empty the sandbox: innctl sandbox reset',
      cause: error,
    });
  }
  const kind = code === 'EROFS' ? 'sandbox_read_only' : 'sandbox_unusable';
  return new CliError(kind, `Could not use the sandbox's state ${path}: ${reasonOf(error)}.`, {
    exitCode: notOurs.test(code) ? ExitCode.usage : ExitCode.failed,
    hint: 'Set INNCTL_CONFIG_DIR to a writable folder.',
    cause: error,
  });
}
