import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import * as v from 'valibot';
import { CliError, codeOf } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { refuseLink } from '../fs/private-folder.ts';
import { reasonOf } from '../fs/read.ts';
import { memberOf } from '../model/records.ts';
import { shellLine } from '../out/text.ts';
import { applyChange, type Change, emptyTables, type Records, type Tables } from './records.ts';

/** The version of the log's format. */
const VERSION = 1;
const NEWLINE = 0x0a;
/** A larger state is refused. */
const MAX_BYTES = 2 ** 30;
/** Records in a line of a new log, so that no line is too long. */
const CHANGES_PER_LINE = 500;

const headerSchema = v.object({
  version: v.literal(VERSION),
  /** Counts the resets, from 1. */
  generation: v.number(),
  /** Name of the seed that the state grew from. */
  seed: v.string(),
  /** Signs the sandbox's tokens; survives a reset, so that tokens do. */
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
export type Header = Readonly<v.InferOutput<typeof headerSchema>>;

/** What is stored at one moment. */
export interface Contents {
  readonly header: Header;
  readonly records: Records;
}

/** The log of one folder and what it adds up to: a header line, then lines of changes. All methods are synchronous. */
export type Log = ReturnType<typeof openLog>;

interface State extends Contents {
  readonly file: number;
  readonly inode: number;
  readonly records: Tables;
  /** Where the last whole line ends. What follows is torn, or still being written. */
  end: number;
}

/** Opens a log that exists. @throws {CliError} when it is corrupt, newer or a symbolic link. */
export function openLog(path: string) {
  let state = load(path);
  let isClosed = false;
  const reload = () => {
    const fresh = load(path);
    closeSync(state.file);
    state = fresh;
  };
  return {
    /** Reads what other processes appended to the log, or the log that they put in its place. */
    catchUp(): Contents {
      // The system gives the number of a closed file to the next one that is opened.
      if (isClosed) throw new CliError('sandbox_closed', `The sandbox's state ${path} was closed.`);
      const found = statSync(path, { throwIfNoEntry: false });
      if (found === undefined) {
        throw new CliError('sandbox_gone', `The sandbox's state ${path} was removed while it was in use.`, {
          hint: 'Start the sandbox again: innctl sandbox serve',
        });
      }
      if (found.ino !== state.inode || found.size < state.end) reload();
      else readOn(state, linesFrom(state.file, state.end, path), path);
      return state;
    },
    /** Applies a change to memory alone; `append` stores it. */
    apply: (change: Change): void => applyChange(state.records, change),
    /**
     * Writes changes that were applied since `catchUp`, as one line. The lock must be held.
     * When this fails, the file is as before and memory is read from it again.
     */
    append(changes: readonly Change[]): void {
      const line = Buffer.from(`${JSON.stringify(changes)}\n`);
      try {
        ftruncateSync(state.file, state.end);
        for (let done = 0; done < line.length; ) {
          done += writeSync(state.file, line, done, line.length - done, state.end + done);
        }
        state.end += line.length;
      } catch (error) {
        ftruncateSync(state.file, state.end);
        reload();
        throw error;
      }
    },
    close(): void {
      isClosed = true;
      closeSync(state.file);
    },
  };
}

/** The text of a new log. */
export function logText(header: Omit<Header, 'version'>, changes: readonly Change[]): string {
  const lines: unknown[] = [{ version: VERSION, ...header }];
  for (let start = 0; start < changes.length; start += CHANGES_PER_LINE) {
    lines.push(changes.slice(start, start + CHANGES_PER_LINE));
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function load(path: string): State {
  const file = openState(path);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw corrupt(path, 'it is not a regular file');
    const [first = new Uint8Array(), ...lines] = linesFrom(file, 0, path);
    const header = parseHeader(first, path);
    const state: State = { file, inode: found.ino, header, records: emptyTables(), end: first.length + 1 };
    readOn(state, lines, path);
    return state;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** For reading and writing, or for reading on a read-only file system. Follows no link, and does not wait at a pipe. */
function openState(path: string): number {
  const flags = constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    return openSync(path, constants.O_RDWR | flags);
  } catch (cause) {
    if (codeOf(cause) === 'EROFS') return openSync(path, constants.O_RDONLY | flags);
    if (codeOf(cause) === 'ELOOP') refuseLink(path);
    throw cause;
  }
}

/** The whole lines from an offset on, without their newlines. */
function linesFrom(file: number, from: number, path: string): readonly Uint8Array[] {
  const { size } = fstatSync(file);
  if (size > MAX_BYTES) throw corrupt(path, 'it is larger than 1 GiB');
  const buffer = Buffer.allocUnsafe(Math.max(0, size - from));
  const bytes = buffer.subarray(0, readSync(file, buffer, 0, buffer.length, from));
  const lines: Uint8Array[] = [];
  let start = 0;
  for (let stop = bytes.indexOf(NEWLINE); stop !== -1; stop = bytes.indexOf(NEWLINE, start)) {
    lines.push(bytes.subarray(start, stop));
    start = stop + 1;
  }
  return lines;
}

function readOn(state: State, lines: readonly Uint8Array[], path: string): void {
  for (const line of lines) {
    const batch = v.safeParse(batchSchema, parseLine(line, path));
    if (!batch.success) throw corrupt(path, 'a line is not a batch of changes');
    // The shape was just checked; the version guarantees that records fit their collections.
    for (const change of batch.output as readonly Change[]) applyChange(state.records, change);
    state.end += line.length + 1;
  }
}

function parseHeader(line: Uint8Array, path: string): Header {
  const value = parseLine(line, path);
  const version = memberOf(value, 'version');
  if (typeof version === 'number' && version > VERSION) {
    const message = `The sandbox's state ${path} has version ${version}; this innctl reads version ${VERSION}.`;
    throw new CliError('sandbox_newer', message, {
      exitCode: ExitCode.usage,
      hint: `Update innctl, or move the file away: ${shellLine(['mv', path, `${path}.newer`])}`,
    });
  }
  const header = v.safeParse(headerSchema, value);
  if (!header.success) throw corrupt(path, 'its first line is not a header');
  return header.output;
}

function parseLine(line: Uint8Array, path: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
  } catch (cause) {
    throw corrupt(path, 'a line is not JSON', cause);
  }
}

/** The file is broken, or not a state. Exit 2; it stays as it is until a reset. */
function corrupt(path: string, why: string, cause?: unknown): CliError {
  return new CliError('sandbox_corrupt', `The sandbox's state ${path} cannot be read: ${why}.`, {
    exitCode: ExitCode.usage,
    hint: `Move it away: ${shellLine(['mv', path, `${path}.broken`])}`,
    cause,
  });
}

/** The system's codes for a path of another user, or one that is not a file. */
const notOurs = /^E(?:ACCES|PERM|EXIST|ISDIR|LOOP|NOTDIR|NXIO)$/;
const noRoom = /^E(?:NOSPC|DQUOT|FBIG)$/;

/** An error of the operating system as an expected failure; other errors as they are. */
export function stateError(path: string, error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error;
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
