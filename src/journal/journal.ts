import { hash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../config/resolve.ts';
import { claimName, processOf, withLock } from '../fs/lock.ts';
import { replaceFile } from '../fs/replace.ts';
import { CliError, ExitCode, errorText, OutcomeUnknown } from '../model/errors.ts';
import { normalise } from '../model/fields.ts';
import { hashOf, parsedJson } from '../model/json-text.ts';
import type { Kind } from '../model/kinds.ts';
import { type Context, Interruption } from '../model/ports.ts';
import { isRecord, recordsIn, type ServiceRecord } from '../model/records.ts';
import { clip } from '../print/text.ts';
import type { ServiceRequest } from '../service/answer.ts';
import type { Announce, WriteAbout, WriteEnd } from '../service/writes.ts';
import { createJournalFile, type JournalFile } from './file.ts';
import { type History, openRunId } from './history.ts';
import {
  lineText,
  type NewLine,
  type RunAbout,
  type RunCounts,
  type Target,
  targetOf,
  VERSION,
  writtenTarget,
} from './line.ts';

/** The journal of all writes of an account, as one process writes it. */
export type Journal = ReturnType<typeof openJournal>;

/** The folder of the journals, one file for each account. */
export function journalFolder(state: string): string {
  return join(state, 'journal');
}

/** The journal of an account. */
export function journalPath(state: string, target: Target): string {
  return join(journalFolder(state), `${hashOf(writtenTarget(target)).slice(0, 32)}.ndjson`);
}

export interface JournalOptions {
  readonly state: string;
  /** Whose journal it is, determined at the first write; `names` are what its account is known by. */
  readonly target: () => Promise<Target & { readonly names?: readonly string[] }>;
  readonly profile?: string | undefined;
  /** The command, as `users disable`. */
  readonly command: string;
  readonly context: Pick<Context, 'clock' | 'uuid' | 'redactor'>;
}

const LONGEST_ERROR = 1_000;
/** Lines about records that are gone are kept this long. */
const KEPT_MS = 400 * 24 * 60 * 60_000;
/** Between looks at a request of another process. */
const POLL_MS = 50;

/** Another process created a record while this one planned to. */
export class Overtaken extends CliError {
  constructor(name: string) {
    super('overtaken', `Another innctl created ${name} meanwhile.`, { exitCode: ExitCode.refused });
  }
}

interface Planned {
  readonly history: History;
  readonly lines: number;
}

/** Opens the journal of the account in force. Nothing is read or written yet. */
export function openJournal({ state, target, profile, context, ...options }: JournalOptions) {
  const { clock, redactor, uuid } = context;
  let claim: string | undefined;
  /** The name of this process; the system is asked for it at the first write. */
  const owner = () => {
    claim ??= claimName();
    return claim;
  };
  let about: RunAbout & { readonly run: string } = { command: options.command, files: [], run: '' };
  let isStarted = false;
  /** A line is written, or will be. */
  let isUsed = false;
  let opened:
    | Promise<{ readonly file: JournalFile; readonly whose: Awaited<ReturnType<typeof target>> }>
    | undefined;
  /** What was known when the command planned, and how many lines. */
  let planned: Planned | undefined;
  let lost: unknown;
  let sends = 0;
  const open = () => {
    opened ??= target().then((whose) => ({ whose, file: createJournalFile(journalPath(state, whose)) }));
    return opened;
  };
  const textOf = (line: NewLine) => lineText(line, redactor.text);
  const startOf = (whose: Awaited<ReturnType<typeof target>>, history: History) => {
    // The file may have been removed since.
    if (isStarted && history.has(about.run)) return '';
    isStarted = true;
    for (const name of whose.names ?? [])
      if (name !== whose.account && keptAccount(state, [name]) === undefined)
        replaceFile(accountPath(state, name), whose.account, { lasting: true });
    if (about.run === '') about = { ...about, run: uuid() };
    const { run, command, files } = about;
    const head = { is: 'start', at: clock.now(), run, version: VERSION } as const;
    return textOf({ ...head, command, files, ...writtenTarget(whose), profile });
  };
  const append = async (line: () => NewLine, check?: (history: History) => boolean, of?: string) => {
    const { file, whose } = await open();
    const lines = (history: History) => {
      if (check?.(history) === false) return undefined;
      return of === undefined || history.has(of) ? startOf(whose, history) + textOf(line()) : '';
    };
    return { file, written: file.append(lines) };
  };
  /**
   * A line that no request waits for. A failure ends the run at its next request.
   *
   * @param of the request that it is about; without that in the file, nothing is written.
   */
  const later = (line: () => NewLine, of?: string) => {
    isUsed = true;
    const writing = append(line, undefined, of).then(({ written }) => written);
    writing.catch((cause: unknown) => {
      lost ??= cause;
    });
  };
  const announce: Announce = async (request, given, signal, hiding) => {
    sends += 1;
    const by = owner();
    const id = hashOf([by, sends]).slice(0, 12);
    const { kind, action, rows, note } = given ?? aboutRequest(request);
    const send = (): NewLine => ({
      is: 'send',
      ...{ at: clock.now(), run: about.run, id, by, kind, action, does: request.does },
      ...{ key: request.key, note, rows },
    });
    let [isOpen, isLeft] = [true, false];
    const check = (history: History) => {
      if (isLeft) throw new Error('it is not sent any more');
      hiding(() => rows.some((row) => history.mayHide(kind, row, clock.now())));
      return given === undefined || isFreeFor({ kind, action, rows }, history, { by, planned });
    };
    const { file, written } = await append(send, check);
    const over = () => {
      isOpen = false;
    };
    written.then(over, over);
    await file.settled();
    try {
      while (isOpen) {
        await clock.sleep(POLL_MS, signal);
        await file.settled();
      }
    } finally {
      isLeft = true;
    }
    await written;
    return ({ error, answer, id: made }: WriteEnd) => {
      const facts =
        error instanceof CliError
          ? errorFacts(error)
          : { status: answer?.status, request_id: answer?.requestId };
      const outcome = outcomeOf(error);
      const line = () =>
        ({ is: 'answer', at: clock.now(), run: about.run, of: id, outcome, ...facts, id: made }) as const;
      later(line, id);
    };
  };
  const errorFacts = (error: CliError) => ({
    status: error.status,
    request_id: error.requestId,
    error: clip(redactor.text(errorText(error)), LONGEST_ERROR),
  });
  return {
    announce,
    /** The id of the run, once it has begun. */
    runId: () => about.run,
    path: async () => (await open()).file.path,
    /** Reads what is known. @throws {CliError} exit 2 when the journal cannot be read or is invalid. */
    async read(): Promise<History> {
      const { file } = await open();
      const history = await file.read();
      planned = { history, lines: history.lines() };
      return history;
    },
    /**
     * Begins a run: what is sent from now on is part of it.
     *
     * @param given the id of the run. Default: that of the last incomplete run of the same command and files, or a new one.
     * @returns whether it continues an earlier run.
     */
    begin(run: RunAbout, history: History, given?: string): boolean {
      const known = given ?? openRunId(history, run);
      about = { ...run, run: known ?? uuid() };
      return known !== undefined && history.has(known);
    },
    /** A new idempotency key for a creation: no earlier one of this run for the record is used again. */
    newKey(kind: Kind, name: string, text: string, history: History): string {
      const used = history.recall(kind, name)?.keys.filter(({ run }) => run === about.run).length ?? 0;
      return deriveKey(about.run, name, text, used);
    },
    /** Keeps that a read showed records. */
    see(kind: Kind, rows: readonly { readonly name: string; readonly id?: string | undefined }[]): void {
      if (rows.length > 0)
        later(() => ({
          is: 'see',
          at: clock.now(),
          run: about.run,
          kind,
          rows: rows.map(({ name, id }) => ({ name, id })),
        }));
    },
    /** Keeps the end of a run, unless nothing was sent or seen. @param isAlways it continues an earlier one. */
    end(counts: RunCounts, isAlways: boolean): void {
      const { done, failed, unknown, not_attempted } = counts;
      if (isStarted || isUsed || isAlways)
        later(() => ({ is: 'end', at: clock.now(), run: about.run, done, failed, unknown, not_attempted }));
    },
    /** Waits until all is on the disk. @throws {CliError} `journal_failed` when a line could not be written. */
    async settled(): Promise<void> {
      if (opened === undefined) return;
      await (await opened).file.settled();
      if (lost !== undefined) throw lost;
    },
    /** Sweeps old lines. Never fails: the next process sweeps them. */
    async close(): Promise<void> {
      const file = await opened?.then((each) => each.file).catch(() => undefined);
      await file?.settled();
      await file?.sweep(clock.now() - KEPT_MS).catch(() => {});
    },
  };
}

/**
 * Whether a creation may be sent beside what other processes have sent since it was planned.
 *
 * @returns false while another process waits for the answer to its own request.
 * @throws {Overtaken} when another process created one of the records.
 */
function isFreeFor(
  { kind, action, rows }: Pick<WriteAbout, 'kind' | 'action' | 'rows'>,
  history: History,
  { by, planned }: { readonly by: string; readonly planned: Planned | undefined },
): boolean {
  if (action !== 'create') return true;
  for (const { name } of rows) {
    const past = history.recall(kind, name);
    if (past?.creation === undefined || past.by === by || past.deletion === 'done') continue;
    const isOpen = past.creation.sent.isEnded !== true;
    if (isOpen && !isSameProcess(past.by, by) && processOf(past.by)?.life === 'alive') return false;
    if (planned?.history !== history || past.lastLine > planned.lines) throw new Overtaken(name);
  }
  return true;
}

/** Whether two names, as `claimName` makes them, are of one process. */
function isSameProcess(one: string, other: string): boolean {
  const [mine, its] = [one, other].map((name) => name.split('.').slice(0, 3).join());
  return mine === its;
}

function outcomeOf(error: unknown): 'done' | 'failed' | 'unknown' {
  if (error === undefined) return 'done';
  if (error instanceof Interruption) return 'failed';
  if (!(error instanceof CliError) || error instanceof OutcomeUnknown) return 'unknown';
  if (error.code === 'read_back_interrupted') return 'done';
  const { status = 0 } = error;
  return status === 408 || status >= 500 ? 'unknown' : 'failed';
}

/** What a request is about that its caller does not say: by its path and body. */
function aboutRequest({ does, ids, body = '', effect, safety, kind = '' }: ServiceRequest): WriteAbout {
  const parsed = parsedJson(body);
  const action = safety === 'delete' ? 'delete' : effect === 'creates' ? 'create' : 'change';
  if (action !== 'create') {
    const after = action === 'change' ? parsed : undefined;
    return { kind, action, rows: ids.map((id) => ({ name: id, id, after })) };
  }
  const record = isRecord(parsed) ? normalise(parsed) : {};
  const bodies = recordsIn(record['units']);
  const all = bodies.length > 0 ? bodies.map((each) => normalise(each)) : [record];
  return {
    kind,
    action,
    rows: all.map((after) => ({ name: nameIn(after) ?? does, hash: hashOf(after), after })),
  };
}

function nameIn({ email, code, name, property_id: property }: ServiceRecord): string | undefined {
  const own = [email, code, name].find((each) => typeof each === 'string');
  return typeof property === 'string' && own !== undefined ? `${property}/${own}` : own;
}

/**
 * Whose journal it is.
 *
 * @param names what is known of the credential, and what users/me shows, if a run has asked.
 */
export function ownerIn(state: string, settings: Settings, names: readonly [string, ...string[]]) {
  return { ...targetOf(settings, keptAccount(state, names) ?? names[0]), names };
}

/** The account under which a journal was begun for a credential that does not name one itself. */
function keptAccount(state: string, names: readonly string[]): string | undefined {
  const path = names.map((name) => accountPath(state, name)).find((each) => existsSync(each));
  return path && readFileSync(path, 'utf8');
}

function accountPath(state: string, own: string): string {
  return join(journalFolder(state), `${hashOf(own).slice(0, 32)}.account`);
}

/** Removes the journal of an account that is gone. */
export async function removeJournal(state: string, target: Target): Promise<void> {
  const path = journalPath(state, target);
  if (existsSync(path)) await withLock(path, () => rmSync(path, { force: true }));
}

const uuid =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|0{8}-(?:0{4}-){3}0{12}|f{8}-(?:f{4}-){3}f{12})$/i;

/** The namespace of run ids that are not UUIDs: the UUID of `innctl` below the nil UUID. */
const NAMESPACE = 'b6615c66-f65e-59b9-974f-964f5a0a9c45';

/**
 * The idempotency key of one creation in one run; the same on every machine.
 *
 * @param body its canonical JSON.
 * @param generation how many earlier keys of the same creation are unusable.
 */
export function deriveKey(runId: string, name: string, body: string, generation: number): string {
  const namespace = uuid.test(runId) ? runId : uuidBelow(NAMESPACE, runId);
  return uuidBelow(namespace, `${name}${body}${generation === 0 ? '' : `#${generation}`}`);
}

/** A UUID of version 5 (RFC 9562). */
function uuidBelow(namespace: string, text: string): string {
  const above = Buffer.from(namespace.replaceAll('-', ''), 'hex');
  const digest = hash('sha1', Buffer.concat([above, Buffer.from(text)]), 'hex');
  const variant = '89ab'[Number.parseInt(digest.charAt(16), 16) % 4];
  const parts = [digest.slice(0, 8), digest.slice(8, 12), `5${digest.slice(13, 16)}`];
  return [...parts, `${variant}${digest.slice(17, 20)}`, digest.slice(20, 32)].join('-');
}
