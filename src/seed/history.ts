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
  /** How it was started, or resumed last. */
  readonly header: RunLine;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** What it said when it ended; `undefined` while it is running, and where it was killed. */
  readonly end: RunCounts | undefined;
}

/** One run, as far as its journal says. */
export interface PastRun extends RunFrame {
  /** The last line about each of its rows, in the order of their first lines. */
  readonly rows: readonly RowMemory[];
}

/** The idempotency keys under which one body was sent as the creation of one row. */
export interface KeyUse extends KeyAge {
  /** The last of them, whose age it is. */
  readonly key: string;
  /** How many of them the run that asks has used. */
  readonly count: number;
}

/** What the lines of one journal add up to, whichever runs they belong to. */
export interface History extends Memory {
  /** @returns what is wrong with the line at this place; `undefined` when it was taken. */
  take(line: JournalLine): string | undefined;
  /** The rows that were created and not deleted since: by runs of one command with the same files, or by all. */
  created(about?: RunAbout): readonly RowMemory[];
  /** @param row its `runId` is the run that asks. */
  keyUse(row: Pick<RowMemory, 'kind' | 'name' | 'hash' | 'runId'>): KeyUse | undefined;
  /** Of each run, in the order in which they were started or resumed. */
  frames(): readonly RunFrame[];
  /** The same with rows; all without rows where the history keeps none. */
  runs(): readonly PastRun[];
}

/** What is known of the keys of one body. */
interface KnownKeys extends KeyAge {
  /** Digest of the body. */
  readonly hash: string;
  /** The last key. */
  readonly key: string;
  /** The run that used it, for each of the keys. */
  readonly runs: readonly string[];
  /** The run, as counted, that failed last. */
  readonly failedIn: number;
  /** No answer has come to what was sent last. */
  readonly isOpen: boolean;
  /** The outcome of a request is unknown. */
  readonly isInDoubt: boolean;
  /** An answer said that it created something: no later one makes that undone. */
  readonly hasCreated: boolean;
}

/** What is known under one kind and name. */
interface Known {
  last: RowMemory | undefined;
  /** Of each body that was sent: hardly ever more than one. */
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

/** A later `planned` does not replace these: a plan must know more than that the row was to be done once more. */
const lasting: ReadonlySet<RowState | undefined> = new Set(['sent', 'unknown', 'done']);

/**
 * An empty history.
 *
 * @param keepsRows of every run, to show them; to continue a run, the last line about each name is enough.
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

/** What was found out about a row stays, unless a later line says otherwise. */
function joined(before: RowMemory | undefined, row: RowMemory): RowMemory {
  if (before === undefined) return row;
  const isSameRequest = before.action === row.action && before.hash === row.hash;
  const id = row.id ?? before.id;
  const key = row.key ?? (isSameRequest ? before.key : undefined);
  const sent = sentLast(before, row);
  const madeAt = mailedAt(before, row);
  // Hundreds of thousands of lines may be read; a line that says all of it is not copied.
  const isWhole = id === row.id && key === row.key && sent === row.sent && madeAt === undefined;
  return isWhole ? row : { ...row, id, key, sent, madeAt };
}

/** No key remembers when an invitation was created. */
function mailedAt(before: RowMemory, { kind, action, state }: RowMemory): number | undefined {
  if (kind !== 'invitation' || action !== 'create' || before.action !== action) return undefined;
  if (state === 'done' && before.state === 'sent') return undefined;
  return before.madeAt ?? (before.state === 'done' ? before.at : undefined);
}

/** A change leaves the other values; what is created anew has none. */
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
    // Nothing shows what it created: the same key asks for it again.
    known.keys = [...others, { ...before, isSpent: false }];
  }
}

function noteAnswer(known: Known, row: RowMemory, run: number): void {
  if (row.action !== 'create') return;
  known.keys = known.keys.map((each) => (each.hash === row.hash ? withAnswer(each, row, run) : each));
}

/** Of a key that was never sent. */
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
 * What is known after one more line about the row.
 *
 * @param run the run that wrote it, counted from 1 by how often one was started or resumed.
 */
function withAnswer(keys: KnownKeys, { state, status, at }: RowMemory, run: number): KnownKeys {
  if (state === 'planned') return keys;
  if (state === 'sent') return { ...keys, isOpen: true, isInDoubt: keys.isInDoubt || keys.isOpen };
  const ended = { ...keys, isOpen: false, status, answeredAt: at };
  if (state === 'done') return { ...ended, hasCreated: true };
  if (keys.hasCreated) return ended;
  if (state === 'failed') {
    // Where an earlier request is in doubt, only a judgement of what was sent applies to that one too.
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

/** Whether a run ended and left nothing to be done. */
export function isComplete({ end }: RunFrame): boolean {
  return end !== undefined && end.failed + end.unknown + end.not_attempted === 0;
}

/** How many rows of a run ended in each way, or would have, had it ended after the last line. */
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
