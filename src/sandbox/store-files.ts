import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { CliError, codeOf } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { takeLock } from '../fs/lock.ts';
import { refuseLink } from '../fs/private-folder.ts';
import { reasonOf } from '../fs/read.ts';
import { shellLine } from '../out/text.ts';
import type { Change } from './records.ts';

/** The newest layout of the log that this program can read, and the one that it writes. */
const VERSION = 1;

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

/** A new log's header of the current version. */
export function headerOf(fields: Omit<Header, 'version'>): Header {
  return { version: VERSION, ...fields };
}

/** One value as a line of the log; only a whole line ends in a newline. */
export function lineOf(value: Header | readonly Change[]): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

/** @throws {CliError} naming the path when the line is no header, or one of a newer version. */
export function parseHeader(line: Uint8Array, path: string): Header {
  const value = parseLine(line, path);
  const { version } = v.parse(v.fallback(v.object({ version: v.number() }), { version: 0 }), value);
  if (version > VERSION) throw newer(path, version);
  const header = v.safeParse(headerSchema, value);
  if (!header.success) throw corrupt(path, 'its first line is no header');
  return header.output;
}

/** @throws {CliError} naming the path when the line is no batch of changes. */
export function parseBatch(line: Uint8Array, path: string): readonly Change[] {
  const batch = v.safeParse(batchSchema, parseLine(line, path));
  if (!batch.success) throw corrupt(path, 'a line is no batch of changes');
  // The shape was just checked; that a record fits its collection is warranted by the version, which fixes the writer.
  return batch.output as readonly Change[];
}

function parseLine(line: Uint8Array, path: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
  } catch (cause) {
    throw corrupt(path, 'a line is not JSON', cause);
  }
}

/** The state is not ours, or is broken. Exit 2; it stays as it is until a reset. */
export function corrupt(path: string, why: string, cause?: unknown): CliError {
  return new CliError('sandbox_corrupt', `The sandbox's state ${path} cannot be read: ${why}.`, {
    exitCode: ExitCode.usage,
    hint: `Move it away: ${shellLine(['mv', path, `${path}.broken`])}`,
    cause,
  });
}

function newer(path: string, version: number): CliError {
  return new CliError(
    'sandbox_newer',
    `The sandbox's state ${path} has version ${version}; this innctl reads version ${VERSION}.`,
    {
      exitCode: ExitCode.usage,
      hint: `Update innctl, or move the file away: ${shellLine(['mv', path, `${path}.newer`])}`,
    },
  );
}

const FILE_MODE = 0o600;

/** New logs not yet in place. */
const temporary = /^state\.ndjson\.[0-9a-f-]+\.tmp$/;

/** Where the sandbox keeps its log. */
export function statePath(folder: string): string {
  return join(folder, 'state.ndjson');
}

/**
 * Opens the log for reading and writing, or for reading where the file system takes no writes.
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

/** Puts a new log into place in one step: whoever reads meanwhile sees the old one or the new one. */
export function replaceState(folder: string, lines: Iterable<Uint8Array>): void {
  const path = statePath(folder);
  refuseLink(path);
  const fresh = `${path}.${randomUUID()}.tmp`;
  const file = openSync(fresh, 'wx', FILE_MODE);
  try {
    fchmodSync(file, FILE_MODE);
    for (const line of lines) writeWhole(file, line);
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Neither follows a link nor waits for somebody at the other end of a pipe. */
function openNode(path: string, access: number): number {
  return openSync(path, access | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}

/** Writes all bytes, from the given offset or where the file stands. */
export function writeWhole(file: number, bytes: Uint8Array, offset: number | null = null): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(file, bytes, done, bytes.length - done, offset === null ? null : offset + done);
  }
}

/** What killed processes left behind. */
export function leftovers(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => temporary.test(name))
    .map((name) => join(folder, name));
}

/** Narrows to an error of the operating system. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/**
 * Does the work while no other process may write to the folder's state.
 *
 * @param work synchronous, so that the lock is held for its time only.
 * @throws {CliError} `busy` when others hold the lock for long.
 */
export async function withLock<T>(folder: string, work: () => T): Promise<T> {
  const release = await takeLock(statePath(folder));
  try {
    return work();
  } finally {
    release();
  }
}

/** The system says that it is somebody else's, or that something else is there. */
const notOurs: ReadonlySet<string | undefined> = new Set([
  'EACCES',
  'EPERM',
  'EEXIST',
  'EISDIR',
  'ELOOP',
  'ENOTDIR',
  'ENXIO',
]);
const noRoom: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** What the operating system said about a folder's state, as an expected failure; other errors as they are. */
export function troubleWith(folder: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  const path = statePath(folder);
  const code = codeOf(error);
  if (noRoom.has(code)) {
    return new CliError('sandbox_full', `There is no room to write the sandbox's state ${path}: ${code}.`, {
      hint: 'Make room on the disk, or empty the sandbox: innctl sandbox reset',
      cause: error,
    });
  }
  const kind = code === 'EROFS' ? 'sandbox_read_only' : 'sandbox_unusable';
  return new CliError(kind, `Could not use the sandbox's state ${path}: ${reasonOf(error)}.`, {
    exitCode: notOurs.has(code) ? ExitCode.usage : ExitCode.failed,
    hint: 'Set INNCTL_CONFIG_DIR to a folder that can be written.',
    cause: error,
  });
}
