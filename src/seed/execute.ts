import { CliError, OutcomeUnknown } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { type Clock, Interruption } from '../cli/ports.ts';
import { groupBy } from '../model/records.ts';
import { capitalised, sameName } from '../model/text.ts';
import type { Progress } from '../print/progress.ts';
import { doubtAbout } from '../service/refusal.ts';
import { retryDelayMs } from '../service/retry.ts';
import { createRowBreaker, type RowBreaker } from './breakers.ts';
import { isInventory, kindText } from './entry.ts';
import { type Item, isPending, linkKey } from './item.ts';
import type { Result } from './item-json.ts';
import { isInDoubt } from './journal-line.ts';
import { type LockoutRule, reduces } from './lockout-rows.ts';
import { lookFor } from './look-for.ts';
import { type Ended, resolveRow, type Service, sendRow, sendUnits, unresolvedItems } from './row.ts';
import { createRowJournal, type OpenJournal, type RowJournal } from './row-journal.ts';
import { eachOf } from './workers.ts';

/** What carrying out a plan needs. */
export interface ExecuteOptions {
  readonly api: Service;
  readonly journal: OpenJournal;
  /** Checks rows again right before they are sent, and says which must be the last. */
  readonly lockout: Pick<LockoutRule, 'recheck' | 'reducesSelf'>;
  readonly progress: Pick<Progress, 'step'>;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly random: () => number;
  /** Aborted with an `Interruption` when no further row may be started; rows under way are finished. */
  readonly signal: AbortSignal;
  /** When the run must be over, by `Clock.monotonic`. */
  readonly deadline?: number | undefined;
  /** Rows in parallel, from 1. */
  readonly concurrency: number;
  /** Stop at the first failure. */
  readonly failFast?: boolean | undefined;
  /** Attempts at a creation that may have been carried out; it is looked for before each repeat. */
  readonly mostTries: number;
  /** Whether the service is known to honour idempotency keys. */
  readonly trustsKeys: boolean;
  /** Called with each row that had a request, right after it ended; a failure ends the run. */
  readonly ended?: ((result: Result) => Promise<void>) | undefined;
}

/** How a run ended. */
export interface Execution {
  /** One for each item, in their order. */
  readonly results: readonly Result[];
  /** What stopped it before its last row, or a failure to write the journal. */
  readonly stoppedBy?: unknown;
}

/** A creation with a key that may have been carried out without a confirmation. */
interface Doubt {
  readonly error: OutcomeUnknown;
  /** Its idempotency key: a repeat uses the same. */
  readonly key: string | undefined;
  readonly tries: number;
  /** A repeat was refused: the service would refuse another one too. */
  readonly isRefused: boolean;
}

/** A run under way. */
interface Run extends ExecuteOptions {
  readonly rows: RowJournal;
  readonly results: Map<Item, Result>;
  /** Rows whose records have no id yet, by identity. */
  readonly unresolved: ReadonlyMap<string, Item>;
  readonly breaker: RowBreaker;
  /** Creations in doubt. */
  readonly doubts: Map<Item, Doubt>;
  /** Consecutive requests that are in doubt. */
  doubtsInARow: number;
  /** A row was put off until the creations in doubt are settled. */
  isCut: boolean;
  /**
   * Why no further row is started; the first reason is reported. `why` is the message of rows that were not started, `error`
   * that of the run, where the errors of its rows are not enough.
   */
  stopped: { readonly why: string; readonly error?: unknown } | undefined;
  /** The journal could not be written: no further request is sent, not even a read. */
  isJournalLost: boolean;
  /** Settles once all pending journal lines are on the disk, or one could not be written. */
  written: Promise<unknown>;
}

/** Rows per worker that are announced together, and the minimum in all: they are sent while the next sync runs. */
const AHEAD = 4;
const FEWEST_AHEAD = 64;

/** After this many consecutive requests in doubt, the service is read before more rows are sent. */
const MOST_DOUBTS_IN_A_ROW = 10;

/** Units that one request creates. */
const UNITS_A_REQUEST = 50;

/** Why a row that was announced is retracted. */
const UNSENT = 'The run was ended before it was sent.';

const FAIL_FAST = 'The run ended with the first row that was not done (--fail-fast).';

/**
 * Carries out a plan: unit attributes and properties, then what properties let, then people, then deletions, people's first,
 * then the user of the token.
 *
 * No request is sent before the journal announces it on the disk, and none after the journal could not be written. The outcome
 * of a request without an answer is unknown until it is settled by reading. Never rejects for errors of service or disk.
 */
export async function execute(items: readonly Item[], options: ExecuteOptions): Promise<Execution> {
  const ahead = Math.max(FEWEST_AHEAD, AHEAD * options.concurrency);
  const run: Run = {
    ...options,
    rows: createRowJournal(items, options.journal, ahead),
    results: new Map(),
    unresolved: unresolvedItems(items),
    breaker: createRowBreaker(),
    doubts: new Map(),
    doubtsInARow: 0,
    isCut: false,
    stopped: undefined,
    isJournalLost: false,
    written: Promise.resolve(),
  };
  for (const item of items.filter((each) => !isPending(each))) {
    const result = withoutRequest(item, options.journal);
    run.results.set(item, result);
    if (result.outcome === 'failed' && options.failFast) stop(run, FAIL_FAST);
  }
  await unlessLost(run, run.rows.start());
  for (const phase of phasesOf(items, options.lockout)) {
    run.rows.begin(phase);
    await carryOut(phase, run);
    later(run, run.rows.retractRest(UNSENT));
  }
  await run.written;
  // An interruption after the last row does not count.
  const stopped = items.every((item) => run.results.has(item)) ? run.stopped : stopReason(run);
  const left = (item: Item) => notAttempted(item, stopped?.why ?? 'The run ended before this row.');
  return { results: items.map((item) => run.results.get(item) ?? left(item)), stoppedBy: stopped?.error };
}

/**
 * The phases of a run, in their order. Reductions of access come after grants: they may rely on a user who becomes account
 * admin in the same plan. The user of the token comes last: no request is accepted after that.
 */
const phases = [
  ...['properties', 'unit_groups', 'units', 'people', 'reductions'],
  ...['delete people', 'delete units', 'delete unit_groups', 'delete properties', 'self'],
] as const;

/** Creates what other rows need first, and deletes it last; what is made of others of its kind the other way round. */
function phasesOf(
  items: readonly Item[],
  { reducesSelf }: ExecuteOptions['lockout'],
): readonly (readonly Item[])[] {
  const phaseOf = (item: Item): (typeof phases)[number] => {
    const { kind, action } = item;
    const own = kind === 'unit' || kind === 'unit_group' ? (`${kind}s` as const) : 'properties';
    if (reducesSelf(item)) return 'self';
    if (kind !== 'user' && kind !== 'invitation') return action === 'delete' ? `delete ${own}` : own;
    return action === 'delete' ? 'delete people' : reduces(item) ? 'reductions' : 'people';
  };
  const pending = items.filter(isPending);
  return phases.flatMap((phase) => {
    const levels = groupBy(
      pending.filter((item) => phaseOf(item) === phase),
      ({ level = 0 }) => level,
    );
    const inOrder = [...levels].sort(([one], [other]) => one - other).map(([, rows]) => rows);
    return phase.startsWith('delete') ? inOrder.reverse() : inOrder;
  });
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
    const create = 'if it does not exist, --assume-new creates it';
    const more = kind === 'invitation' ? '--resend-unknown invites again' : create;
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
  const { doubts, results } = run;
  let left = items;
  while (left.length > 0) {
    run.doubtsInARow = 0;
    run.isCut = false;
    await eachOf(jobsOf(left), run.concurrency, (job) => job(run));
    const wasCut = run.isCut;
    const again = await settle(run, wasCut);
    const open = items.filter((item) => !results.has(item) && !again.includes(item));
    left = wasCut ? [...again, ...open] : again;
    if (left.length === 0 || stopReason(run) !== undefined) break;
    if (again.length > 0) await backOff(again, run);
  }
  for (const [item, doubt] of doubts) noteSettled(unknown(item, doubt), run);
  doubts.clear();
}

/** A row by itself, or the units that are created in one property. */
function jobsOf(items: readonly Item[]): readonly ((run: Run) => Promise<void>)[] {
  const isUnit = ({ kind, action }: Item) => kind === 'unit' && action === 'create';
  const units = groupBy(items.filter(isUnit), homeOf);
  return [
    ...items.filter((item) => !isUnit(item)).map((item) => (run: Run) => attempt(item, run)),
    ...[...units.values()].map((some) => (run: Run) => attemptUnits(some, run)),
  ];
}

/** Tells the properties of rows of inventory apart, existing ones and those that the run creates. */
function homeOf({ body = {}, links = new Map() }: Item): string {
  return JSON.stringify(links.get(linkKey('property', String(body['property']))));
}

/** Whether a row must wait, or is not sent at all. */
function isHeld(run: Run): boolean {
  run.isCut ||= mustSettle(run);
  return mustSettle(run) || stopReason(run) !== undefined;
}

async function attempt(item: Item, run: Run): Promise<void> {
  if (isHeld(run) || isInUse(item, run)) return;
  const content = contentOf(item, run);
  if (content === undefined) return;
  const announced = run.doubts.get(item) ?? (await unlessLost(run, run.rows.announce(item)));
  if (announced === undefined) return;
  const { key } = announced;
  // The run may have been stopped while the line was written.
  const ended: Ended =
    stopReason(run) === undefined
      ? await sendRow({ item, ...content, key }, run)
      : { item, outcome: 'not_attempted' };
  const { user } = ended;
  if (user === undefined) return conclude(ended, key, run);
  // The withdrawal is settled.
  later(run, run.rows.ended(item, 'done', {}));
  await attempt(user, run);
  run.results.set(item, run.results.get(user) ?? notAttempted(user, stopReason(run)?.why ?? UNSENT));
}

/** What a row sends; `undefined` if what it needs was not created, which is noted. */
function contentOf(item: Item, run: Run) {
  const { missing, ...content } = resolveRow(item, run.unresolved, run.results);
  if (missing === undefined) return content;
  const what = `${kindText(missing.kind)} ${missing.name}`;
  const isMade = run.results.get(missing)?.outcome === 'done';
  const why = isMade
    ? `The id of ${what} is not shown yet.`
    : `${capitalised(what)} was not created, or its outcome is unknown.`;
  note(notAttempted(item, why), run);
  return undefined;
}

/** Whether a property cannot be deleted because something in it was not, which is noted. */
function isInUse(item: Item, run: Run): boolean {
  if (item.kind !== 'property' || item.action !== 'delete') return false;
  const isInside = ({ name }: Item) => sameName(name).startsWith(`${sameName(item.name)}/`);
  const left = [...run.results].find(
    ([other, { outcome }]) => isInventory(other.kind) && isInside(other) && outcome !== 'done',
  );
  if (left === undefined) return false;
  note(notAttempted(item, `${capitalised(kindText(left[0].kind))} ${left[0].name} was not deleted.`), run);
  return true;
}

/** Records how a request ended; a creation in doubt stays open. */
async function conclude(ended: Ended, key: string | undefined, run: Run, isAlone = true): Promise<void> {
  if (isLeftInDoubt(ended, key, run, isAlone)) return;
  writeDown(ended, run, isAlone);
  if (ended.outcome === 'not_attempted') return;
  await run.ended?.(ended).catch((error: unknown) => stop(run, 'The run ended before this row.', error));
}

/**
 * Creates units of one property, many with one request. The answers do not say whose ids they have, so the list is read after
 * the last one, and names decide.
 */
async function attemptUnits(items: readonly Item[], run: Run): Promise<void> {
  const confirmed: Item[] = [];
  // Those in doubt are sent again together, so that they have the same key.
  for (const group of groupBy(items, (item) => run.doubts.get(item)?.key).values())
    for (let start = 0; start < group.length; start += UNITS_A_REQUEST)
      confirmed.push(...(await attemptBulk(group.slice(start, start + UNITS_A_REQUEST), run)));
  if (confirmed.length === 0) return;
  const { ids } = await lookForUnits(confirmed, run);
  for (const item of confirmed) await conclude({ item, outcome: 'done', id: ids.get(item) }, undefined, run);
}

function lookForUnits(items: readonly Item[], run: Run) {
  return lookFor(items, (item) => propertyOf(item, run), run.api);
}

/** The id of the property of a row of inventory, as far as it is known. */
function propertyOf(item: Item, run: Run): string {
  return String(resolveRow(item, run.unresolved, run.results).body['property_id']);
}

/**
 * Sends one request for several units. One that is refused is sent again in halves: the reason may be one unit, or that there
 * are too many.
 *
 * @returns the rows that the service confirmed.
 */
async function attemptBulk(items: readonly Item[], run: Run): Promise<readonly Item[]> {
  if (isHeld(run)) return [];
  const rows = items.flatMap((item) => {
    const content = contentOf(item, run);
    return content === undefined ? [] : [{ item, body: content.body }];
  });
  if (rows.length === 0) return [];
  const sent = rows.map(({ item }) => item);
  const key = await unlessLost(run, run.rows.announceBulk(sent));
  if (key === undefined) return [];
  const ended: Omit<Ended, 'item'> =
    stopReason(run) === undefined ? await sendUnits(rows, key, run) : { outcome: 'not_attempted' };
  if (ended.outcome === 'done') return sent;
  const isRepeat = sent.some((item) => run.doubts.has(item));
  if (ended.outcome === 'failed' && !isRepeat && sent.length > 1 && isAboutRows(ended.error))
    return attemptHalves(sent, ended.error, run);
  for (const [index, item] of sent.entries()) await conclude({ item, ...ended }, key, run, index === 0);
  return [];
}

/** Sends what a refused request did not create, in halves: a service may refuse a part and create the rest. */
async function attemptHalves(
  sent: readonly Item[],
  error: CliError | undefined,
  run: Run,
): Promise<readonly Item[]> {
  const { ids } = await lookForUnits(sent, run);
  const [made, left] = [sent.filter((item) => ids.has(item)), sent.filter((item) => !ids.has(item))];
  for (const item of left) later(run, run.rows.retract(item, error?.message ?? UNSENT));
  const middle = Math.ceil(left.length / 2);
  const first = await attemptBulk(left.slice(0, middle), run);
  return [...made, ...first, ...(await attemptBulk(left.slice(middle), run))];
}

/** Whether a refusal of several rows may be about one of them. */
function isAboutRows(error: CliError | undefined): error is CliError {
  return error?.status !== undefined && [400, 409, 413, 422].includes(error.status);
}

/** Whether the creations in doubt must be settled before another row is sent. */
function mustSettle({ doubtsInARow, failFast }: Run): boolean {
  return doubtsInARow >= (failFast ? 1 : MOST_DOUBTS_IN_A_ROW);
}

/**
 * Keeps a creation in doubt until it is settled. A refusal of a repeat does not settle the first attempt.
 *
 * @param isAlone whether the row had a request of its own, or is the first of one.
 * @returns whether it is in doubt.
 */
function isLeftInDoubt(ended: Ended, key: string | undefined, run: Run, isAlone: boolean): boolean {
  const { doubts } = run;
  const { item, outcome, error: cause } = ended;
  const earlier = doubts.get(item);
  if (earlier !== undefined && outcome === 'not_attempted') {
    if (cause !== undefined) stop(run, `The run ended: ${cause.message}`, cause);
    return true;
  }
  const isRefused = earlier !== undefined && outcome === 'failed';
  const isCreation = item.kind !== 'invitation' && item.action === 'create';
  const isOpen = outcome === 'unknown' && !('fault' in ended) && isCreation;
  if (cause === undefined || !(isOpen || isRefused)) {
    doubts.delete(item);
    run.doubtsInARow = 0;
    return false;
  }
  const error = cause instanceof OutcomeUnknown ? cause : doubtAbout(cause);
  later(run, run.rows.ended(item, 'unknown', { error }));
  doubts.set(item, { error, key, isRefused, tries: (earlier?.tries ?? 0) + 1 });
  if (isAlone) run.doubtsInARow += 1;
  return true;
}

/**
 * Records how a row ended, without waiting for the disk.
 *
 * @param isAlone whether it had a request of its own, or is the first of one.
 */
function writeDown(ended: Ended, run: Run, isAlone: boolean): void {
  const { item, outcome, error } = ended;
  if (outcome === 'not_attempted') {
    const why = error?.message ?? UNSENT;
    later(run, run.rows.retract(item, why));
    if (error === undefined) return;
    // Every other row would fail the same way.
    stop(run, `The run ended: ${why}`, error);
    note(notAttempted(item, why, error.requestId), run);
    return;
  }
  if ('fault' in ended) stop(run, 'The run ended with a fault of innctl itself.', ended.fault);
  later(run, run.rows.ended(item, outcome, ended));
  if (isAlone) note(ended, run);
  else noteSettled(ended, run);
}

/**
 * Reads the service once for all creations in doubt: one that is found is done, one that is certainly absent is sent again
 * under its key, and any other stays unknown unless keys are trusted.
 *
 * @returns the rows to send again.
 */
async function settle(run: Run, wasCut: boolean): Promise<readonly Item[]> {
  const { doubts } = run;
  if (doubts.size === 0) return [];
  await run.written;
  if (run.isJournalLost) return [];
  const found = await lookFor([...doubts.keys()], (item) => propertyOf(item, run), run.api);
  // A request for several records was carried out if one of them is there.
  const done = new Set([...found.ids.keys()].map((item) => doubts.get(item)?.key));
  const noted = new Set<string | undefined>();
  const again: Item[] = [];
  for (const [item, doubt] of doubts) {
    const id = found.ids.get(item);
    const mayRepeat = !done.has(doubt.key) && (run.trustsKeys || found.absent.has(item));
    if (id === undefined && doubt.tries < run.mostTries && !doubt.isRefused && mayRepeat) {
      again.push(item);
      continue;
    }
    doubts.delete(item);
    if (id !== undefined) {
      later(run, run.rows.ended(item, 'done', { id }));
      note({ item, outcome: 'done', id }, run);
    } else if (wasCut && !noted.has(doubt.key)) note(unknown(item, doubt), run);
    else noteSettled(unknown(item, doubt), run);
    noted.add(doubt.key);
  }
  return again;
}

/** Waits before creations are sent again, until the end of the run at most. */
async function backOff(again: readonly Item[], run: Run): Promise<void> {
  const { doubts, clock, random, deadline = Number.POSITIVE_INFINITY, signal } = run;
  const tries = Math.max(...again.map((item) => doubts.get(item)?.tries ?? 1));
  const ms = Math.min(deadline - clock.monotonic(), retryDelayMs(tries, undefined, random()));
  await clock.sleep(Math.max(0, ms), signal).catch((cause: unknown) => {
    // The signal stops the run.
    if (!(cause instanceof Interruption)) throw cause;
  });
}

/** Notes a row that has ended, and stops the run if others would fail like it. */
function note(result: Result, run: Run): void {
  const error = failureOf(result);
  const shared = run.breaker(result);
  if (error?.exitCode === ExitCode.notLoggedIn)
    stop(run, 'The run ended when the service did not accept the credentials.', error);
  if (error !== undefined && shared !== undefined)
    stop(run, `The run ended: ten rows in a row failed alike. ${shared.message}`, shared);
  noteSettled(result, run);
}

/** Notes a row that was settled after later rows had ended: it does not count for the circuit breaker. */
function noteSettled(result: Result, run: Run): void {
  const { item, outcome } = result;
  if (run.failFast && failureOf(result) !== undefined) stop(run, FAIL_FAST);
  run.results.set(item, result);
  run.progress.step({ kind: item.kind, name: item.name, outcome });
}

function failureOf({ outcome, error }: Result): CliError | undefined {
  return outcome === 'done' || outcome === 'not_attempted' ? undefined : error;
}

function stop(run: Run, why: string, error?: unknown): void {
  run.stopped ??= { why, error };
}

/** Why no further row may be started; checks signal and deadline too. */
function stopReason(run: Run): Run['stopped'] {
  const { stopped, signal, deadline, clock } = run;
  if (stopped === undefined && signal.aborted) stop(run, 'interrupted', signal.reason);
  else if (stopped === undefined && deadline !== undefined && clock.monotonic() >= deadline) {
    const over = new CliError('timeout', 'The time of the run was over.', { exitCode: ExitCode.unavailable });
    stop(run, 'The time of the run was over before this row.', over);
  }
  return run.stopped;
}

/** Waits for the journal. @returns `undefined` when it could not be written, which stops the run. */
async function unlessLost<Value>(run: Run, writing: Promise<Value>): Promise<Value | undefined> {
  try {
    return await writing;
  } catch (error) {
    run.isJournalLost = true;
    stop(run, 'The run ended because its journal could not be written.', error);
    return undefined;
  }
}

/** Adds a pending journal line. */
function later(run: Run, line: Promise<void>): void {
  const { written } = run;
  run.written = unlessLost(run, line).then(() => written);
}

function unknown(item: Item, { error }: Doubt): Result {
  return { item, outcome: 'unknown', id: item.id, error };
}

function notAttempted(item: Item, why: string, requestId?: string): Result {
  const error = new CliError('not_attempted', why, { requestId });
  return { item, outcome: 'not_attempted', id: item.id, error };
}
