import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import * as v from 'valibot';
import { CliError, codeOf } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { reasonOf } from '../fs/read.ts';
import { isRecord } from '../model/records.ts';
import { applyChange, type Change, emptyTables, isChange, type Records, type Tables } from './records.ts';

/** The version of the log's format. */
const VERSION = 2;
const NEWLINE = 0x0a;
/** The header is shorter. */
const LONGEST_HEADER = 4_096;
/** A larger state is refused. */
const MAX_BYTES = 2 ** 30;

/** The first line of the log. */
const headerSchema = v.object({
  version: v.literal(VERSION),
  /** Counts the resets, from 1: no two logs of a folder begin with the same line. */
  generation: v.number(),
  /** Name of the seed that the state grew from. */
  seed: v.string(),
  /** Signs the sandbox's tokens; survives a reset, so that tokens do. */
  secret: v.string(),
});

export type Header = Omit<v.InferOutput<typeof headerSchema>, 'version'>;

/** What is stored at one moment. */
export interface Contents {
  readonly header: Header;
  readonly records: Records;
}

interface State extends Contents {
  /** The first line, with its newline. */
  readonly head: Buffer;
  readonly records: Tables;
  /** Where the last whole line ends. What follows is torn, or still being written. */
  end: number;
}

/** The log of one folder: a header line, then lines of changes. All methods are synchronous. */
export type Log = ReturnType<typeof createLog>;

/** A log that exists, and what it adds up to. */
export function createLog(path: string) {
  let state: State | undefined;
  return {
    /**
     * Reads what other processes appended, or the log that they put in its place.
     *
     * @throws {CliError} `sandbox_...` when it cannot be read.
     */
    read(): Contents {
      return withFile(path, constants.O_RDONLY, (file) => {
        if (!fstatSync(file).isFile()) throw corrupt(path, 'it is not a regular file', 'Move it away.');
        const head = firstLine(file);
        if (state?.head.equals(head) !== true) state = begin(head, path);
        readOn(file, state, path);
        return state;
      });
    },
    /** Applies a change to memory alone; `append` stores it. */
    apply(change: Change): void {
      if (state !== undefined) applyChange(state.records, change);
    },
    /**
     * Writes changes that were applied since `read`, as one line. The lock must be held.
     * When this fails, the file is as before, and memory is read from it again.
     */
    append(changes: readonly Change[]): void {
      const known = state;
      if (known === undefined) throw new Error('The log was not read.');
      state = undefined;
      const line = Buffer.from(`${JSON.stringify(changes)}\n`);
      withFile(path, constants.O_RDWR, (file) => {
        try {
          ftruncateSync(file, known.end);
          for (let done = 0; done < line.length; )
            done += writeSync(file, line, done, line.length - done, known.end + done);
        } catch (error) {
          ftruncateSync(file, known.end);
          throw error;
        }
      });
      known.end += line.length;
      state = known;
    },
  };
}

/** The text of a new log. */
export function logText(header: Header, changes: Iterable<Change>): string {
  const lines = [{ version: VERSION, ...header }, ...Array.from(changes, (change) => [change])];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Opens a file, which must not be a link; does not wait at a pipe. */
function withFile<T>(path: string, flags: number, work: (file: number) => T): T {
  let file: number | undefined;
  try {
    file = openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return work(file);
  } catch (error) {
    throw stateError(path, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The first line with its newline; empty where there is none. */
function firstLine(file: number): Buffer {
  const buffer = Buffer.alloc(LONGEST_HEADER);
  const bytes = buffer.subarray(0, readSync(file, buffer, 0, LONGEST_HEADER, 0));
  return bytes.subarray(0, bytes.indexOf(NEWLINE) + 1);
}

function begin(head: Buffer, path: string): State {
  const header = parsed(head);
  if (v.is(headerSchema, header)) return { head, header, records: emptyTables(), end: head.length };
  const version = isRecord(header) ? header['version'] : undefined;
  throw corrupt(
    path,
    Number.isInteger(version) && version !== VERSION
      ? `another version of innctl wrote it, in format ${version} instead of ${VERSION}`
      : `its first line is not a header of version ${VERSION}`,
  );
}

/** Reads the whole lines from the end of the state on. */
function readOn(file: number, state: State, path: string): void {
  const { size } = fstatSync(file);
  if (size > MAX_BYTES) throw corrupt(path, 'it is larger than 1 GiB');
  const buffer = Buffer.allocUnsafe(Math.max(0, size - state.end));
  const bytes = buffer.subarray(0, readSync(file, buffer, 0, buffer.length, state.end));
  let start = 0;
  for (let stop = bytes.indexOf(NEWLINE); stop !== -1; stop = bytes.indexOf(NEWLINE, start)) {
    const batch = parsed(bytes.subarray(start, stop));
    if (!Array.isArray(batch) || !batch.every(isChange))
      throw corrupt(path, 'a line is not a batch of changes');
    for (const change of batch) applyChange(state.records, change);
    state.end += stop + 1 - start;
    start = stop + 1;
  }
}

/** A line decoded from JSON; `undefined` where it is none. */
function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString());
  } catch {
    return undefined;
  }
}

/** The file is broken, or not a state. Exit 2; it stays as it is until a reset. */
function corrupt(
  path: string,
  why: string,
  hint = 'Replace it by sample data: innctl sandbox reset',
): CliError {
  return new CliError('sandbox_corrupt', `The sandbox's state ${path} cannot be read: ${why}.`, {
    exitCode: ExitCode.usage,
    hint,
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
