import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { withLock } from '../fs/lock.ts';
import { reasonOf } from '../fs/read.ts';
import { preparePrivateFolder, quietly, refuseLink, replaceFile, sweepDrafts } from '../fs/replace.ts';
import { CliError, codeOf, ExitCode } from '../model/errors.ts';
import { isRecord } from '../model/records.ts';
import type { Answer, Outcome } from './call.ts';
import { applyChange, type Change, emptyTables, isChange, type Records, type Tables } from './records.ts';
import { changesOf } from './seeds/accounts.ts';
import type { SeedName } from './seeds/names.ts';

/** The ids of properties in the seed `numbered`, by code. */
const numbers: Readonly<Record<string, string>> = { BER: 'H1', MUC: 'H2', VIE: 'H3' };

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

/** What is stored at one moment. */
interface Contents {
  readonly header: v.InferOutput<typeof headerSchema>;
  readonly records: Records;
}

interface State extends Contents {
  /** The first line, with its newline. */
  readonly head: Buffer;
  readonly records: Tables;
  /** Where the last whole line ends. What follows is torn, or still being written. */
  end: number;
}

/**
 * The sandbox's state, shared by all processes that use the same folder.
 * A write survives a crash of the process, but not of the machine.
 */
export type Store = Awaited<ReturnType<typeof openStore>>;

/** What a folder is planted with. */
export interface StateOptions {
  /** Created if missing. */
  readonly folder: string;
  readonly seed: SeedName;
  /** How many properties, where the seed comes in sizes: `chain`, by default 240. */
  readonly size?: number | undefined;
  /** Milliseconds since the epoch: dates, and the life of tokens and idempotency keys. */
  readonly now: () => number;
}

/**
 * Opens the state of a folder, and makes it from the seed where there is none.
 *
 * @throws {CliError} `sandbox_...` when the state cannot be made or read.
 */
export async function openStore(options: StateOptions) {
  const path = statePath(options);
  const read = createReader(path);
  await explained(path, async () => {
    preparePrivateFolder(options.folder);
    refuseLink(path);
    if (!existsSync(path)) await withLock(path, () => existsSync(path) || plantSeed(path, options));
    read();
  });
  let last: Promise<unknown> = Promise.resolve();
  return {
    /**
     * What is stored now, the writes of other processes included.
     *
     * @throws {CliError} `sandbox_...` when the state cannot be read any more.
     */
    read: (): Contents => read(),
    /**
     * Calls `decide` under the lock, after the writes before it, and stores its changes as one line.
     *
     * @throws {CliError} `sandbox_full` when the disk is full; nothing is stored then. What `decide` throws.
     */
    write(decide: (records: Records) => Outcome): Promise<Answer> {
      const written = () => {
        const { records, end } = read();
        const { changes = [], ...answer } = decide(records);
        if (changes.length > 0) append(path, end, changes);
        return answer;
      };
      const done = last.then(() => explained(path, () => withLock(path, written)));
      last = done.catch(() => {});
      return done;
    },
    /** Resolves when the writes under way are stored. */
    async close(): Promise<void> {
      await last;
    },
  };
}

/** Replaces a folder's state by a seed in one step, even while others use it, and whatever state it is in. */
export async function resetState(options: StateOptions): Promise<void> {
  const path = statePath(options);
  await explained(path, async () => {
    preparePrivateFolder(options.folder);
    await withLock(path, () => plantSeed(path, options));
  });
}

function statePath({ folder }: StateOptions): string {
  return join(folder, 'state.ndjson');
}

/** Replaces the log by a seed; keeps the secret of the log before it. The lock must be held. */
function plantSeed(path: string, { seed, size, now }: StateOptions): void {
  refuseLink(path);
  sweepDrafts(path, 0);
  // What cannot be read has no secret to keep.
  const before = quietly(() => createReader(path)().header);
  const generation = (before?.generation ?? 0) + 1;
  const secret = before?.secret ?? randomBytes(32).toString('hex');
  const changes = Array.from(changesOf(seed, { now: now(), size }), (change) => [change]);
  const lines = [{ version: VERSION, generation, seed, secret }, ...changes];
  const numbered = (key: string, value: unknown) =>
    seed === 'numbered' && key !== 'code' && typeof value === 'string' ? (numbers[value] ?? value) : value;
  const text = lines.map((line) => `${JSON.stringify(line, numbered)}\n`).join('');
  replaceFile(path, text, { lasting: false });
}

/** Reads what was appended since the last time, or the log that another process put in its place. */
function createReader(path: string) {
  let state: State | undefined;
  return (): State =>
    withFile(path, constants.O_RDONLY, (file) => {
      const stats = fstatSync(file);
      if (!stats.isFile()) throw corrupt(path, 'it is not a regular file', 'Move it away.');
      if (stats.size > MOST_MIB * 2 ** 20) throw corrupt(path, `it is larger than ${MOST_MIB} MiB`);
      const start = wholeLines(file, 0, LONGEST_HEADER);
      const head = start.subarray(0, start.indexOf(NEWLINE) + 1);
      if (state?.head.equals(head) !== true) state = begin(head, path);
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

/** Writes a line of changes after the last whole line. The lock must be held. */
function append(path: string, end: number, changes: readonly Change[]): void {
  const line = Buffer.from(`${JSON.stringify(changes)}\n`);
  withFile(path, constants.O_RDWR, (file) => {
    ftruncateSync(file, end);
    for (let done = 0; done < line.length; )
      done += writeSync(file, line, done, line.length - done, end + done);
  });
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

/** A line decoded from JSON; `undefined` where it is none. */
function parsed(line: string): unknown {
  return quietly(() => JSON.parse(line));
}

/** The file is broken, or not a state. Exit 2; it stays as it is until a reset. */
function corrupt(path: string, why: string, hint = 'Replace it by sample data: innctl sandbox reset') {
  return new CliError('sandbox_corrupt', `The sandbox's state ${path} cannot be read: ${why}.`, {
    exitCode: ExitCode.usage,
    hint,
  });
}

async function explained<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw stateError(path, error);
  }
}

/** The system's codes for a path of another user, or one that is not a file. */
const notOurs = /^E(?:ACCES|PERM|EXIST|ISDIR|LOOP|NOTDIR|NXIO)$/;
const noRoom = /^E(?:NOSPC|DQUOT|FBIG)$/;

/** An error of the operating system as an expected failure; other errors as they are. */
function stateError(path: string, error: unknown): unknown {
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
