import { isFailure, isRefusal } from '../service/retry.ts';
import { identityOf } from './entry.ts';
import {
  isRunOf,
  type JournalLine,
  type Memory,
  type RowLine,
  type RowMemory,
  type RowState,
  type RunAbout,
  type RunCounts,
  type RunLine,
} from './journal-line.ts';
import type { KeyAge } from './visibility.ts';

/** How one run started and ended. */
export interface RunFrame {
  /** Of its start, or last resumption. */
  readonly header: RunLine;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** `undefined` while it is running, or if it was killed. */
  readonly end: RunCounts | undefined;
}

/** One run with its rows. */
export interface PastRun extends RunFrame {
  /** The last line about each of its rows, in the order of their first lines. */
  readonly rows: readonly RowMemory[];
}

/** The idempotency keys of one creation with one body. */
export interface KeyUse extends KeyAge {
  /** The last key; the age is of this one. */
  readonly key: string;
  /** How many of the keys were used by the given run. */
  readonly count: number;
}

/** The content of one journal, all runs together. */
export interface History extends Memory {
  /** Adds a line. @returns why the line is invalid at this place; `undefined` if it is valid. */
  take(line: JournalLine): string | undefined;
  /** The rows that were created and not deleted since: by runs of the same command and files, or by all runs. */
  created(about?: RunAbout): readonly RowMemory[];
  /** @param row `runId` is the run whose keys are counted. */
  keyUse(row: Pick<RowMemory, 'kind' | 'name' | 'hash' | 'runId'>): KeyUse | undefined;
  /** All runs, in the order in which they were started or last resumed. */
  frames(): readonly RunFrame[];
  /** The same with rows, if the history keeps them. */
  runs(): readonly PastRun[];
}

/** The keys of one body. */
interface KnownKeys extends KeyAge {
  /** Digest of the body. */
  readonly hash: string;
  /** The last key. */
  readonly key: string;
  /** The run that used each of the keys. */
  readonly runs: readonly string[];
  /** The last run that failed, by its number. */
  readonly failedIn: number;
  /** The last request has no answer. */
  readonly isOpen: boolean;
  /** The outcome of a request is unknown. */
  readonly isInDoubt: boolean;
  /** An answer confirmed the creation; a later one does not undo that. */
  readonly hasCreated: boolean;
}

/** The history of one kind and name. */
interface Known {
  last: RowMemory | undefined;
  /** One for each body that was sent, rarely more than one. */
  keys: readonly KnownKeys[];
}

interface CreatedRow {
  readonly row: RowMemory;
  /** The run as it was when it created the row. */
  readonly by: RunLine;
}

interface OpenRun {
  header: RunLine;
  readonly startedAt: number;
  end: RunCounts | undefined;
  readonly rows: Map<string, RowMemory>;
}

const none: Known['keys'] = [];

/** A later `planned` does not replace these states, which a plan needs. */
const lasting: ReadonlySet<RowState | undefined> = new Set(['sent', 'unknown', 'done']);

/**
 * An empty history.
 *
 * @param keepsRows keeps the rows of every run, to show them; to resume a run, the last line about each name is enough.
 */
export function createHistory({ keepsRows }: { readonly keepsRows: boolean }): History {
  const runs = new Map<string, OpenRun>();
  const known = new Map<string, Known>();
  const created = new Map<string, CreatedRow>();
  let current: OpenRun | undefined;
  /** How often a run was started or resumed. */
  let started = 0;
  const start = (header: RunLine) => {
    started += 1;
    const before = runs.get(header.id);
    current = before ?? { header, startedAt: Date.parse(header.at), end: undefined, rows: new Map() };
    Object.assign(current, { header, end: undefined });
    runs.delete(header.id);
    runs.set(header.id, current);
  };
  const takeRow = (line: RowLine, run: OpenRun) => {
    const identity = identityOf(line);
    const row: RowMemory = { ...line, runId: run.header.id, at: Date.parse(line.at) };
    if (keepsRows) run.rows.set(identity, joined(run.rows.get(identity), row));
    const about = known.get(identity) ?? { last: undefined, keys: none };
    known.set(identity, about);
    noteKey(about, row);
    noteAnswer(about, row, started);
    remember(about, row);
    const madeAt = about.last?.madeAt;
    noteCreated(created, identity, { row: madeAt === undefined ? row : { ...row, madeAt }, by: run.header });
  };
  const keysOf = (row: Pick<RowMemory, 'kind' | 'name' | 'hash'>) =>
    known.get(identityOf(row))?.keys.find(({ hash }) => hash === row.hash);
  const withKeyAge = (row: RowMemory): RowMemory => {
    const keys = keysOf(row);
    return { ...row, keyAge: keys && ageOf(keys) };
  };
  return {
    take(line) {
      if ('run' in line) start(line.run);
      else if (current === undefined) return 'no run was started before it';
      else if ('row' in line) takeRow(line.row, current);
      else current.end = countsIn(line.end);
      return undefined;
    },
    recall(kind, name) {
      const row = known.get(identityOf({ kind, name }))?.last;
      return row?.key === undefined ? row : withKeyAge(row);
    },
    created: (about) =>
      [...created.values()]
        .filter(({ by }) => about === undefined || isRunOf(by, about))
        .map(({ row }) => withKeyAge(row)),
    keyUse(row) {
      const keys = keysOf(row);
      if (keys === undefined) return undefined;
      return { ...ageOf(keys), key: keys.key, count: keys.runs.filter((id) => id === row.runId).length };
    },
    frames: () => [...runs.values()],
    runs: () => [...runs.values()].map((run) => ({ ...run, rows: [...run.rows.values()] })),
  };
}

function countsIn({ done, failed, unknown, not_attempted }: RunCounts): RunCounts {
  return { done, failed, unknown, not_attempted };
}

/** Merges a line with earlier ones about the same row: known values stay unless the line has others. */
function joined(before: RowMemory | undefined, row: RowMemory): RowMemory {
  if (before === undefined) return row;
  const isSameRequest = before.action === row.action && before.hash === row.hash;
  const id = row.id ?? before.id;
  const key = row.key ?? (isSameRequest ? before.key : undefined);
  const sent = sentLast(before, row);
  const madeAt = mailedAt(before, row);
  // Avoids a copy: a journal may have hundreds of thousands of lines.
  const isWhole = id === row.id && key === row.key && sent === row.sent && madeAt === undefined;
  return isWhole ? row : { ...row, id, key, sent, madeAt };
}

/** When an invitation was created, which has no key. */
function mailedAt(before: RowMemory, { kind, action, state }: RowMemory): number | undefined {
  if (kind !== 'invitation' || action !== 'create' || before.action !== action) return undefined;
  if (state === 'done' && before.state === 'sent') return undefined;
  return before.madeAt ?? (before.state === 'done' ? before.at : undefined);
}

/** A change keeps the other values; a new creation starts without any. */
function sentLast({ sent: before }: RowMemory, { action, state, sent }: RowMemory): RowMemory['sent'] {
  if (before === undefined || (action === 'create' && state === 'done')) return sent;
  return sent === undefined ? before : { ...before, ...sent };
}

function remember(known: Known, row: RowMemory): void {
  const { last } = known;
  if (row.state === 'planned' && lasting.has(last?.state)) return;
  known.last = isDeleted(row) ? undefined : joined(last, row);
}

function noteCreated(created: Map<string, CreatedRow>, identity: string, { row, by }: CreatedRow): void {
  const isCreated = row.action === 'create' && row.state === 'done';
  if (isCreated || isDeleted(row)) created.delete(identity);
  if (isCreated) created.set(identity, { row, by });
}

function noteKey(known: Known, { state, action, hash, key, runId, at }: RowMemory): void {
  if (state === 'planned') return;
  if (key === undefined && known.keys.length === 0) return;
  const before = known.keys.find((each) => each.hash === hash);
  const others = before === undefined ? known.keys : known.keys.filter((each) => each !== before);
  const isSpent = action === 'create' && state === 'done';
  const madeAt = isSpent ? at : undefined;
  if (key !== undefined && key !== before?.key) {
    const runs = [...(before?.runs ?? []), runId];
    known.keys = [...others, { ...unsent, hash, key, since: at, isSpent, madeAt, runs }];
  } else if (before !== undefined && isSpent) {
    known.keys = [...others, { ...before, isSpent, madeAt: before.madeAt ?? at }];
  } else if (before?.isSpent === true && action === 'create' && state === 'unknown') {
    // What it created is not visible: the same key may be sent again.
    known.keys = [...others, { ...before, isSpent: false }];
  }
}

function noteAnswer(known: Known, row: RowMemory, run: number): void {
  if (row.action !== 'create') return;
  known.keys = known.keys.map((each) => (each.hash === row.hash ? withAnswer(each, row, run) : each));
}

/** The state of a new key. */
const unsent = {
  isRefused: false,
  failures: 0,
  status: undefined,
  answeredAt: undefined,
  failedIn: 0,
  isOpen: false,
  isInDoubt: false,
  hasCreated: false,
} as const;

/**
 * Updates the keys of a body after one more line about its row.
 *
 * @param run the number of the run: starts and resumptions are counted from 1.
 */
function withAnswer(keys: KnownKeys, { state, status, at }: RowMemory, run: number): KnownKeys {
  if (state === 'planned') return keys;
  if (state === 'sent') return { ...keys, isOpen: true, isInDoubt: keys.isInDoubt || keys.isOpen };
  const ended = { ...keys, isOpen: false, status, answeredAt: at };
  if (state === 'done') return { ...ended, hasCreated: true };
  if (keys.hasCreated) return ended;
  if (state === 'failed') {
    // If an earlier request is in doubt, only a refusal of the body itself applies to that one too.
    const isRefused = status !== undefined && (!keys.isInDoubt || isRefusal(status));
    return { ...ended, isRefused: keys.isRefused === true || isRefused };
  }
  const doubt = { ...ended, isInDoubt: true };
  if (!isFailure(status)) return { ...doubt, failures: 0 };
  return keys.failedIn === run ? doubt : { ...doubt, failures: (keys.failures ?? 0) + 1, failedIn: run };
}

function ageOf({ since, isSpent, madeAt, isRefused, failures, status, answeredAt }: KnownKeys): KeyAge {
  return { since, isSpent, madeAt, isRefused, failures, status, answeredAt };
}

function isDeleted({ action, state }: RowMemory): boolean {
  return action === 'delete' && state === 'done';
}

/** Whether a run ended with all rows done. */
export function isComplete({ end }: RunFrame): boolean {
  return end !== undefined && end.failed + end.unknown + end.not_attempted === 0;
}

/** How many rows of a run ended in each way; of a run without an end, by the last lines. */
export function countsOf({ end, rows }: PastRun): RunCounts {
  if (end !== undefined) return end;
  const count = (...states: readonly RowState[]) => rows.filter(({ state }) => states.includes(state)).length;
  return {
    done: count('done'),
    failed: count('failed'),
    unknown: count('sent', 'unknown'),
    not_attempted: count('planned'),
  };
}
