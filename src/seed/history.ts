import { isFailure, isRefusal } from '../service/retry.ts';
import { identityOf, type Kind } from './entry.ts';
import {
  isRunOf,
  type JournalLine,
  type RowLine,
  type RowMemory,
  type RowState,
  type RunAbout,
  type RunCounts,
  type RunLine,
} from './journal-line.ts';
import type { KeyAge } from './visibility.ts';

/** One run with its rows. */
export interface PastRun {
  /** Of its start, or last resumption. */
  readonly header: RunLine;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** `undefined` while it is running, or if it was killed. */
  readonly end: RunCounts | undefined;
  /** The last line about each of its rows by identity, in the order of their first lines. */
  readonly rows: ReadonlyMap<string, RowMemory>;
}

/** The idempotency keys of one creation with one body; the age is that of the last key. */
export interface KeyHistory extends KeyAge {
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
}

/** The content of one journal, all runs together. */
export type History = ReturnType<typeof createHistory>;

interface OpenRun extends PastRun {
  readonly rows: Map<string, RowMemory>;
  end: RunCounts | undefined;
}

/** A later `planned` does not replace these states, which a plan needs. */
const lasting: ReadonlySet<RowState | undefined> = new Set(['sent', 'unknown', 'done']);

export function createHistory() {
  const runs = new Map<string, OpenRun>();
  /** By kind and name; one of the keys for each body that was sent, rarely more than one. */
  const known = new Map<
    string,
    { readonly last: RowMemory | undefined; readonly keys: readonly KeyHistory[] }
  >();
  /** With the run as it was when it created the row. */
  const created = new Map<string, { readonly row: RowMemory; readonly by: RunLine }>();
  let current: OpenRun | undefined;
  /** How often a run was started or resumed. */
  let started = 0;
  const start = (header: RunLine) => {
    started += 1;
    const { startedAt, rows } = runs.get(header.id) ?? { startedAt: Date.parse(header.at), rows: new Map() };
    current = { header, startedAt, rows, end: undefined };
    runs.delete(header.id);
    runs.set(header.id, current);
  };
  const takeRow = (line: RowLine, run: OpenRun) => {
    const identity = identityOf(line);
    const row: RowMemory = { ...line, runId: run.header.id, at: Date.parse(line.at) };
    run.rows.set(identity, joined(run.rows.get(identity), row));
    const before = known.get(identity);
    const last = lastOf(before?.last, row);
    known.set(identity, { last, keys: keysAfter(before?.keys ?? [], row, started) });
    const isCreated = row.action === 'create' && row.state === 'done';
    if (isCreated || isDeleted(row)) created.delete(identity);
    if (isCreated && last !== undefined) created.set(identity, { row: last, by: run.header });
  };
  const keysOf = (row: Pick<RowMemory, 'kind' | 'name' | 'hash'>) =>
    known.get(identityOf(row))?.keys.find(({ hash }) => hash === row.hash);
  return {
    /** Adds a line. @returns why the line is invalid at this place; `undefined` if it is valid. */
    take(line: JournalLine): string | undefined {
      if ('run' in line) start(line.run);
      else if (current === undefined) return 'no run was started before it';
      else if ('row' in line) takeRow(line.row, current);
      else {
        const { at: _, ...counts } = line.end;
        current.end = counts;
      }
      return undefined;
    },
    /** As `Memory` has it. */
    recall(kind: Kind, name: string): RowMemory | undefined {
      const row = known.get(identityOf({ kind, name }))?.last;
      return row?.key === undefined ? row : { ...row, keyAge: keysOf(row) };
    },
    /** Whether a run deleted it, and no later one created it again. */
    wasDeleted(kind: Kind, name: string): boolean {
      const row = known.get(identityOf({ kind, name }));
      return row !== undefined && row.last === undefined;
    },
    /** The rows that were created and not deleted since: by runs of the same command and files, or by all runs. */
    created: (about?: RunAbout): readonly RowMemory[] =>
      [...created.values()]
        .filter(({ by }) => about === undefined || isRunOf(by, about))
        .map(({ row }) => ({ ...row, keyAge: keysOf(row) })),
    keysOf,
    /** The rows of which the journal keeps the content, because it may be nowhere else. */
    kept: (): readonly RowMemory[] =>
      [...known.values()].flatMap(({ last }) => (last?.body === undefined ? [] : [last])),
    /** All runs, in the order in which they were started or last resumed. */
    runs: (): readonly PastRun[] => [...runs.values()],
  };
}

/** The last state of a row after one more line about it; `undefined` once it is deleted. */
function lastOf(before: RowMemory | undefined, row: RowMemory): RowMemory | undefined {
  if (row.state === 'planned' && lasting.has(before?.state)) return before;
  return isDeleted(row) ? undefined : joined(before, row);
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

/** The keys of a creation after one more line about it. @param run the number of the run, from 1. */
function keysAfter(keys: readonly KeyHistory[], row: RowMemory, run: number): readonly KeyHistory[] {
  const { action, state, hash, key, runId, at } = row;
  if (action !== 'create' || state === 'planned') return keys;
  const before = keys.find((each) => each.hash === hash);
  const isNew = key !== undefined && key !== before?.key;
  const now = isNew ? { ...unsent, hash, key, since: at, runs: [...(before?.runs ?? []), runId] } : before;
  return now === undefined ? keys : [...keys.filter((each) => each !== before), keyAfter(now, row, run)];
}

/** The state of a new key. */
const unsent = { isSpent: false, failures: 0, failedIn: 0, isOpen: false, isInDoubt: false } as const;

function keyAfter(keys: KeyHistory, { state, status, at }: RowMemory, run: number): KeyHistory {
  if (state === 'sent') return { ...keys, isOpen: true, isInDoubt: keys.isInDoubt || keys.isOpen };
  const ended = { ...keys, isOpen: false, status, answeredAt: at };
  if (state === 'done') return { ...ended, isSpent: true, madeAt: keys.madeAt ?? at };
  // What was created stays so. If it is not visible, the same key may be sent again.
  if (keys.madeAt !== undefined) return { ...ended, isSpent: keys.isSpent && state !== 'unknown' };
  if (state === 'failed') {
    // If an earlier request is in doubt, only a refusal of the body itself applies to that one too.
    const isRefused = status !== undefined && (!keys.isInDoubt || isRefusal(status));
    return { ...ended, isRefused: keys.isRefused === true || isRefused };
  }
  const doubt = { ...ended, isInDoubt: true };
  if (!isFailure(status)) return { ...doubt, failures: 0 };
  return keys.failedIn === run ? doubt : { ...doubt, failures: (keys.failures ?? 0) + 1, failedIn: run };
}

function isDeleted({ action, state }: RowMemory): boolean {
  return action === 'delete' && state === 'done';
}

/** Whether a run ended with all rows done. */
export function isComplete({ end }: PastRun): boolean {
  return end !== undefined && end.failed + end.unknown + end.not_attempted === 0;
}

/** How many rows of a run ended in each way; of a run without an end, by the last lines. */
export function countsOf({ end, rows }: PastRun): RunCounts {
  if (end !== undefined) return end;
  const counts = { done: 0, failed: 0, unknown: 0, not_attempted: 0 };
  for (const { state } of rows.values())
    counts[state === 'sent' ? 'unknown' : state === 'planned' ? 'not_attempted' : state] += 1;
  return counts;
}
