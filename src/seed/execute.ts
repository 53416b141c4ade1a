import { CliError, OutcomeUnknown } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { Interruption } from '../cli/ports.ts';
import { doubtAbout } from '../service/refusal.ts';
import { findCreated } from './find-property.ts';
import { type Item, isPending } from './item.ts';
import { errorText, type Result } from './item-json.ts';
import { isInDoubt } from './journal-line.ts';
import { reduces } from './lockout-rows.ts';
import { createReferences, type Ended, isKnownMail, type References, type Service, sendRow } from './row.ts';
import { createRowJournal, type OpenJournal, type RowJournal } from './row-journal.ts';
import { createRunStop, type RunStop } from './run-stop.ts';
import { eachOf } from './workers.ts';

/** What carrying out a plan needs. */
export interface ExecuteOptions {
  readonly api: Service;
  readonly journal: OpenJournal;
  /** Called right before a row is sent; the row fails with the error it rejects with. */
  readonly recheck: (item: Item) => Promise<void>;
  /** Rows in parallel, from 1. */
  readonly concurrency: number;
  /** Stop at the first failure. */
  readonly failFast: boolean;
  /** Aborted when no further row may be started; rows under way are finished. */
  readonly stop: AbortSignal;
  /** When the run must be over, by `Clock.monotonic`. */
  readonly deadline?: number | undefined;
  readonly now: () => number;
  /** Attempts at a creation that may have been carried out; it is looked for before each repeat. */
  readonly mostTries: number;
  /** Whether the service is known to honour idempotency keys. */
  readonly trustsKeys: boolean;
  /** Backs off before a repeat, by the number of attempts made. Rejects with an `Interruption`. */
  readonly pause: (tries: number) => Promise<void>;
  /** Called for each row that was carried out, as it ends. */
  readonly onRow: (result: Result) => void;
}

/** How a run ended. */
export interface Execution {
  /** One for each item, in their order. */
  readonly results: readonly Result[];
  /** What stopped it before its last row, or a failure to write the journal. */
  readonly stoppedBy?: unknown;
}

/** The creation of a property that may have been carried out without a confirmation. */
interface Doubt {
  readonly error: OutcomeUnknown;
  /** Its idempotency key: a repeat uses the same. */
  readonly key: string | undefined;
  readonly tries: number;
  /** A repeat was refused: the service would refuse another one too. */
  readonly isRefused: boolean;
}

/** A run under way. */
interface Run {
  readonly options: ExecuteOptions;
  readonly rows: RowJournal;
  readonly stop: RunStop;
  readonly results: Map<Item, Result>;
  readonly references: References;
  /** Creations in doubt. */
  readonly doubts: Map<Item, Doubt>;
  /** Consecutive rows that are in doubt. */
  doubtsInARow: number;
  /** Pending journal lines, which must be on the disk before the run ends. */
  writing: { readonly last: Promise<void>; readonly all: Promise<unknown> };
}

/** Rows per worker that are announced together, and the minimum in all: they are sent while the next sync runs. */
const AHEAD = 4;
const FEWEST_AHEAD = 64;

/** After this many consecutive rows in doubt, the service is read before more rows are sent. */
const MOST_DOUBTS_IN_A_ROW = 10;

/** Why a row that was announced is retracted. */
const UNSENT = 'The run was ended before it was sent.';

/**
 * Carries out a plan: properties, then people, then deletions, people's first.
 *
 * No request is sent before the journal announces it on the disk, and none after the journal could not be written. The outcome
 * of a request without an answer is unknown until it is settled by reading. Never rejects for errors of service or disk.
 */
export async function execute(items: readonly Item[], options: ExecuteOptions): Promise<Execution> {
  const results = new Map<Item, Result>();
  const written = Promise.resolve();
  const run: Run = {
    options,
    rows: createRowJournal(items, options.journal, Math.max(FEWEST_AHEAD, AHEAD * options.concurrency)),
    stop: createRunStop(options),
    results,
    references: createReferences(items, (item) => results.get(item)),
    doubts: new Map(),
    doubtsInARow: 0,
    writing: { last: written, all: written },
  };
  for (const item of items.filter((each) => !isPending(each))) {
    const result = withoutRequest(item, options.journal);
    results.set(item, result);
    // What was never sent does not predict how the next row fares.
    if (result.outcome === 'failed' && options.failFast) run.stop.record(result);
  }
  await orStop(run, run.rows.start());
  for (const phase of phasesOf(items)) {
    await carryOut(phase, run);
    later(run, run.rows.retractRest(UNSENT));
  }
  await run.writing.all;
  // An interruption after the last row does not count.
  const isWhole = items.every((item) => results.has(item));
  const stopped = isWhole ? run.stop.recorded() : run.stop.reason();
  const left = (item: Item) => notAttempted(item, stopped?.why ?? 'The run ended before this row.');
  return { results: items.map((item) => results.get(item) ?? left(item)), stoppedBy: stopped?.error };
}

/**
 * Creates what other rows need first, and deletes last. Reductions of access come after grants: they may rely on a user who
 * becomes account admin in the same plan.
 */
function phasesOf(items: readonly Item[]): readonly (readonly Item[])[] {
  const pending = items.filter(isPending);
  const isProperty = ({ kind }: Item) => kind === 'property';
  const isDeletion = ({ action }: Item) => action === 'delete';
  return [
    pending.filter((item) => isProperty(item) && !isDeletion(item)),
    pending.filter((item) => !isProperty(item) && !isDeletion(item) && !reduces(item)),
    pending.filter(reduces),
    pending.filter((item) => !isProperty(item) && isDeletion(item)),
    pending.filter((item) => isProperty(item) && isDeletion(item)),
  ];
}

function withoutRequest(item: Item, journal: OpenJournal): Result {
  const { action, kind, name, id, error, reason = 'reason unknown' } = item;
  if (error !== undefined)
    return { item, outcome: error instanceof OutcomeUnknown ? 'unknown' : 'failed', id, error };
  if (action === 'conflict') {
    const conflict = new CliError('conflict', reason, { exitCode: ExitCode.refused });
    return { item, outcome: 'failed', error: conflict };
  }
  if (action !== 'cannot_tell') return { item, outcome: 'done', id };
  if (isInDoubt(journal.recall(kind, name))) {
    const more =
      kind === 'invitation'
        ? '--resend-unknown invites again'
        : 'if it does not exist, --assume-new creates it';
    const doubt = new OutcomeUnknown(`${reason}, and no list shows it; ${more}`);
    return { item, outcome: 'unknown', error: doubt };
  }
  const undetermined = new CliError('cannot_tell', reason, { exitCode: ExitCode.blocked });
  return { item, outcome: 'not_attempted', error: undetermined };
}

/**
 * Carries out rows until none is in doubt, or nothing more can be done. Before a creation in doubt is repeated, the service is
 * read, once for all of them.
 */
async function carryOut(items: readonly Item[], run: Run): Promise<void> {
  const { options, doubts, results } = run;
  let left = items;
  while (left.length > 0) {
    run.doubtsInARow = 0;
    await eachOf(left, options.concurrency, (item) => attempt(item, run));
    const wasCut = mustSettle(run);
    const again = await settle(run, wasCut);
    const open = items.filter((item) => !results.has(item) && !again.includes(item));
    left = wasCut ? [...again, ...open] : again;
    if (left.length === 0 || run.stop.reason() !== undefined) break;
    if (again.length > 0) await backOff(again, run);
  }
  for (const [item, doubt] of doubts) noteSettled(unknown(item, doubt), run);
  doubts.clear();
}

async function attempt(item: Item, run: Run): Promise<void> {
  const { stop, rows, references, options, doubts } = run;
  if (mustSettle(run) || stop.reason() !== undefined) return;
  const body = references.inBody(item.body ?? {});
  const steps = references.inSteps(item.steps);
  const missing = 'missing' in body ? body.missing : 'missing' in steps ? steps.missing : undefined;
  if (missing !== undefined) note(notAttempted(item, lacking(missing)), run);
  if ('missing' in body || 'missing' in steps) return;
  const earlier = doubts.get(item);
  const announced = earlier === undefined ? await orStop(run, rows.announce(item)) : { value: earlier.key };
  if (announced === undefined) return;
  let ended: Ended = { state: 'not_sent' };
  // The run may have been stopped while the line was written.
  if (stop.reason() === undefined) {
    const request = { item, body: body.value, steps: steps.value, key: announced.value };
    ended = await sendRow(request, options.api, options.recheck);
    if (isKnownMail(item, ended, options.journal)) ended = { state: 'done', id: undefined };
  }
  if (!isLeftInDoubt(item, ended, announced.value, run)) writeDown(item, ended, run);
}

/** Whether the creations in doubt must be settled before another row is sent. */
function mustSettle({ doubtsInARow, options }: Run): boolean {
  return doubtsInARow >= (options.failFast ? 1 : MOST_DOUBTS_IN_A_ROW);
}

/**
 * Keeps a creation in doubt until it is settled. A refusal of a repeat does not settle the first attempt.
 *
 * @returns whether it is in doubt.
 */
function isLeftInDoubt(item: Item, ended: Ended, key: string | undefined, run: Run): boolean {
  const { doubts, stop } = run;
  const earlier = doubts.get(item);
  if (earlier !== undefined && ended.state === 'not_sent') {
    const { error } = ended;
    if (error !== undefined) stop.request({ why: `The run ended: ${error.message}`, error });
    return true;
  }
  const isRefused = earlier !== undefined && ended.state === 'failed';
  const isOpen = ended.state === 'unknown' && item.kind === 'property' && item.action === 'create';
  if (!isOpen && !isRefused) {
    doubts.delete(item);
    run.doubtsInARow = 0;
    return false;
  }
  const error = ended.error instanceof OutcomeUnknown ? ended.error : doubtAbout(ended.error);
  writeFailure(item, 'unknown', error, run);
  doubts.set(item, { error, key, isRefused, tries: (earlier?.tries ?? 0) + 1 });
  run.doubtsInARow += 1;
  return true;
}

/** Records how a row ended, without waiting for the disk. */
function writeDown(item: Item, ended: Ended, run: Run): void {
  const { rows, stop } = run;
  if (ended.state === 'not_sent') {
    const { error } = ended;
    const why = error?.message ?? UNSENT;
    later(run, rows.retract(item, why));
    if (error === undefined) return;
    // Every other row would fail the same way.
    stop.request({ why: `The run ended: ${why}`, error });
    note(notAttempted(item, why, error.requestId), run);
    return;
  }
  if (ended.state === 'done') {
    const { id, access } = ended;
    later(run, rows.ended(item, 'done', { id }));
    note({ item, outcome: 'done', id, access }, run);
    return;
  }
  const { state, error } = ended;
  if (state === 'fault')
    stop.request({ why: 'The run ended with a fault of innctl itself.', error: ended.fault });
  const outcome = state === 'failed' ? 'failed' : 'unknown';
  writeFailure(item, outcome, error, run);
  note({ item, outcome, id: item.id, error }, run);
}

/**
 * Reads the service once for all creations in doubt: one that is found is done, one that is certainly absent is sent again
 * under its key, and any other stays unknown unless keys are trusted.
 *
 * @returns the rows to send again.
 */
async function settle(run: Run, wasCut: boolean): Promise<readonly Item[]> {
  const { doubts, options, rows } = run;
  if (doubts.size === 0) return [];
  await run.writing.all;
  if (run.stop.isFinal()) return [];
  const names = [...doubts.keys()].map(({ name }) => name);
  const found = await findCreated(names, options.api);
  const again: Item[] = [];
  for (const [item, doubt] of doubts) {
    const id = found.ids.get(item.name);
    const mayRepeat = options.trustsKeys || found.isAbsent(item.name);
    if (id === undefined && doubt.tries < options.mostTries && !doubt.isRefused && mayRepeat) {
      again.push(item);
      continue;
    }
    doubts.delete(item);
    if (id !== undefined) {
      later(run, rows.ended(item, 'done', { id }));
      note({ item, outcome: 'done', id }, run);
    } else if (wasCut) note(unknown(item, doubt), run);
    else noteSettled(unknown(item, doubt), run);
  }
  return again;
}

async function backOff(again: readonly Item[], { options, doubts }: Run): Promise<void> {
  const tries = Math.max(...again.map((item) => doubts.get(item)?.tries ?? 1));
  await options.pause(tries).catch((cause: unknown) => {
    // `stop` is aborted too.
    if (!(cause instanceof Interruption)) throw cause;
  });
}

function note(result: Result, run: Run): void {
  run.stop.record(result);
  report(result, run);
}

/** A row that was settled later does not count for the circuit breaker. */
function noteSettled(result: Result, run: Run): void {
  run.stop.recordSettled(result);
  report(result, run);
}

function report(result: Result, { results, options }: Run): void {
  results.set(result.item, result);
  options.onRow(result);
}

function writeFailure(item: Item, outcome: 'failed' | 'unknown', error: CliError, run: Run): void {
  const { requestId: request_id, status } = error;
  later(run, run.rows.ended(item, outcome, { error: errorText(error), request_id, status }));
}

/** Waits for the journal. @returns `undefined` when it could not be written, which stops the run. */
async function orStop<Value>(
  run: Run,
  writing: Promise<Value>,
): Promise<{ readonly value: Value } | undefined> {
  try {
    return { value: await writing };
  } catch (error) {
    const why = 'The run ended because its journal could not be written.';
    run.stop.request({ why, error, isFinal: true });
    return undefined;
  }
}

/** Adds a pending journal line; lines that are written together share one promise. */
function later(run: Run, line: Promise<void>): void {
  const { last, all } = run.writing;
  if (line !== last) run.writing = { last: line, all: orStop(run, line).then(() => all) };
}

function unknown(item: Item, { error }: Doubt): Result {
  return { item, outcome: 'unknown', id: item.id, error };
}

function notAttempted(item: Item, why: string, requestId?: string): Result {
  const error = new CliError('not_attempted', why, { requestId });
  return { item, outcome: 'not_attempted', id: item.id, error };
}

function lacking({ name }: Item): string {
  return `Property ${name} was not created, or its outcome is unknown.`;
}
