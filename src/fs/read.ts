import { isUtf8 } from 'node:buffer';
import { closeSync, constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { CliError, codeOf, ExitCode, messageOf } from '../model/errors.ts';
import { type Input, Interruption } from '../model/ports.ts';
import { quote } from '../model/text.ts';

interface FileProblemOptions {
  readonly hint?: string | undefined;
  /** Where in the file, from 1. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly code?: string | undefined;
  /** Where it is not the file and the reason. */
  readonly sentence?: string | undefined;
  readonly cause?: unknown;
}

/** What is wrong with a file as a whole. Exit 2; reports about many files show file and reason separately. */
export class FileProblem extends CliError {
  readonly file: string;
  /** A clause about the file: `is empty`. */
  readonly reason: string;
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(
    file: string,
    reason: string,
    { hint, line, column, code = 'usage', sentence, cause }: FileProblemOptions = {},
  ) {
    const place =
      line === undefined ? '' : ` at line ${line}${column === undefined ? '' : `, column ${column}`}`;
    super(code, sentence ?? `${file} ${reason}${place}.`, { hint, cause, exitCode: ExitCode.usage });
    this.file = file;
    this.reason = reason;
    this.line = line;
    this.column = column;
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'permission is missing',
  EPERM: 'permission is missing',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many files are open; ulimit -n raises the limit',
  EIO: 'what is behind it fails',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  ENOTDIR: 'a part of its path is not a folder',
  ELOOP: 'its path is a circle of links',
};

/** Why the system refused, as the end of a sentence: `the disk is full (ENOSPC)`. */
export function reasonOf(cause: unknown): string {
  const code = codeOf(cause);
  const reason = code === undefined ? undefined : reasons[code];
  if (reason !== undefined) return `${reason} (${code})`;
  return messageOf(cause);
}

/** Why the system refused to write a file: what is not there is then its folder. */
export function writeReasonOf(cause: unknown): string {
  return codeOf(cause) === 'ENOENT' ? 'there is no such folder (ENOENT)' : reasonOf(cause);
}

/** For `catch`: what cannot be used as input, with a hint if it has none. */
export function hinting(hint: string): (error: unknown) => never {
  return (error) => {
    const lacksHint = error instanceof CliError && error.exitCode === ExitCode.usage && !error.hint;
    throw lacksHint ? error.withHint(hint) : error;
  };
}

const MIB = 1_048_576;

const TIME_OVER = 'timeout';

/**
 * The bytes of a file, or of stdin for `-`. Pipes are read like files, once a writer opens them.
 *
 * @param maxBytes a larger one is refused.
 * @throws {CliError} exit 2, naming the file and the reason; exit 7 when the time of the command is over.
 */
export async function readInput(path: string, stdin: Input, maxBytes: number): Promise<Uint8Array> {
  const { ends } = stdin;
  const name = path === '-' ? 'stdin' : path;
  try {
    if (path === '-') return await stdin.read(maxBytes);
    refuseNameless(path);
    return await readBytes(path, maxBytes, ends);
  } catch (cause) {
    const reason: unknown = ends.aborted ? ends.reason : cause;
    if (reason instanceof CliError) throw reason.code === TIME_OVER ? inputTimeOver(name) : reason;
    throw reason instanceof Interruption ? reason : unreadable(name, reason);
  }
}

/** The time of the command was over while its input was read. Exit 7. */
export function inputTimeOver(name = 'the input'): CliError {
  return new CliError(TIME_OVER, `Could not read ${name}: the time was over before its end came.`, {
    exitCode: ExitCode.unavailable,
    hint: 'Give more time with --timeout.',
  });
}

/** Bytes of a path that Linux takes, with the NUL at its end. */
const LONGEST_PATH = 4_096;

/**
 * Refuses what no file can be called, before the system is asked.
 *
 * @throws {FileProblem} when a path is blank, too long, or has a NUL.
 */
export function refuseNameless(path: string): void {
  if (path.trim() === '' || path.includes('\0'))
    throw new FileProblem(JSON.stringify(path), 'is not the name of a file');
  if (Buffer.byteLength(path) >= LONGEST_PATH)
    throw new FileProblem(quote(path), 'is too long for the name of a file');
}

/**
 * The bytes of a file, pipe or device.
 *
 * @throws {TooLarge} beyond `maxBytes`; the system's own errors; an AbortError once the signal is aborted.
 */
export async function readBytes(path: string, maxBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
  const stream = openStream(path, maxBytes);
  if (signal !== undefined) addAbortSignal(signal, stream);
  return readToEnd(stream, path, maxBytes);
}

/** All bytes of a stream. @throws {TooLarge} beyond `most`. */
export async function readToEnd(
  stream: AsyncIterable<Uint8Array>,
  name: string,
  most: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > most) throw new TooLarge(name, most);
  }
  return Buffer.concat(chunks, length);
}

/**
 * A named pipe without a writer must hold no thread, neither to open nor to read it: no signal would end that. A file
 * whose size is too large is not read.
 */
function openStream(path: string, maxBytes: number): Readable {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const found = fstatSync(fd);
  if (found.isFIFO()) return new Socket({ fd, readable: true, writable: false });
  if (found.isFile() && found.size > maxBytes) {
    closeSync(fd);
    throw new TooLarge(path, maxBytes);
  }
  return createReadStream(path, { fd });
}

/** A file is larger than may be read; `advice` is a clause on what to do. */
export class TooLarge extends FileProblem {
  readonly maxBytes: number;

  constructor(file: string, maxBytes: number, advice?: string) {
    const clause = advice === undefined ? '' : `; ${advice}`;
    super(file, `is larger than ${maxBytes / MIB} MiB${clause}`);
    this.maxBytes = maxBytes;
  }
}

/** A text in UTF-16 with a byte order mark as UTF-8; other bytes stay. */
export function inUtf8(bytes: Uint8Array): Uint8Array {
  const encoding = { fffe: 'utf-16le', feff: 'utf-16be' }[Buffer.from(bytes.subarray(0, 2)).toString('hex')];
  return encoding === undefined ? bytes : Buffer.from(new TextDecoder(encoding).decode(bytes));
}

/** How to save a spreadsheet so that it can be read. */
export const SAVE_AS = 'Save it as .xlsx, or as "CSV UTF-8".';

/** The system does not let a file or folder be read. */
export function unreadable(path: string, cause: unknown): FileProblem {
  const why = reasonOf(cause);
  return new FileProblem(path, `cannot be read: ${why}`, {
    code: 'unreadable_file',
    sentence: `Cannot read ${path}: ${why}.`,
    cause,
  });
}

/**
 * A file's bytes as text, without a byte order mark.
 *
 * @param name the file, for sentences.
 * @throws {FileProblem} when it is binary, or not UTF-8.
 */
export function decodeFile(file: Uint8Array, name: string): string {
  const bytes = inUtf8(file);
  refuseForeign(bytes, name);
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

/**
 * The text of a file, or of stdin for `-`.
 *
 * @param maxBytes a larger one is refused; default: 1 MiB.
 * @returns the text, and how messages name the file.
 * @throws {CliError} like `readInput` and `decodeFile`.
 */
export async function readText(path: string, stdin: Input, maxBytes = MIB) {
  const name = path === '-' ? 'stdin' : path;
  return { name, text: decodeFile(await readInput(path, stdin, maxBytes), name) };
}

/** Returns when bytes are UTF-8 text, without decoding them. @throws {FileProblem} like `decodeFile`. */
export function refuseForeign(bytes: Uint8Array, name: string): void {
  if (isUtf8(bytes) && !bytes.includes(0)) return;
  const hint = 'Save it as UTF-8, from a spreadsheet as "CSV UTF-8".';
  throw new FileProblem(name, 'is not UTF-8 text', { hint });
}

/** Levels of lists and objects that a file may have: what walks over a value is recursive. */
export const DEEPEST = 50;

/** Why a value with more levels is refused. */
export const tooDeep = `is nested deeper than ${DEEPEST}`;

/** What is wrong at an offset of a text. */
export interface Mistake {
  readonly offset: number;
  readonly reason: string;
}

/** What is wrong with a number that no double holds. */
export function inexact(number: string): string {
  return `has the number ${quote(number)}, which cannot be sent exactly`;
}

/** Why the value of a file is refused: it has too many levels, or uses the name `__proto__`. */
export function shapeProblem(value: unknown): string | undefined {
  if (isTooDeep(value)) return tooDeep;
  return usesProto(value) ? 'uses the name __proto__, which is not taken' : undefined;
}

function usesProto(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(usesProto);
}

/** Whether a value has more levels of lists and objects than a file may have. */
export function isTooDeep(value: unknown, levels = DEEPEST): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1));
}

/** The first line that Excel obeys and does not show: `sep=;`. A byte order mark may precede it, decoded or not. */
const SEPARATOR = /^(?:\ufeff|\xef\xbb\xbf)?("?)sep=([^\p{L}\p{N}"'=\s]|\t)\1(?:\r\n|\n|\r|$)/iu;

/** The delimiter that the first line of a table states, and the length of that line; `undefined` where it states none. */
export function statedDelimiter(
  text: string,
): { readonly mark: string; readonly length: number } | undefined {
  const [line, , mark] = SEPARATOR.exec(text) ?? [];
  return line === undefined || mark === undefined ? undefined : { mark, length: line.length };
}
