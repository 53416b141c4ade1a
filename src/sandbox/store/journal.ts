import { closeSync, fstatSync, ftruncateSync, readSync, statSync } from 'node:fs';
import { CliError } from '../../errors.ts';
import { openState, writeWhole } from './folder.ts';
import { type Header, lineOf, parseBatch, parseHeader } from './log.ts';
import { type Change, createTables, type Records } from './records.ts';

const NEWLINE = 0x0a;

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
      else if (size > state.end) readOn(path, state, size);
      return state;
    },
    apply: (change) => state.apply(change),
    append(changes) {
      const line = lineOf(changes);
      try {
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

function load(path: string): State {
  const file = openState(path);
  try {
    const { ino, size } = fstatSync(file);
    const [first, ...rest] = wholeLines(file, 0, size);
    const header = parseHeader(first ?? new Uint8Array(), path);
    const { records, apply } = createTables();
    const state: State = { file, inode: ino, header, records, apply, end: lengthOf(first) };
    for (const line of rest) take(line, path, state);
    return state;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function readOn(path: string, state: State, size: number): void {
  for (const line of wholeLines(state.file, state.end, size)) take(line, path, state);
}

function take(line: Uint8Array, path: string, state: State): void {
  for (const change of parseBatch(line, path)) state.apply(change);
  state.end += lengthOf(line);
}

function lengthOf(line: Uint8Array | undefined): number {
  return line === undefined ? 0 : line.length + 1;
}

/** The lines between two offsets, without their newlines; a last one that does not end is left out. */
function wholeLines(file: number, from: number, to: number): readonly Uint8Array[] {
  const bytes = Buffer.alloc(to - from);
  const filled = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
  const lines: Uint8Array[] = [];
  for (let start = 0; ; ) {
    const newline = filled.indexOf(NEWLINE, start);
    if (newline === -1) return lines;
    lines.push(filled.subarray(start, newline));
    start = newline + 1;
  }
}
