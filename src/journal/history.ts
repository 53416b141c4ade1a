import { timesIn } from '../model/field-values.ts';
import { isKind, type Kind } from '../model/kinds.ts';
import { isRecord, recordOf, type ServiceRecord } from '../model/records.ts';
import { sameName } from '../model/text.ts';
import {
  type AnswerLine,
  isRunOf,
  type JournalLine,
  type RunAbout,
  type RunCounts,
  type SendLine,
  type SentRow,
  type StartLine,
} from './line.ts';

/** One request of a run. */
export interface Sent extends SendLine {
  readonly start: StartLine;
  /** The number of its line. */
  readonly place: number;
  /** It was answered, or certainly not sent. */
  isEnded?: boolean;
  /** How it ended, if the history is whole. */
  answer?: AnswerLine;
}

/** One command line, with what it sent. */
export interface PastRun {
  /** Of its start, or last resumption. */
  start: StartLine;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** `undefined` while it is running, or if it was killed. */
  end: RunCounts | undefined;
  /** Empty unless the history is whole. */
  readonly sent: Sent[];
}

/** A creation that may have been carried out. */
export interface Creation {
  readonly sent: Sent;
  readonly row: SentRow;
  /** When its key was first sent; milliseconds since the epoch. */
  readonly firstAt: number;
  /** When it was last sent, as far as known. */
  lastAt: number;
  /** A 2xx confirmed it. */
  isAnswered: boolean;
  /** A read has shown it since. */
  isShown: boolean;
  /** The creation without an answer, or with one, that it repeats. */
  readonly before: Creation | undefined;
}

/** What an invitation gave that was withdrawn, in which run. */
type Withdrawn = Readonly<{ body: ServiceRecord; run: string; before: Withdrawn | undefined }>;

/** What a journal knows of one record. */
export interface Past {
  readonly kind: string;
  readonly name: string;
  /** The last id. */
  id?: string | undefined;
  /** The id of the property of a unit. */
  home?: string | undefined;
  /** The last creation that was not certainly refused. */
  creation?: Creation | undefined;
  /** Every key that was sent for it, with its run. */
  readonly keys: { readonly key: string; readonly run: string }[];
  /** A deletion was sent since, of it or of its property. */
  deletion?: 'sent' | 'done' | undefined;
  /** The last run that sent a request about it that was not refused. */
  sentIn?: string | undefined;
  /** It was changed since. */
  isChanged?: boolean | undefined;
  /** The last accepted values of fields that no service shows. */
  times?: ServiceRecord | undefined;
  /** What an invitation gave that was withdrawn to be sent again, until it was. */
  withdrawn?: Withdrawn | undefined;
  /** The number of the last line about its creation, and the process that wrote it. */
  lastLine: number;
  by: string;
}

/** What a journal knows of a record that files can have. */
export type PastRow = Past & { readonly kind: Kind };

/** What plans ask a journal. */
export interface Memory {
  /** What is known of a record; names are case-insensitive. */
  recall(kind: Kind, name: string): Past | undefined;
  /** The records that runs of the same command and files created and did not delete since, in the order of their creation. */
  created(): readonly PastRow[];
}

/** What a plan of a run asks the journal. */
export interface Recalled extends Memory, Pick<History, 'kept'> {
  /** The run that it is, or continues; `undefined` if it starts a new one. */
  readonly runId: string | undefined;
}

/** What a history says to a run of this command and these files. */
export function recalledFor(history: History, about: RunAbout, runId = openRunId(history, about)): Recalled {
  const { recall, kept, created } = history;
  return { recall, kept, created: () => created(about), runId };
}

/** The content of one journal. */
export type History = ReturnType<typeof createHistory>;

/** Statuses of a deletion that say that there is nothing to delete. */
const goneStatuses: readonly unknown[] = [404, 410];

/** @param isWhole keeps what was read and sent of every record; otherwise only what plans need. */
export function createHistory(isWhole = false) {
  const runs = new Map<string, PastRun>();
  const sent = new Map<string, Sent>();
  const known = new Map<string, Past>();
  const byId = new Map<string, Past>();
  let lines = 0;
  let oldest = Number.POSITIVE_INFINITY;
  /** A request without its records, which are long, but for what an invitation gives, and the times of day. */
  const leanLine = (line: SendLine, start: StartLine): Sent => {
    const keptOf = (fields: ServiceRecord) =>
      'property_id' in fields ? { property_id: fields['property_id'] } : timesIn(fields);
    const rows = line.rows.map(({ before: _, after, ...row }) => ({
      ...row,
      after: line.kind === 'invitation' ? after : keptOf(recordOf(after)),
    }));
    return { ...line, rows, start, place: lines };
  };
  const pastOf = (kind: string, name: string): Past => {
    const key = keyOf(kind, name);
    const past = known.get(key) ?? { kind, name, keys: [], lastLine: 0, by: '' };
    known.set(key, past);
    return past;
  };
  /** A record may be deleted and changed by its id alone. */
  const about = (kind: string, { name, id = name }: SentRow) =>
    known.get(keyOf(kind, name)) ?? byId.get(keyOf(kind, id)) ?? pastOf(kind, name);
  const learn = (past: Past, id: string | undefined) => {
    if (id === undefined) return;
    past.id = id;
    byId.set(keyOf(past.kind, id), past);
  };
  const takeSend = (line: Sent, start: StartLine) => {
    for (const row of line.rows) {
      const past = about(line.kind, row);
      past.sentIn = line.run;
      if (line.action === 'create') {
        const { creation: before } = past;
        const isRepeat = line.key !== undefined && before?.sent.key === line.key;
        if (line.key !== undefined && !past.keys.some(({ key }) => key === line.key))
          past.keys.push({ key: line.key, run: start.run });
        const firstAt = isRepeat ? before.firstAt : line.at;
        const state = { isAnswered: false, isShown: false, lastAt: line.at, before };
        const home = recordOf(row.after)['property_id'];
        if (typeof home === 'string') past.home = home;
        past.creation = { sent: line, row, firstAt, ...state };
        past.deletion = undefined;
        past.isChanged = false;
        past.times = undefined;
        past.lastLine = lines;
        past.by = line.by;
      }
      if (line.action === 'change') past.isChanged = true;
      if (line.action === 'delete') {
        past.deletion = past.deletion ?? 'sent';
        if (isRecord(row.after)) past.withdrawn = { body: row.after, run: start.run, before: past.withdrawn };
      }
    }
  };
  const takeAnswer = (answer: AnswerLine, line: Sent) => {
    for (const row of line.rows) {
      const past = about(line.kind, row);
      if (answer.outcome === 'failed') past.sentIn = past.creation?.before?.sent.run;
      if (line.action === 'create') created(past, line, answer);
      if (answer.outcome === 'done' && line.kind === 'property' && line.action !== 'delete')
        past.times = { ...(line.action === 'create' ? {} : past.times), ...timesIn(recordOf(row.after)) };
      if (line.action === 'delete') deleted(past, row, answer, line);
    }
  };
  const created = (past: Past, { id: sending }: Sent, { outcome, at, id }: AnswerLine) => {
    const { creation } = past;
    if (creation?.sent.id !== sending) return;
    past.lastLine = lines;
    // A refused repeat settles nothing.
    if (outcome === 'failed') past.creation = creation.before;
    else Object.assign(creation, { lastAt: at, isAnswered: outcome === 'done' });
    if (outcome === 'done') past.withdrawn = undefined;
    if (creation.sent.rows.length === 1) learn(past, id);
  };
  const deleted = (past: Past, { after }: SentRow, { outcome, status }: AnswerLine, { place }: Sent) => {
    // Another process withdrew the invitation, or it is still there.
    if (outcome === 'failed' && isRecord(after)) past.withdrawn = past.withdrawn?.before;
    const isGone = outcome === 'done' || goneStatuses.includes(status);
    if (outcome === 'failed' && !isGone) past.deletion = undefined;
    if (!isGone) return;
    const inside = `${sameName(past.name)}/`;
    const isInside = ({ name }: Past) => past.kind === 'property' && sameName(name).startsWith(inside);
    for (const each of past.kind === 'property' ? known.values() : [past]) {
      if (each !== past && !isInside(each)) continue;
      // What was created since the deletion was sent is another record.
      if ((each.creation?.sent.place ?? 0) > place) continue;
      each.deletion = 'done';
    }
  };
  const takeStart = (start: StartLine) => {
    const before = runs.get(start.run);
    runs.delete(start.run);
    const { startedAt = start.at, sent: earlier = [] } = before ?? {};
    runs.set(start.run, { start, startedAt, sent: earlier, end: undefined });
  };
  const isLive = (past: Past | undefined) => past?.creation !== undefined && past.deletion !== 'done';
  /** Whether a line, besides the start of a run, is old and says nothing of a record that may exist. */
  const isStale = (line: JournalLine, before: number): boolean => {
    const id = line.is === 'send' ? line.id : line.is === 'answer' ? line.of : undefined;
    const { rows = [], kind = '', at = line.at } = sent.get(id ?? '') ?? {};
    // An answer goes with its request.
    if (at >= before) return false;
    if (line.is === 'see') return !line.rows.some((row) => isLive(about(line.kind, row)));
    if (id === undefined) return true;
    return !rows.some((row) => {
      const past = about(kind, row);
      return isLive(past) && past.creation?.sent.id === id;
    });
  };
  return {
    isStale,
    /** The time of the oldest line. */
    oldest: () => oldest,
    /** Adds a line. @returns why it is invalid at this place; `undefined` if it is valid. */
    take(line: JournalLine): string | undefined {
      lines += 1;
      oldest = Math.min(oldest, line.at);
      if (line.is === 'start') takeStart(line);
      const run = runs.get(line.run);
      if (run === undefined) return 'no run was started before it';
      if (line.is === 'send') {
        const one = isWhole ? { ...line, start: run.start, place: lines } : leanLine(line, run.start);
        sent.set(line.id, one);
        if (isWhole) run.sent.push(one);
        takeSend(one, run.start);
      }
      if (line.is === 'answer') {
        const one = sent.get(line.of);
        if (one === undefined) return 'nothing was sent before it';
        one.isEnded = true;
        if (isWhole) one.answer = line;
        else sent.delete(line.of);
        takeAnswer(line, one);
      }
      if (line.is === 'see')
        for (const row of line.rows) {
          const past = about(line.kind, row);
          learn(past, row.id);
          if (past.creation === undefined) continue;
          past.creation.isShown = true;
          if (line.kind === 'property') past.times ??= timesIn(recordOf(past.creation.row.after));
        }
      if (line.is === 'end') run.end = line;
      return undefined;
    },
    recall: (kind: string, name: string): Past | undefined => known.get(keyOf(kind, name)),
    /** Whether a record may be there though no read shows it. @param now milliseconds since the epoch. */
    mayHide: (kind: string, { name, id = name }: Pick<SentRow, 'name' | 'id'>, now: number): boolean => {
      const { creation, deletion } = known.get(keyOf(kind, name)) ?? byId.get(keyOf(kind, id)) ?? {};
      return creation?.isShown === false && deletion !== 'done' && now < shownBy(creation);
    },
    /** The records that were created and not deleted since. @param run only by runs of this command and these files. */
    created: (run?: RunAbout): readonly PastRow[] =>
      [...known.values()]
        .filter((past): past is PastRow => isKind(past.kind))
        .filter(
          ({ creation, deletion }) =>
            (creation?.isAnswered || creation?.isShown) &&
            deletion !== 'done' &&
            (run === undefined || isRunOf(creation.sent.start, run)),
        ),
    /** The invitations of which the journal keeps the content, because it may be nowhere else. */
    kept: (): readonly Past[] => [...known.values()].filter(({ withdrawn }) => withdrawn !== undefined),
    /** All runs, in the order in which they were started or last resumed. */
    runs: (): readonly PastRun[] => [...runs.values()],
    /** Whether it has the start of a run, or a request, with this id. */
    has: (id: string): boolean => runs.has(id) || sent.has(id),
    /** How many lines were taken. */
    lines: () => lines,
  };
}

/** A created record is shown within this time, milliseconds. */
const SHOWN_WITHIN_MS = 15 * 60_000;

/** From when on a record that no read has shown counts as gone, milliseconds since the epoch. */
export function shownBy({ lastAt }: Creation): number {
  return lastAt + SHOWN_WITHIN_MS;
}

function keyOf(kind: string, name: string): string {
  return `${kind}:${sameName(name)}`;
}

/** Whether a run ended with all rows done. */
export function isComplete({ end }: PastRun): boolean {
  return end !== undefined && end.failed + end.unknown + end.not_attempted === 0;
}

/** The id of the last run of the same command and files, if it is incomplete. */
export function openRunId(history: History, about: RunAbout): string | undefined {
  const last = history.runs().findLast(({ start }) => isRunOf(start, about));
  return last === undefined || isComplete(last) ? undefined : last.start.run;
}
