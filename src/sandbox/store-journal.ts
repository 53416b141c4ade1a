import { closeSync, fstatSync, ftruncateSync, readSync, statSync } from 'node:fs';
import { CliError } from '../cli/errors.ts';
import { type Change, createTables, type Records } from './records.ts';
import {
  corrupt,
  type Header,
  lineOf,
  openState,
  parseBatch,
  parseHeader,
  writeWhole,
} from './store-files.ts';

const NEWLINE = 0x0a;
const CHUNK = 65_536;
/** No line has more bytes: what would have is refused, and what is found to have is not ours. */
export const LONGEST_LINE = 67_108_864;

/** The log of one folder, and what it adds up to. Every method is synchronous: none sees another's work half done. */
export interface Journal {
  /** Reads what other processes appended, or put in the log's place. */
  catchUp(): Contents;
  /** Applies to memory alone; `append` makes it last. */
  apply(change: Change): void;
  /**
   * Writes changes that were applied since `catchUp`, as one line. The lock must be held.
   * When the system refuses, the file is as before and memory follows it at the next `catchUp`.
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
  /** Where the last whole line ends. Whatever follows is torn, or still being written. */
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
      else if (size > state.end) readOn(path, state);
      return state;
    },
    apply: (change) => state.apply(change),
    append(changes) {
      const line = lineOf(changes);
      try {
        if (line.length > LONGEST_LINE) throw tooMuch(path);
        ftruncateSync(state.file, state.end);
        writeWhole(state.file, line, state.end);
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

function tooMuch(path: string): CliError {
  return new CliError(
    'sandbox_full',
    `Too much at once for the sandbox's state ${path}; nothing of it is stored.`,
    {
      hint: 'Send less at a time.',
    },
  );
}

function load(path: string): State {
  const file = openState(path);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw corrupt(path, 'it is not a regular file');
    const first = wholeLines(file, 0, path).next().value;
    const header = parseHeader(first ?? new Uint8Array(), path);
    const { records, apply } = createTables();
    const state: State = { file, inode: found.ino, header, records, apply, end: lengthOf(first) };
    readOn(path, state);
    return state;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function readOn(path: string, state: State): void {
  for (const line of wholeLines(state.file, state.end, path)) {
    for (const change of parseBatch(line, path)) state.apply(change);
    state.end += lengthOf(line);
  }
}

function lengthOf(line: Uint8Array | undefined): number {
  return line === undefined ? 0 : line.length + 1;
}

/** The lines from an offset on, without their newlines; a last one that does not end is left out. */
function* wholeLines(file: number, from: number, path: string): Generator<Uint8Array, undefined> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  for (let offset = from; length <= LONGEST_LINE; ) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    const bytes = chunk.subarray(0, readSync(file, chunk, 0, CHUNK, offset));
    if (bytes.length === 0) return;
    offset += bytes.length;
    let start = 0;
    for (let stop = bytes.indexOf(NEWLINE); stop !== -1; stop = bytes.indexOf(NEWLINE, start)) {
      yield Buffer.concat([...pieces, bytes.subarray(start, stop)]);
      pieces = [];
      length = 0;
      start = stop + 1;
    }
    pieces.push(bytes.subarray(start));
    length += bytes.length - start;
  }
  throw corrupt(path, 'a line has no end');
}
