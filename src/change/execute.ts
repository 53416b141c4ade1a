import type { Memory } from '../journal/history.ts';
import { Overtaken } from '../journal/journal.ts';
import { CliError, ExitCode, OutcomeUnknown } from '../model/errors.ts';
import { canonicalOf } from '../model/json-text.ts';
import { isInventory, type Kind, kindText } from '../model/kinds.ts';
import { type Clock, Interruption } from '../model/ports.ts';
import { chunksOf, groupBy, valueAt } from '../model/records.ts';
import { capitalised, sameName } from '../model/text.ts';
import type { Progress } from '../print/progress.ts';
import { UNITS_A_REQUEST } from '../service/inventory.ts';
import { doubtAbout } from '../service/refusal.ts';
import { retryDelayMs } from '../service/retry.ts';
import { creationHash, type Item, isPending, linkKey, type Result, reduces } from './item.ts';
import { lookFor } from './listing.ts';
import {
  type Ended,
  resolveRow,
  type Service,
  sendAlike,
  sendRow,
  sendUnits,
  unresolvedItems,
} from './row.ts';
import { eachOf } from './workers.ts';

/** What a run needs of the journal. */
export interface RunJournal extends Pick<Memory, 'recall'> {
  /** A new idempotency key. @param text what is created, canonical. */
  newKey(kind: Kind, name: string, text: string): string;
  /** Keeps that a read showed records. */
  see(kind: Kind, rows: readonly Pick<Item, 'name' | 'id'>[]): void;
  /** The flag that makes the keys, so that new ones may have been used before. */
  readonly keysFrom: '--run-id' | '--idempotency-key' | undefined;
}

/** Judges rows right before they are sent. */
export interface SendingRule {
  /** @throws {CliError} if a row must not be sent any more. */
  recheck(item: Item): Promise<void>;
  /** Whether it must be the last. */
  reducesSelf(item: Item): boolean;
}

/** What carrying out a plan needs. */
export interface ExecuteOptions {
  readonly api: Service;
  readonly journal: RunJournal;
  /** Checks rows again right before they are sent, and says which must be the last. */
  readonly lockout: SendingRule;
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

/** A creation that is done only when a read shows it. */
interface Doubt {
  readonly error: OutcomeUnknown;
  /** Its idempotency key: a repeat uses the same. */
  readonly key: string | undefined;
  readonly tries: number;
  /** Its id, if an answer said it. */
  readonly id: string | undefined;
  /** It is not sent again: it was answered, or a repeat was refused. */
  readonly isLast: boolean;
  /** Another process created it. */
  readonly overtaken?: Overtaken | undefined;
}

/** A run under way. */
interface Run extends ExecuteOptions {
  readonly results: Map<Item, Result>;
  /** Rows whose records have no id yet, by identity. */
  readonly unresolved: ReadonlyMap<string, Item>;
  readonly breaker: RowBreaker;
  /** Creations in doubt. */
  readonly doubts: Map<Item, Doubt>;
  /** The ids under which the last list shows a created record. */
  readonly listed: Map<Item, readonly string[]>;
  /** Consecutive requests that are in doubt. */
  doubtsInARow: number;
  /** A row was put off until the creations in doubt are settled. */
  isCut: boolean;
  /**
   * Why no further row is started; the first reason is reported. `why` is the message of rows that were not started, `error`
   * that of the run, where the errors of its rows are not enough.
   */
  stopped: { readonly why: string; readonly error?: unknown } | undefined;
}

/** After this many consecutive requests in doubt, the service is read before more rows are sent. */
const MOST_DOUBTS_IN_A_ROW = 10;

const FAIL_FAST = 'The run ended with the first row that was not done (--fail-fast).';

/**
 * Carries out a plan: unit attributes and properties, then what properties let, then people, then deletions, people's first,
 * then the user of the token.
 *
 * No request is sent before the journal announces it on the disk, and none after the journal could not be written. The outcome
 * of a request without an answer is unknown until it is settled by reading. Never rejects for errors of service or disk.
 */
export async function execute(items: readonly Item[], options: ExecuteOptions): Promise<Execution> {
  const run: Run = {
    ...options,
    results: new Map(),
    unresolved: unresolvedItems(items),
    breaker: createRowBreaker(),
    doubts: new Map(),
    listed: new Map(),
    doubtsInARow: 0,
    isCut: false,
    stopped: undefined,
  };
  for (const item of items.filter((each) => !isPending(each))) {
    const result = withoutRequest(item);
    run.results.set(item, result);
    if (result.outcome === 'failed' && options.failFast) stop(run, FAIL_FAST);
  }
  keepShown(items, options.journal);
  for (const phase of phasesOf(items, options.lockout)) await carryOut(phase, run);
  await lookForTwins(run);
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

/** Keeps that the plan has seen what the journal knows as created. */
function keepShown(items: readonly Item[], { recall, see }: RunJournal): void {
  const shown = items.filter(({ kind, name, seen, action }) => {
    const creation = recall(kind, name)?.creation;
    return creation !== undefined && !creation.isShown && (seen !== undefined || action === 'same');
  });
  for (const [kind, rows] of groupBy(shown, (item) => item.kind)) see(kind, rows);
}

/** Reads the lists in which the created records are, and reports those that exist twice, from any source. */
async function lookForTwins(run: Run): Promise<void> {
  const made = [...run.results].flatMap(([item, { outcome }]) =>
    item.action === 'create' && item.kind !== 'invitation' && outcome === 'done' ? [item] : [],
  );
  const unread = made.filter((item) => !run.listed.has(item));
  if (unread.length > 0 && run.stopped === undefined) await lookAgain(unread, run);
  for (const item of made) {
    const ids = run.listed.get(item);
    const result = run.results.get(item);
    if (ids === undefined || result === undefined) continue;
    run.results.set(item, { ...result, isListed: ids.length > 0 });
    if (ids.length < 2) continue;
    const what = `${capitalised(kindText(item.kind))} ${item.name} exists ${ids.length} times`;
    const error = new CliError('twins', `${what}: ${ids.join(', ')}. Delete all but one.`, {
      exitCode: ExitCode.partlyDone,
    });
    run.results.set(item, { item, outcome: 'failed', id: ids[0], error });
  }
}

/** Looks for created records, and keeps which are shown. */
async function lookAgain(items: readonly Item[], run: Run) {
  const idOf = (item: Item) => {
    const doubt = run.doubts.get(item);
    return doubt && (doubt.id ?? run.journal.recall(item.kind, item.name)?.id);
  };
  const propertyOf = (item: Item) =>
    String(resolveRow(item, run.unresolved, run.results).body['property_id']);
  const found = await lookFor(items, propertyOf, run.api, idOf);
  for (const [item, ids] of found.all) run.listed.set(item, ids);
  const shown = [...found.ids].map(([{ kind, name }, id]) => ({ kind, name, id }));
  for (const [kind, rows] of groupBy(shown, (row) => row.kind)) run.journal.see(kind, rows);
  return found;
}

function withoutRequest(item: Item): Result {
  const { action, id, error, reason = 'reason unknown' } = item;
  if (error !== undefined)
    return { item, outcome: error instanceof OutcomeUnknown ? 'unknown' : 'failed', id, error };
  if (action === 'conflict') {
    const conflict = new CliError('conflict', reason, { exitCode: ExitCode.refused });
    return { item, outcome: 'failed', error: conflict };
  }
  return { item, outcome: 'done', id };
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

/** A row by itself, the units that are created together in one property, or those of a command that lack the same. */
function jobsOf(items: readonly Item[]): readonly ((run: Run) => Promise<void>)[] {
  const isUnit = ({ kind, action, place }: Item) =>
    kind === 'unit' && action === 'create' && place !== undefined;
  // By property: an existing one, or one that the run creates.
  const units = groupBy(items.filter(isUnit), ({ body = {}, links }) =>
    JSON.stringify(links?.get(linkKey('property', String(body['property'])))),
  );
  const alike = alikeAmong(items);
  const others = items.filter((item) => !isUnit(item) && !alike.some((some) => some.includes(item)));
  return [
    ...others.map((item) => (run: Run) => attempt(item, run)),
    ...[...units.values()].map((some) => (run: Run) => attemptUnits(some, run)),
    ...alike.map((some) => (run: Run) => attemptAlike(some, run)),
  ];
}

/** Units of a command that lack the same, as many as one request takes. */
function alikeAmong(items: readonly Item[]): readonly (readonly Item[])[] {
  const units = items.filter(({ kind, wantedFor }) => kind === 'unit' && wantedFor !== undefined);
  const groups = [...groupBy(units, ({ steps }) => canonicalOf(steps).text).values()];
  return groups.flatMap((some) => chunksOf(some, UNITS_A_REQUEST)).filter(({ length }) => length > 1);
}

async function attemptAlike(items: readonly Item[], run: Run): Promise<void> {
  if (isHeld(run)) return;
  for (const [index, ended] of (await sendAlike(items, run)).entries())
    await conclude(ended, undefined, run, index === 0);
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
  const key = keyOf(item, run);
  await conclude(await sendRow({ item, ...content, key }, run), key, run);
}

/** The idempotency key of a creation: of its first request, if it is sent again. */
function keyOf(item: Item, { doubts, journal }: Run): string | undefined {
  const { kind, name, action, body, repeats } = item;
  if (action !== 'create' || kind === 'invitation') return undefined;
  return doubts.get(item)?.key ?? repeats?.key ?? journal.newKey(kind, name, canonicalOf(body).text);
}

/** Whether an answer may be one to an earlier request: then only a read says that the record is there. */
function isOlder({ repeats, kind, action }: Item, { journal }: Run): boolean {
  return (
    action === 'create' && kind !== 'invitation' && (repeats !== undefined || journal.keysFrom !== undefined)
  );
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
  const isInside = ({ name, record = {} }: Item) =>
    sameName(name).startsWith(`${sameName(item.name)}/`) || valueAt(record, ['property', 'id']) === item.id;
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
  writeDown({ ...ended, key }, run, isAlone);
  if (ended.outcome === 'not_attempted') return;
  await run.ended?.(ended).catch((error: unknown) => stop(run, 'The run ended before this row.', error));
}

/**
 * Creates units of one property, many with one request. The answers do not say whose ids they have, so the list is read after
 * the last one, and names decide.
 */
async function attemptUnits(items: readonly Item[], run: Run): Promise<void> {
  const confirmed: Item[] = [];
  for (const request of requestsOf(items, run)) confirmed.push(...(await attemptBulk(request, run)));
  if (confirmed.length === 0) return;
  const { ids } = await lookAgain(confirmed, run);
  for (const item of confirmed) await conclude({ item, outcome: 'done', id: ids.get(item) }, undefined, run);
}

/** Units of one request: those that went out together before, or a stretch of those that the property is to have. */
function requestsOf(items: readonly Item[], { doubts }: Run): readonly (readonly Item[])[] {
  const requests = groupBy(items, (item) => {
    const { place = 0, repeats } = item;
    return doubts.get(item)?.key ?? repeats?.id ?? Math.floor(place / UNITS_A_REQUEST);
  });
  return [...requests.values()];
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
  const sent = rows.map(({ item }) => item);
  const [first] = sent;
  if (first === undefined) return [];
  const isRepeat = sent.some((item) => item.repeats !== undefined || run.doubts.has(item));
  const key = run.doubts.get(first)?.key ?? first.repeats?.key ?? bulkKeyOf(sent, run);
  const ended = await sendUnits(rows, key, run);
  if (ended.outcome === 'done' && !isOlder(first, run)) return sent;
  // Such a refusal of several rows may be about one of them.
  const isAboutRows = ended.outcome === 'failed' && [400, 409, 413, 422].includes(ended.error?.status ?? 0);
  if (isAboutRows && !isRepeat && sent.length > 1) return attemptHalves(sent, run);
  for (const [index, item] of sent.entries()) await conclude({ item, ...ended }, key, run, index === 0);
  return [];
}

function bulkKeyOf(sent: readonly Item[], { journal }: Run): string {
  const text = canonicalOf(sent.map(({ name, body }) => [name, body])).text;
  const [{ kind, name } = { kind: 'unit' as const, name: '' }] = sent;
  return journal.newKey(kind, name, text);
}

/** Sends what a refused request did not create, in halves: a service may refuse a part and create the rest. */
async function attemptHalves(sent: readonly Item[], run: Run): Promise<readonly Item[]> {
  const { ids } = await lookAgain(sent, run);
  const [made, left] = [sent.filter((item) => ids.has(item)), sent.filter((item) => !ids.has(item))];
  const middle = Math.ceil(left.length / 2);
  const first = await attemptBulk(left.slice(0, middle), run);
  return [...made, ...first, ...(await attemptBulk(left.slice(middle), run))];
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
  const overtaken = cause instanceof Overtaken ? cause : undefined;
  const isAgain = earlier !== undefined || item.repeats !== undefined;
  const isRefused = isAgain && outcome === 'failed' && item.action === 'create';
  const isCreation = item.kind !== 'invitation' && item.action === 'create';
  const isOpen = outcome === 'unknown' && !('fault' in ended) && isCreation;
  const isAnswered = outcome === 'done' && key !== undefined && isOlder(item, run);
  if (overtaken === undefined && !isOpen && !isRefused && !isAnswered) {
    doubts.delete(item);
    run.doubtsInARow = 0;
    return false;
  }
  const error = doubtOf(ended, run);
  const isLast = !isOpen;
  const { id } = ended;
  doubts.set(item, { error, key, isLast, overtaken, id, tries: (earlier?.tries ?? 0) + 1 });
  if (isAlone && isOpen) run.doubtsInARow += 1;
  return true;
}

/** Why it is not known whether a record is there. */
function doubtOf(ended: Ended, run: Run): OutcomeUnknown {
  const { error } = ended;
  if (error === undefined) return notShown(ended, run);
  if (error instanceof OutcomeUnknown) return error;
  if (!(error instanceof Overtaken)) return doubtAbout(error);
  return new OutcomeUnknown(`${error.message} No list shows it yet.`, { cause: error });
}

/** The doubt about a record that an answer confirms, if no read shows it. */
function notShown({ item: { name } }: Ended, { journal: { keysFrom } }: Run): OutcomeUnknown {
  const anew = keysFrom === undefined ? '' : `: then give another ${keysFrom}`;
  return new OutcomeUnknown(
    `The service answers that it created ${name}, and does not show it: it is not visible yet, or was deleted${anew}.`,
  );
}

/**
 * Records how a row ended.
 *
 * @param isAlone whether it had a request of its own, or is the first of one.
 */
function writeDown(ended: Ended, run: Run, isAlone: boolean): void {
  const { item, outcome, error } = ended;
  if (outcome === 'not_attempted') {
    if (error === undefined) return;
    // Every other row would fail the same way.
    stop(run, `The run ended: ${error.message}`, error);
    note(notAttempted(item, error.message, error.requestId), run);
    return;
  }
  if ('fault' in ended) stop(run, 'The run ended with a fault of innctl itself.', ended.fault);
  if (isAlone) note(ended, run);
  else noteSettled(ended, run);
}

/**
 * Reads the service once for all creations in doubt: one that is found is done, any other is sent again under its key if keys
 * are honoured, and stays unknown otherwise.
 *
 * @returns the rows to send again.
 */
async function settle(run: Run, wasCut: boolean): Promise<readonly Item[]> {
  const { doubts, stopped } = run;
  // If the journal could not be written, nothing more is sent, not even a read.
  const isJournalLost = stopped?.error instanceof CliError && stopped.error.code === 'journal_failed';
  if (doubts.size === 0 || isJournalLost) return [];
  const found = await lookAgain(
    [...doubts.keys()].filter(({ kind }) => kind !== 'invitation'),
    run,
  );
  // A request for several records was carried out if one of them is there.
  const done = new Set([...found.ids.keys()].map((item) => doubts.get(item)?.key));
  const noted = new Set<string | undefined>();
  const again: Item[] = [];
  for (const [item, doubt] of doubts) {
    const id = found.ids.get(item);
    const mayRepeat = !done.has(doubt.key) && run.trustsKeys && !doubt.isLast;
    if (id === undefined && doubt.tries < run.mostTries && mayRepeat) {
      again.push(item);
      continue;
    }
    doubts.delete(item);
    if (id !== undefined || isSentByOther(item, doubt, run)) note(foundResult(item, id, doubt, run), run);
    else if (wasCut && !noted.has(doubt.key)) note(unknown(item, doubt), run);
    else noteSettled(unknown(item, doubt), run);
    noted.add(doubt.key);
  }
  return again;
}

/** Whether another process has sent the invitation, as the service answered. */
function isSentByOther({ kind, name }: Item, { overtaken }: Doubt, { journal }: Run): boolean {
  const isSent = kind === 'invitation' && overtaken !== undefined;
  return isSent && journal.recall(kind, name)?.creation?.isAnswered === true;
}

/** How a row in doubt ends that is there. */
function foundResult(
  item: Item,
  id: string | undefined,
  { overtaken, key }: Doubt,
  { journal }: Run,
): Result {
  const made = journal.recall(item.kind, item.name)?.creation?.row.hash;
  const isSame = overtaken === undefined || made === creationHash(item);
  if (isSame) return { item, outcome: 'done', id, key, isForeign: overtaken !== undefined };
  return { item, outcome: 'failed', id, error: overtaken };
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

function unknown(item: Item, { error }: Doubt): Result {
  return { item, outcome: 'unknown', id: item.id, error };
}

function notAttempted(item: Item, why: string, requestId?: string): Result {
  const error = new CliError('not_attempted', why, { requestId });
  return { item, outcome: 'not_attempted', id: item.id, error };
}

/** Consecutive failures that open a circuit breaker. Each was retried, which takes time. */
const MOST_IN_A_ROW = 10;

/** A circuit breaker for the rows of a run: takes each row as it ends. */
type RowBreaker = (result: Result) => CliError | undefined;

/**
 * Creates the circuit breaker for the rows of a run.
 *
 * @returns takes each row as it ends, and returns the failure once too many consecutive rows failed with the same code and
 * status. Failures that concern one row alone do not count.
 */
export function createRowBreaker(): RowBreaker {
  let last: CliError | undefined;
  let length = 0;
  return ({ item, outcome, error }) => {
    if (outcome === 'not_attempted' || !isPending(item)) return undefined;
    const failure = outcome === 'done' ? undefined : sharedFailure(error);
    const isAlike = failure?.code === last?.code && failure?.status === last?.status;
    length = isAlike ? length + 1 : 1;
    last = failure;
    return length >= MOST_IN_A_ROW ? failure : undefined;
  };
}

/** Statuses that concern one row alone. */
const aboutTheRow: ReadonlySet<number | undefined> = new Set([400, 404, 409, 410, 412, 415, 422]);

/** Exit codes of our own checks of a row. */
const ownChecks: ReadonlySet<ExitCode> = new Set([
  ExitCode.usage,
  ExitCode.notFound,
  ExitCode.refused,
  ExitCode.blocked,
  ExitCode.ambiguous,
]);

/** A failure that other rows may share: the error, or the cause of an unknown outcome. */
function sharedFailure(error: unknown): CliError | undefined {
  if (error instanceof OutcomeUnknown) return sharedFailure(error.cause);
  if (!(error instanceof CliError)) return undefined;
  const { code, status, exitCode } = error;
  // An HTML page comes from a proxy, whatever its status.
  if (code === 'html_answer') return error;
  const isOwn = status === undefined ? ownChecks.has(exitCode) : aboutTheRow.has(status);
  return isOwn ? undefined : error;
}
