import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import * as v from 'valibot';
import { CliError, codeOf } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { reasonOf } from '../fs/read.ts';
import { isRecord } from '../model/records.ts';
import type { Answer, Outcome } from './call.ts';
import { applyChange, type Change, emptyTables, isChange, type Records, type Tables } from './records.ts';

/** The version of the log's format. */
const VERSION = 2;
const NEWLINE = 0x0a;
/** The header is shorter. */
const LONGEST_HEADER = 4_096;
/** A larger state is not read. */
const MOST_MIB = 256;

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

/** A log that exists, and what it adds up to: a header line, then lines of changes. */
export type Log = ReturnType<typeof createLog>;

/** The log of one folder. All methods are synchronous, and throw {CliError} `sandbox_...` for what the file does not let. */
export function createLog(path: string) {
  let state: State | undefined;
  /** Reads what was appended since, or the log that another process put in its place. */
  const read = (): State =>
    withFile(path, constants.O_RDONLY, (file) => {
      const stats = fstatSync(file);
      if (!stats.isFile()) throw corrupt(path, 'it is not a regular file', 'Move it away.');
      if (stats.size > MOST_MIB * 2 ** 20) throw corrupt(path, `it is larger than ${MOST_MIB} MiB`);
      const head = wholeLines(file, 0, LONGEST_HEADER);
      const first = head.subarray(0, head.indexOf(NEWLINE) + 1);
      if (state?.head.equals(first) !== true) state = begin(first, path);
      const added = wholeLines(file, state.end, Math.max(0, stats.size - state.end));
      for (const line of added.toString().split('\n').slice(0, -1)) {
        const batch = parsed(line);
        if (!Array.isArray(batch) || !batch.every(isChange))
          throw corrupt(path, 'a line is not a batch of changes');
        for (const change of batch) applyChange(state.records, change);
      }
      state.end += added.length;
      return state;
    });
  return {
    read: (): Contents => read(),
    /** Decides by what is stored, and adds the changes as a line after the last whole one. The lock must be held. */
    write(decide: (records: Records) => Outcome): Answer {
      const { records, end } = read();
      const { changes = [], ...answer } = decide(records);
      if (changes.length === 0) return answer;
      const line = Buffer.from(`${JSON.stringify(changes)}\n`);
      withFile(path, constants.O_RDWR, (file) => {
        ftruncateSync(file, end);
        for (let done = 0; done < line.length; )
          done += writeSync(file, line, done, line.length - done, end + done);
      });
      return answer;
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

/** The lines that end within so many bytes of a place. */
function wholeLines(file: number, place: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  const bytes = buffer.subarray(0, readSync(file, buffer, 0, length, place));
  return bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1);
}

function begin(head: Buffer, path: string): State {
  const header = parsed(head.toString());
  if (v.is(headerSchema, header)) return { head, header, records: emptyTables(), end: head.length };
  const version = isRecord(header) ? header['version'] : undefined;
  throw corrupt(
    path,
    Number.isInteger(version) && version !== VERSION
      ? `another version of innctl wrote it, in format ${version} instead of ${VERSION}`
      : `its first line is not a header of version ${VERSION}`,
  );
}

/** A line decoded from JSON; `undefined` where it is none. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
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
