import { closeSync, fstatSync, ftruncateSync, readSync, statSync, writeSync } from 'node:fs';
import { CliError } from '../cli/errors.ts';
import { type Change, createTables, type Records } from './records.ts';
import { corrupt, type Header, openState, parseBatch, parseHeader } from './store-files.ts';

const NEWLINE = 0x0a;
/** A larger state is refused. */
const MAX_BYTES = 2 ** 30;

/** The log of one folder and what it adds up to: a header line, then lines of changes. All methods are synchronous. */
export interface Journal {
  /** Reads what other processes appended to the log, or the log that they put in its place. */
  catchUp(): Contents;
  /** Applies a change to memory alone; `append` stores it. */
  apply(change: Change): void;
  /**
   * Writes changes that were applied since `catchUp`, as one line. The lock must be held.
   * When this fails, the file is as before and memory is read from it again.
   */
  append(changes: readonly Change[]): void;
  close(): void;
}

/** What is stored at one moment. */
export interface Contents {
  readonly header: Header;
  readonly records: Records;
}

interface State extends Contents {
  readonly file: number;
  readonly inode: number;
  readonly apply: (change: Change) => void;
  /** Where the last whole line ends. What follows is torn, or still being written. */
  end: number;
}

/** Opens a log that exists. @throws {CliError} when it is corrupt, newer or a symbolic link. */
export function openJournal(path: string): Journal {
  let state = load(path);
  let isClosed = false;
  const reload = () => {
    const fresh = load(path);
    closeSync(state.file);
    state = fresh;
  };
  return {
    catchUp() {
      // The system gives the number of a closed file to the next one that is opened.
      if (isClosed) throw new CliError('sandbox_closed', `The sandbox's state ${path} was closed.`);
      const { ino, size } = statSync(path, { throwIfNoEntry: false }) ?? gone(path);
      if (ino !== state.inode || size < state.end) reload();
      else for (const line of newLines(state.file, state.end, path)) applyLine(state, line, path);
      return state;
    },
    apply: (change) => state.apply(change),
    append(changes) {
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
    close() {
      isClosed = true;
      closeSync(state.file);
    },
  };
}

function gone(path: string): never {
  throw new CliError('sandbox_gone', `The sandbox's state ${path} was removed while it was in use.`, {
    hint: 'Start the sandbox again: innctl sandbox serve',
  });
}

function load(path: string): State {
  const file = openState(path);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw corrupt(path, 'it is not a regular file');
    const lines = newLines(file, 0, path);
    const first = lines.shift() ?? new Uint8Array();
    const header = parseHeader(first, path);
    const { records, apply } = createTables();
    const state: State = { file, inode: found.ino, header, records, apply, end: first.length + 1 };
    for (const line of lines) applyLine(state, line, path);
    return state;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function applyLine(state: State, line: Uint8Array, path: string): void {
  for (const change of parseBatch(line, path)) state.apply(change);
  state.end += line.length + 1;
}

/** The whole lines from an offset on, without their newlines. */
function newLines(file: number, from: number, path: string): Uint8Array[] {
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
