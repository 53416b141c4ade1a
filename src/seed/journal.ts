import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CliError, invalidInput } from '../cli/errors.ts';
import type { Context } from '../cli/ports.ts';
import { type Release, tryLock } from '../fs/lock.ts';
import { makePrivateFolder } from '../fs/private-folder.ts';
import { syncFolder } from '../fs/replace.ts';
import { type Canonical, canonicalOf } from '../model/canonical.ts';
import { runIdProblem } from '../model/segment.ts';
import { clip } from '../out/text.ts';
import { createDurableFile, ownFile } from './durable-file.ts';
import { type History, isComplete, type KeyUse } from './history.ts';
import { journalBusy, journalFailed } from './journal-errors.ts';
import {
  isRunOf,
  lineText,
  type Memory,
  noMemory,
  type RowLine,
  type RowMemory,
  type RunCounts,
  type RunLine,
  VERSION,
} from './journal-line.ts';
import type { RunIdentity } from './journal-path.ts';
import { openRegular, readHistory, readJournal, refuseOtherTarget } from './journal-read.ts';
import { deriveKey } from './keys.ts';
import { writtenTarget } from './target.ts';
import { isFailing, isUsable } from './visibility.ts';

/** What a run says of one row. `hash` is `hashOf` what is, or is to be, sent: of the body, for a creation. */
export type NewRow = Omit<RowMemory, 'runId' | 'at'> & {
  /** When it came to that, milliseconds since the epoch; default: now. */
  readonly at?: number;
};

/** The journal of one run, open and locked. It recalls what was in it when it was opened, not what this run writes. */
export interface Journal extends Memory {
  readonly path: string;
  readonly runId: string;
  /**
   * The idempotency key of a property's creation: the one under which this very body was sent before with an unknown
   * outcome, while the service remembers it; otherwise a new one, which depends on the run and the body alone.
   *
   * @param known the text and digest of the body, where they are known already.
   * @param isAbsent a look has shown that there is no such property: a key that stands for a failure is left then.
   */
  keyFor(entryName: string, body: unknown, known?: Canonical, isAbsent?: boolean): RowKey;
  /**
   * Resolves when the line is on the disk; lines that come together share one sync. Rejects with `journal_failed` when the
   * disk refuses, then and ever after. The promise may be ignored: the next one rejects as well.
   */
  write(row: NewRow): Promise<void>;
  writeAll(rows: readonly NewRow[]): Promise<void>;
  /** Writes how the run ended. The same command starts a new run after it when all rows are done. */
  finish(counts: RunCounts): Promise<void>;
  /** Releases the file. A run that wrote no row leaves nothing behind. */
  close(): Promise<void>;
}

/** The idempotency key of a creation. */
export interface RowKey {
  readonly key: string;
  /** Why it is not the one that was sent before, where the service answered that one. */
  readonly note?: string | undefined;
}

/** The run that a journal is opened for. */
export interface NewRun extends RunIdentity {
  readonly profile?: string | undefined;
  /** What `runs resume` needs to do the same again; kept as JSON. */
  readonly options: Readonly<Record<string, unknown>>;
}

export interface JournalOptions {
  readonly path: string;
  /** From --run-id; otherwise that of the last run of the same command and files that is not complete, or a new one. */
  readonly runId?: string | undefined;
  readonly run: NewRun;
  readonly context: Pick<Context, 'clock' | 'uuid' | 'redactor'>;
}

const LONGEST_ERROR = 1_000;

/**
 * Opens the journal of a run, or creates it. When this resolves, the run's id is on the disk.
 *
 * @throws {CliError} `busy`, exit 6, while another process has it; exit 2 when it is corrupt, newer, of another service or
 *   account, or the run id cannot be one; `journal_failed`, exit 1, when the disk refuses.
 */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { path } = options;
  const problem = options.runId === undefined ? undefined : runIdProblem(options.runId);
  if (problem !== undefined) throw invalidInput([{ field: '--run-id', reason: problem }]);
  let release: Release | undefined;
  try {
    const madeFolder = makePrivateFolder(dirname(path));
    const locked = tryLock(path);
    if (typeof locked !== 'function') throw journalBusy(path, locked);
    release = locked;
    if (madeFolder) syncFolder(dirname(dirname(path)));
    return await openLocked(options, release);
  } catch (cause) {
    release?.();
    throw cause instanceof CliError ? cause : journalFailed(path, cause);
  }
}

/** What earlier runs left, and which of them is resumed. */
export interface Recalled extends Memory {
  /** The run that the command resumes; `undefined` where it starts a new one. */
  readonly runId: string | undefined;
}

/**
 * What earlier runs left in a journal, read without a lock; nothing when there is no such file.
 *
 * @param run the one that is thought of.
 * @throws {CliError} exit 2 when the file cannot be read, is not ours, or is about another service or account.
 */
export async function readMemory(path: string, run: RunIdentity): Promise<Recalled> {
  const history = await readHistory(path, { keepsRows: false });
  if (history === undefined) return { ...noMemory, runId: undefined };
  refuseOtherTarget(path, history, run.target);
  return { recall: history.recall, created: () => history.created(run), runId: openRunId(history, run) };
}

async function openLocked(options: JournalOptions, release: Release): Promise<Journal> {
  const { path, run } = options;
  const file = await openRegular(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const { history, end } = await readJournal(file, path, { keepsRows: false });
    refuseOtherTarget(path, history, run.target);
    if ((await file.stat()).size > end) await file.truncate(end);
    if (end === 0) await file.chmod(0o600);
    return await startRun(options, { file, history, end, release });
  } catch (error) {
    const { size } = await file.stat();
    // The first error matters more than an empty file that stays.
    await ownFile(file, path, size)
      .close()
      .catch(() => {});
    throw error;
  }
}

interface Opened {
  readonly file: FileHandle;
  readonly history: History;
  readonly end: number;
  readonly release: Release;
}

async function startRun(
  { path, run, context, ...options }: JournalOptions,
  opened: Opened,
): Promise<Journal> {
  const { history, end } = opened;
  const { clock, redactor } = context;
  const runId = options.runId ?? openRunId(history, run) ?? context.uuid();
  const isResumed = history.frames().some(({ header }) => header.id === runId);
  const disk = createDurableFile(ownFile(opened.file, path, end), end, (cause) => journalFailed(path, cause));
  const openedAt = clock.now();
  const textAt = timeTexts();
  const isKept = { rows: false, end: false };
  // Not an async function: its promise would be another one, which could not be ignored.
  const writeAll = (rows: readonly NewRow[]) => {
    if (rows.length === 0) return Promise.resolve();
    isKept.rows = true;
    let texts = '';
    for (const row of rows)
      texts += lineText({ row: rowLine(row, textAt(row.at ?? clock.now()), redactor.text) });
    return disk.append(texts);
  };
  await disk.append(lineText({ run: headerOf(run, runId, textAt(openedAt)) }));
  if (end === 0) syncFolder(dirname(path));
  return {
    path,
    runId,
    recall: history.recall,
    created: () => history.created(run),
    keyFor(name, body, known = canonicalOf(body), isAbsent = false) {
      const use = history.keyUse({ kind: 'property', name, hash: known.hash, runId });
      const isLeft = use !== undefined && isAbsent && isFailing(use, openedAt);
      // A plan that counted on the key, made after that moment, must not meet another one when it is carried out.
      if (use !== undefined && !isLeft && isUsable(use, openedAt)) return { key: use.key };
      const key = deriveKey(runId, name, body, use?.count ?? 0, known.text);
      return { key, note: isLeft || use?.isRefused === true ? newKeyNote(use) : undefined };
    },
    write: (row) => writeAll([row]),
    writeAll,
    finish(counts) {
      isKept.end = true;
      return disk.append(lineText({ end: { at: textAt(clock.now()), ...counts } }));
    },
    async close() {
      const isNothing = !isKept.rows && !(isKept.end && isResumed);
      try {
        await disk.close(isNothing ? end : undefined);
      } finally {
        opened.release();
      }
    },
  };
}

function newKeyNote({ key, status }: KeyUse): string {
  return `new key: ${key} was answered with ${status}, and nothing was created`;
}

/** Formats times, and caches the last: many rows are written within one millisecond. */
function timeTexts(): (ms: number) => string {
  let last = { ms: Number.NaN, text: '' };
  return (ms) => {
    if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() };
    return last.text;
  };
}

/** Only what a journal may hold, whatever else the row has. */
function rowLine(row: NewRow, at: string, clean: (text: string) => string): RowLine {
  const { kind, name, action, state, hash, key, id, status, note, sent } = row;
  const error = row.error && clip(clean(row.error), LONGEST_ERROR);
  const request_id = row.request_id && clean(row.request_id);
  return { kind, name, action, state, hash, key, id, at, error, request_id, status, note, sent };
}

/** The id of the last run of the same command and files, if there is something left of it to be done. */
function openRunId(history: History, run: RunIdentity): string | undefined {
  const last = history.frames().findLast(({ header }) => isRunOf(header, run));
  return last === undefined || isComplete(last) ? undefined : last.header.id;
}

function headerOf({ command, files, target, profile, options }: NewRun, id: string, at: string): RunLine {
  return {
    version: VERSION,
    id,
    at,
    command,
    files: [...files],
    ...writtenTarget(target),
    ...(profile === undefined ? {} : { profile }),
    options,
  };
}
