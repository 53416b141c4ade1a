import { hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import * as v from 'valibot';
import { CliError, codeOf } from '../cli/errors.ts';
import { kinds } from './entry.ts';
import { createHistory, type History } from './history.ts';
import { journalCorrupt, journalNewer, journalUnreadable, noJournal, otherTarget } from './journal-errors.ts';
import { isSameTarget, readTarget, rowStates, type Target } from './target.ts';

const NEWLINE = 0x0a;
const CHUNK = 64 * 1_024;
/** No line of ours is longer. */
const LONGEST_LINE = 1_048_576;

/** A journal as it was read. */
export interface ReadJournal {
  readonly history: History;
  /** Where the last whole line ends, in bytes; what follows is torn. */
  readonly end: number;
}

/** What is wanted of a journal. */
export interface ReadOptions {
  /** The rows of every run, to tell them. */
  readonly keepsRows: boolean;
}

/**
 * What a journal tells, read without a lock: its writer may be at work.
 *
 * @returns `undefined` when there is no such file.
 * @throws {CliError} exit 2 when it cannot be read, or holds what is not ours.
 */
export async function readHistory(path: string, options: ReadOptions): Promise<History | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await openRegular(path, constants.O_RDONLY);
    return (await readJournal(file, path, options)).history;
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw journalUnreadable(path, cause);
  } finally {
    await file?.close();
  }
}

/**
 * Opens a file and nothing else; the name may not lead elsewhere.
 *
 * @throws {CliError} when it is a link, a folder or a device; the system's own errors.
 */
export async function openRegular(path: string, flags: number, mode?: number): Promise<FileHandle> {
  if (await isLink(path)) throw noJournal(path, 'a symbolic link');
  // Without O_NONBLOCK, opening a named pipe waits for somebody at its other end.
  const file = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, mode).catch(
    (cause: unknown) => {
      throw codeOf(cause) === 'EISDIR' || codeOf(cause) === 'ENXIO' ? noJournal(path) : cause;
    },
  );
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw noJournal(path);
}

async function isLink(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isSymbolicLink() === true;
}

/**
 * Takes the lines of an open journal one after the other; a last one without an end is left out.
 *
 * @throws {CliError} exit 2 naming path and line when a line is not ours.
 */
export async function readJournal(
  file: FileHandle,
  path: string,
  options: ReadOptions,
): Promise<ReadJournal> {
  const history = createHistory(options);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const chunk = Buffer.allocUnsafe(CHUNK);
  let rest = Buffer.alloc(0);
  let end = 0;
  let number = 1;
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK, end + rest.length);
    if (bytesRead === 0) break;
    const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    let start = 0;
    for (let stop = bytes.indexOf(NEWLINE); stop !== -1; stop = bytes.indexOf(NEWLINE, start)) {
      take(history, textOf(bytes.subarray(start, stop), decoder), { path, number });
      start = stop + 1;
      number += 1;
    }
    end += start;
    rest = bytes.subarray(start);
    if (rest.length > LONGEST_LINE) throw journalCorrupt(path, number, 'it is no line of a journal');
  }
  // A character may be cut in two as well.
  if (!isTornLine(rest.toString())) throw journalCorrupt(path, number, 'it is no line of a journal');
  return { history, end };
}

/** @throws {CliError} exit 2 when the journal holds runs against another service or account. */
export function refuseOtherTarget(path: string, history: History, target: Target): void {
  for (const { header } of history.frames()) {
    if (!isSameTarget(readTarget(header), target)) throw otherTarget(path, header, target);
  }
}

function take(history: History, text: string | undefined, place: { path: string; number: number }): void {
  const parsed = text === undefined ? { reason: 'it is not UTF-8 text' } : parseLine(text);
  if ('newer' in parsed) throw journalNewer(place.path, parsed.newer);
  const reason = 'line' in parsed ? history.take(parsed.line) : parsed.reason;
  if (reason !== undefined) throw journalCorrupt(place.path, place.number, reason);
}

function textOf(bytes: Uint8Array, decoder: InstanceType<typeof TextDecoder>): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The newest layout of journals that this program can read, and the one that it writes. */
export const VERSION = 1;

const SUM_DIGITS = 8;
const SEAL_LENGTH = ',"sum":""}'.length + SUM_DIGITS;
const wholeAndMore = /"sum":"[0-9a-f]{8}"\}[^\0]/;

/** The commands that keep a journal. */
export const runCommands = ['apply', 'properties import', 'invitations import'] as const;
export type RunCommand = (typeof runCommands)[number];

const time = v.pipe(v.string(), v.isoTimestamp());
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const runSchema = v.object({
  version: v.literal(VERSION),
  id: v.string(),
  at: time,
  command: v.picklist(runCommands),
  files: v.array(v.string()),
  identity_url: v.string(),
  base_url: v.string(),
  account: v.string(),
  profile: v.optional(v.string()),
  options: v.record(v.string(), v.unknown()),
});

const rowSchema = v.object({
  kind: v.picklist(kinds),
  name: v.string(),
  action: v.picklist(['create', 'change', 'delete']),
  state: v.picklist(rowStates),
  hash: v.string(),
  key: v.optional(v.string()),
  id: v.optional(v.string()),
  at: time,
  error: v.optional(v.string()),
  request_id: v.optional(v.string()),
  status: v.optional(v.number()),
  note: v.optional(v.string()),
  sent: v.optional(v.record(v.string(), v.string())),
});

const countsSchema = v.object({ done: count, failed: count, unknown: count, not_attempted: count });
const endSchema = v.object({ at: time, ...countsSchema.entries });

/** How many rows of a run ended in each way. */
export type RunCounts = Readonly<v.InferOutput<typeof countsSchema>>;
/** What a run is of, wherever it goes to. */
export interface RunAbout {
  readonly command: RunCommand;
  /** As `absoluteFiles` names them. */
  readonly files: readonly string[];
}

/** The beginning of a run, or of its resumption. */
export type RunLine = Readonly<v.InferOutput<typeof runSchema>>;
/** What is known of one row. */
export type RowLine = Readonly<v.InferOutput<typeof rowSchema>>;
/** The end of a run that came so far. */
export type EndLine = Readonly<v.InferOutput<typeof endSchema>>;

/** One line of a journal; exactly one of its names is there. */
export type JournalLine = { readonly run: RunLine } | { readonly row: RowLine } | { readonly end: EndLine };

const sum = v.string();
const lineSchema = v.union([
  v.strictObject({ row: rowSchema, sum }),
  v.strictObject({ run: runSchema, sum }),
  v.strictObject({ end: endSchema, sum }),
]);

const versionSchema = v.object({ run: v.object({ version: v.number() }) });

/** What a text is that stands on one line: a line of ours, one of a newer program, or neither. */
export type ParsedLine =
  | { readonly line: JournalLine }
  | { readonly newer: number }
  | { readonly reason: string };

/** Whether a run was begun, or resumed last, by the same command with the same files. */
export function isRunOf(header: RunLine, { command, files }: RunAbout): boolean {
  return (
    header.command === command &&
    header.files.length === files.length &&
    header.files.every((file, index) => file === files[index])
  );
}

/** A line as it is written: its sum behind all else, so that a byte that turned is noticed, and its newline at the end. */
export function lineText(line: JournalLine): string {
  return `${sealed(JSON.stringify(line))}\n`;
}

/** Judges the text of one line, without its newline. Nothing of it is quoted. */
function parseLine(text: string): ParsedLine {
  const value = parsed(text);
  if (value === undefined) return { reason: 'it is not JSON' };
  const line = v.safeParse(lineSchema, value);
  if (line.success)
    return isAsWritten(text) ? { line: line.output } : { reason: 'it is not as it was written' };
  const header = v.safeParse(versionSchema, value);
  if (header.success && header.output.run.version > VERSION) return { newer: header.output.run.version };
  return { reason: 'it is no line of a journal' };
}

/** Whether a text without an end may be the beginning of a line of ours, or the room that was made for one. */
function isTornLine(text: string): boolean {
  if (/^\0*$/.test(text)) return true;
  // Behind a whole line comes its end and nothing else.
  if (wholeAndMore.test(text)) return false;
  return ['{"run":{', '{"row":{', '{"end":{'].some(
    (start) => text.startsWith(start) || start.startsWith(text),
  );
}

/** @param object the JSON text of one that has members. */
function sealed(object: string): string {
  const digest = hash('sha256', object, 'hex').slice(0, SUM_DIGITS);
  return `${object.slice(0, -1)},"sum":"${digest}"}`;
}

function isAsWritten(text: string): boolean {
  return sealed(`${text.slice(0, -SEAL_LENGTH)}}`) === text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
