import { constants } from 'node:fs';
import { dirname } from 'node:path';
import { CliError } from '../cli/errors.ts';
import type { Context } from '../cli/ports.ts';
import { type Release, tryLock } from '../fs/lock.ts';
import { makePrivateFolder } from '../fs/private-folder.ts';
import { syncFolder } from '../fs/replace.ts';
import type { Canonical } from '../model/canonical.ts';
import { clip } from '../print/text.ts';
import { createDurableFile, type DurableFile } from './durable-file.ts';
import { createHistory, type History, isComplete, type KeyHistory } from './history.ts';
import {
  isRunOf,
  lineText,
  type Memory,
  type RowLine,
  type RowMemory,
  type RunCounts,
  VERSION,
} from './journal-line.ts';
import {
  journalBusy,
  journalFailed,
  openRegular,
  type RunIdentity,
  readHistory,
  readJournal,
  refuseOtherTarget,
} from './journal-read.ts';
import { deriveKey } from './keys.ts';
import { writtenTarget } from './target.ts';
import { isFailing, isUsable } from './visibility.ts';

/** A row to write. `hash` is `hashOf` the request; of the body, for a creation. */
export type NewRow = Omit<RowMemory, 'runId' | 'at'> & {
  /** Milliseconds since the epoch; default: now. */
  readonly at?: number;
};

/** The journal of one run, open and locked. It recalls earlier runs, not what this run writes. */
export type Journal = Awaited<ReturnType<typeof openJournal>>;

/** The run to journal. */
export interface NewRun extends RunIdentity {
  readonly profile?: string | undefined;
}

export interface JournalOptions {
  readonly path: string;
  /** From --run-id, checked. Default: the last incomplete run of the same command and files, or a new one. */
  readonly runId?: string | undefined;
  readonly run: NewRun;
  readonly context: Pick<Context, 'clock' | 'uuid' | 'redactor'>;
}

const LONGEST_ERROR = 1_000;

/**
 * Opens or creates the journal of a run. The run's id is written with its first rows.
 *
 * @throws {CliError} `busy`, exit 6, while another process uses it; exit 2 when it is corrupt, newer, or of another service or
 *   account; `journal_failed`, exit 1, when it cannot be written.
 */
export async function openJournal(options: JournalOptions) {
  const { path } = options;
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

/** The rows of earlier runs, and the run that the command resumes; `undefined` if it starts a new one. */
export interface Recalled extends Memory, Pick<History, 'wasDeleted' | 'kept'> {
  readonly runId: string | undefined;
}

/**
 * Reads the earlier runs of a journal without a lock; none when there is no such file.
 *
 * @param run the run to plan.
 * @throws {CliError} exit 2 when the file cannot be read, is invalid, or is of another service or account.
 */
export async function readMemory(path: string, run: RunIdentity): Promise<Recalled> {
  const history = (await readHistory(path)) ?? createHistory();
  refuseOtherTarget(path, history, run.target);
  const { recall, wasDeleted, kept } = history;
  return { recall, wasDeleted, kept, created: () => history.created(run), runId: openRunId(history, run) };
}

async function openLocked(options: JournalOptions, release: Release) {
  const { path, run } = options;
  const failed = (cause: unknown) => journalFailed(path, cause);
  const file = await openRegular(path, constants.O_RDWR | constants.O_CREAT);
  try {
    const { history, end } = await readJournal(file, path);
    refuseOtherTarget(path, history, run.target);
    if ((await file.stat()).size > end) await file.truncate(end);
    if (end === 0) {
      await file.chmod(0o600);
      syncFolder(dirname(path));
    }
    return startRun(options, history, createDurableFile(file, path, end, failed), release);
  } catch (error) {
    const { size } = await file.stat();
    // The first error matters more than a file that could not be removed.
    await createDurableFile(file, path, size, failed).close();
    throw error;
  }
}

function startRun(
  { path, run, context: { clock, redactor, uuid }, ...options }: JournalOptions,
  history: History,
  disk: DurableFile,
  release: Release,
) {
  const runId = options.runId ?? openRunId(history, run) ?? uuid();
  const isResumed = history.runs().some(({ header }) => header.id === runId);
  const openedAt = clock.now();
  const { command, files, target, profile } = run;
  const about = { version: VERSION, id: runId, at: timeText(openedAt), command, files } as const;
  /** The start of the run, until it is written. */
  let header = lineText({ run: { ...about, ...writtenTarget(target), profile } });
  // Not async: that would return another promise, which could not be ignored.
  const append = (texts: string) => {
    const whole = header + texts;
    header = '';
    return disk.append(whole);
  };
  const writeAll = (rows: readonly NewRow[]) => {
    if (rows.length === 0) return Promise.resolve();
    let texts = '';
    for (const row of rows)
      texts += lineText({ row: rowLine(row, timeText(row.at ?? clock.now()), redactor.text) });
    return append(texts);
  };
  return {
    path,
    runId,
    recall: history.recall,
    wasDeleted: history.wasDeleted,
    kept: history.kept,
    created: () => history.created(run),
    /**
     * The idempotency key of a creation: the earlier one if the same body was sent with an unknown outcome and the
     * service still remembers the key; otherwise a new one, derived from the run and the body, and why it replaces another.
     *
     * @param isAbsent the record certainly does not exist: then a key with a stored failure is replaced.
     */
    keyFor({ kind, name }: Pick<NewRow, 'kind' | 'name'>, body: Canonical, isAbsent = false) {
      const keys = history.keysOf({ kind, name, hash: body.hash });
      const isLeft = keys !== undefined && isAbsent && isFailing(keys, openedAt);
      // Judged by the time of opening, so that a plan and its execution use the same key.
      if (keys !== undefined && !isLeft && isUsable(keys, openedAt)) return { key: keys.key };
      const used = keys?.runs.filter((id) => id === runId).length ?? 0;
      const key = deriveKey(runId, name, body.text, used);
      return { key, note: isLeft || keys?.isRefused === true ? newKeyNote(keys) : undefined };
    },
    /**
     * The idempotency key of the creation of several records with one request. Repeated for the same records it is the same,
     * unless the service has stored an answer under it.
     *
     * @param first the first of the records, with the digest of its body. It certainly does not exist.
     * @param text what is created.
     */
    bulkKeyFor(first: Pick<NewRow, 'kind' | 'name' | 'hash'>, text: string): string {
      const keys = history.keysOf(first);
      const used = keys?.runs.filter((id) => id === runId).length ?? 0;
      const last = used === 0 ? undefined : deriveKey(runId, first.name, text, used - 1);
      const isOpen =
        keys?.key === last && keys !== undefined && isUsable(keys, openedAt) && !isFailing(keys, openedAt);
      return last !== undefined && isOpen ? last : deriveKey(runId, first.name, text, used);
    },
    /**
     * Resolves when the line is on the disk; concurrent lines share one sync. Rejects with `journal_failed` after the first
     * failed write, and for all later ones, so that the promise may be ignored.
     */
    write: (row: NewRow) => writeAll([row]),
    writeAll,
    /** Writes the end of the run, unless it is a new one without rows. If all rows are done, the same command starts a new run. */
    async finish(counts: RunCounts): Promise<void> {
      if (header === '' || isResumed)
        await append(lineText({ end: { at: timeText(clock.now()), ...counts } }));
    },
    /** Releases the file. */
    async close(): Promise<void> {
      await disk.close();
      release();
    },
  };
}

function newKeyNote({ key, status }: KeyHistory): string {
  return `new key: ${key} was answered with ${status}, and nothing was created`;
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

/** Picks the fields of a line, and masks secrets in its texts. */
function rowLine(row: NewRow, at: string, clean: (text: string) => string): RowLine {
  const { kind, name, action, state, hash, key, id, status, note, sent, body } = row;
  const error = row.error && clip(clean(row.error), LONGEST_ERROR);
  const request_id = row.request_id && clean(row.request_id);
  return { kind, name, action, state, hash, key, id, at, error, request_id, status, note, sent, body };
}

/** The id of the last run of the same command and files, if it is incomplete. */
function openRunId(history: History, run: RunIdentity): string | undefined {
  const last = history.runs().findLast(({ header }) => isRunOf(header, run));
  return last === undefined || isComplete(last) ? undefined : last.header.id;
}
