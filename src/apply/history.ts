import { identityOf } from '../manifest/entry.ts';
import {
  isRunOf,
  type JournalLine,
  type RowLine,
  type RunAbout,
  type RunCounts,
  type RunLine,
} from './journal-lines.ts';
import type { KeyAge } from './key-age.ts';
import type { Memory, RowMemory, RowState } from './memory.ts';

/** How one run began and ended. */
export interface RunFrame {
  /** How it was begun, or resumed last. */
  readonly header: RunLine;
  /** When it was begun, milliseconds since the epoch. */
  readonly startedAt: number;
  /** What it said when it ended; `undefined` while it goes on, and for ever where it was killed. */
  readonly end: RunCounts | undefined;
}

/** One run, as far as its journal tells. */
export interface PastRun extends RunFrame {
  /** The last word about each of its rows, in the order in which they were first spoken of. */
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
  /** The rows that were created, and not deleted since: by runs of one command with the same files, or by all. */
  created(about?: RunAbout): readonly RowMemory[];
  /** @param runId the run that asks. */
  keyUse(row: Pick<RowMemory, 'kind' | 'name' | 'hash' | 'runId'>): KeyUse | undefined;
  /** Of each run, in the order in which they were begun or resumed. */
  frames(): readonly RunFrame[];
  /** The same with rows; all without rows where the history keeps none. */
  runs(): readonly PastRun[];
}

interface KnownKeys extends Omit<KeyUse, 'count'> {
  /** How many keys each run has used. */
  readonly runs: ReadonlyMap<string, number>;
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
  /** What is to be told row by row; only where that is asked for. */
  readonly rows: Map<string, RowMemory>;
}

/** After these a plan must know more than that the row was to be done once more. */
const lasting: ReadonlySet<RowState | undefined> = new Set(['sent', 'unknown', 'done']);

/**
 * An empty history.
 *
 * @param keepsRows of every run, to tell them; to go on with a run, the last word about each name is enough.
 */
export function createHistory({ keepsRows }: { readonly keepsRows: boolean }): History {
  const runs = new Map<string, OpenRun>();
  const rows = new Map<string, RowMemory>();
  const created = new Map<string, CreatedRow>();
  const keys = new Map<string, KnownKeys>();
  let current: OpenRun | undefined;
  const begin = (header: RunLine) => {
    const before = runs.get(header.id);
    current = before ?? { header, startedAt: Date.parse(header.at), end: undefined, rows: new Map() };
    Object.assign(current, { header, end: undefined });
    runs.delete(header.id);
    runs.set(header.id, current);
  };
  const takeRow = (line: RowLine, run: OpenRun) => {
    const identity = identityOf(line);
    const row = { ...line, runId: run.header.id, at: Date.parse(line.at) };
    if (keepsRows) run.rows.set(identity, joined(run.rows.get(identity), row));
    noteKey(keys, row);
    remember(rows, identity, row);
    noteCreated(created, identity, { row, by: run.header });
  };
  const withKeyAge = (row: RowMemory): RowMemory => {
    const known = keys.get(requestOf(row));
    return { ...row, keyAge: known && { since: known.since, isSpent: known.isSpent } };
  };
  return {
    take(line) {
      if ('run' in line) begin(line.run);
      else if (current === undefined) return 'no run was begun before it';
      else if ('row' in line) takeRow(line.row, current);
      else current.end = countsIn(line.end);
      return undefined;
    },
    recall(kind, name) {
      const row = rows.get(identityOf({ kind, name }));
      return row?.key === undefined ? row : withKeyAge(row);
    },
    created: (about) =>
      [...created.values()]
        .filter(({ by }) => about === undefined || isRunOf(by, about))
        .map(({ row }) => withKeyAge(row)),
    keyUse(row) {
      const known = keys.get(requestOf(row));
      return known && { ...known, count: known.runs.get(row.runId) ?? 0 };
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
  return { ...row, id: row.id ?? before.id, key: row.key ?? (isSameRequest ? before.key : undefined) };
}

function remember(rows: Map<string, RowMemory>, identity: string, row: RowMemory): void {
  const before = rows.get(identity);
  if (row.state === 'planned' && lasting.has(before?.state)) return;
  if (isDeleted(row)) rows.delete(identity);
  else rows.set(identity, joined(before, row));
}

function noteCreated(created: Map<string, CreatedRow>, identity: string, { row, by }: CreatedRow): void {
  const isCreated = row.action === 'create' && row.state === 'done';
  if (isCreated || isDeleted(row)) created.delete(identity);
  if (isCreated) created.set(identity, { row, by });
}

function noteKey(keys: Map<string, KnownKeys>, row: RowMemory): void {
  if (row.state === 'planned') return;
  const request = requestOf(row);
  const before = keys.get(request);
  const isSpent = row.action === 'create' && row.state === 'done';
  if (row.key !== undefined && row.key !== before?.key) {
    const runs = new Map(before?.runs).set(row.runId, (before?.runs.get(row.runId) ?? 0) + 1);
    keys.set(request, { key: row.key, since: row.at, isSpent, runs });
  } else if (before !== undefined && isSpent) keys.set(request, { ...before, isSpent });
}

/** A row and what was sent for it, as one text. */
function requestOf(row: Pick<RowMemory, 'kind' | 'name' | 'hash'>): string {
  return `${identityOf(row)}\n${row.hash}`;
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
