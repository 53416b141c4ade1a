import { CliError, OutcomeUnknown } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { Interruption } from '../cli/ports.ts';
import { doubtAbout } from '../service/refusal.ts';
import { type Brakes, createBrakes } from './brakes.ts';
import { createDoubts, type Doubts, inRounds, type Rounds } from './doubts.ts';
import { findCreated } from './end.ts';
import { type Item, isPending } from './item.ts';
import { errorText, type Result } from './item-json.ts';
import { reduces } from './lockout-rows.ts';
import { createReferences, type Ended, isKnownMail, type References, type Service, sendRow } from './row.ts';
import { createRowJournal, type OpenJournal, type RowJournal } from './row-journal.ts';
import { isInDoubt } from './target.ts';
import { eachOf } from './workers.ts';

/** So many rows of each worker are announced together, and so many at least: they are sent while one sync takes place. */
const AHEAD = 4;
const FEWEST_AHEAD = 64;

/** Why a row that was announced is taken back. */
const UNSENT = 'The run was ended before it was sent.';

/** A run under way. */
interface Run {
  readonly options: ExecuteOptions;
  readonly rows: RowJournal;
  readonly brakes: Brakes;
  readonly results: Map<Item, Result>;
  readonly references: References;
  readonly doubts: Doubts;
  /** Lines that nothing waits for, and that must be on the disk before the run is over. */
  writing: { readonly last: Promise<void>; readonly all: Promise<unknown> };
}

/**
 * Carries out a plan: properties, then people, then deletions, people's first.
 *
 * No request goes out before the journal says so on the disk, and none after it is known that the journal could not be
 * written. What was left without an answer is unknown until it was read. Rejects never for what the service or the disk do.
 */
export async function execute(items: readonly Item[], options: ExecuteOptions): Promise<Execution> {
  const results = new Map<Item, Result>();
  const written = Promise.resolve();
  const run: Run = {
    options,
    rows: createRowJournal(items, options.journal, Math.max(FEWEST_AHEAD, AHEAD * options.concurrency)),
    brakes: createBrakes(options),
    results,
    references: createReferences(items, (item) => results.get(item)),
    doubts: createDoubts(options.failFast),
    writing: { last: written, all: written },
  };
  for (const item of items.filter((each) => !isPending(each))) {
    const result = withoutRequest(item, options.journal);
    results.set(item, result);
    // What was never sent says nothing of how the next row would fare.
    if (result.outcome === 'failed' && options.failFast) run.brakes.saw(result);
  }
  await orHalt(run, run.rows.begin());
  for (const phase of phasesOf(items)) {
    await inRounds(phase, run.doubts, roundsOf(run));
    later(run, run.rows.takeBackRest(UNSENT));
  }
  await run.writing.all;
  // What comes when all is done ends nothing.
  const isWhole = items.every((item) => results.has(item));
  const halt = isWhole ? run.brakes.pulled() : run.brakes.halt();
  const left = (item: Item) => notAttempted(item, halt?.why ?? 'The run ended before this row.');
  return { results: items.map((item) => results.get(item) ?? left(item)), stoppedBy: halt?.error };
}

function withoutRequest(item: Item, journal: OpenJournal): Result {
  const { action, kind, name, id, error, reason = 'nothing says why' } = item;
  if (error !== undefined)
    return { item, outcome: error instanceof OutcomeUnknown ? 'unknown' : 'failed', id, error };
  if (action === 'conflict') {
    return {
      item,
      outcome: 'failed',
      error: new CliError('conflict', reason, { exitCode: ExitCode.refused }),
    };
  }
  if (action !== 'cannot_tell') return { item, outcome: 'done', id };
  if (isInDoubt(journal.recall(kind, name))) {
    const more =
      kind === 'invitation'
        ? '--resend-unknown invites again'
        : 'if it is not there, --assume-new creates it';
    const doubt = new OutcomeUnknown(`${reason}, and no list shows it; ${more}`);
    return { item, outcome: 'unknown', error: doubt };
  }
  return {
    item,
    outcome: 'not_attempted',
    error: new CliError('cannot_tell', reason, { exitCode: ExitCode.blocked }),
  };
}

async function attempt(item: Item, run: Run): Promise<void> {
  const { brakes, rows, references, options, doubts } = run;
  if (doubts.mustLook() || brakes.halt() !== undefined) return;
  const body = references.inBody(item.body ?? {});
  const steps = references.inSteps(item.steps);
  const missing = 'missing' in body ? body.missing : 'missing' in steps ? steps.missing : undefined;
  if (missing !== undefined) note(notAttempted(item, lacking(missing)), run);
  if ('missing' in body || 'missing' in steps) return;
  const earlier = doubts.of(item);
  const announced = earlier === undefined ? await orHalt(run, rows.announce(item)) : { value: earlier.key };
  if (announced === undefined) return;
  let ended: Ended = { state: 'not_sent' };
  // The run may have been ended while the line was written.
  if (brakes.halt() === undefined) {
    const request = { item, body: body.value, steps: steps.value, key: announced.value };
    ended = await sendRow(request, options.api, options.lookAgain);
    if (isKnownMail(item, ended, options.journal)) ended = { state: 'done', id: undefined };
  }
  if (!isLeftInDoubt(item, ended, announced.value, run)) writeDown(item, ended, run);
}

/** Writes down how a row ended; the next row of this worker need not wait for the disk. */
function writeDown(item: Item, ended: Ended, run: Run): void {
  const { rows, brakes } = run;
  if (ended.state === 'not_sent') {
    const { error } = ended;
    const why = error?.message ?? UNSENT;
    later(run, rows.takeBack(item, why));
    if (error === undefined) return;
    // Every other row would have to wait as long.
    brakes.pull({ why: `The run ended: ${why}`, error });
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
  if (state === 'fault') {
    brakes.pull({ why: 'The run ended with a fault of innctl itself.', error: ended.fault });
  }
  const outcome = state === 'failed' ? 'failed' : 'unknown';
  const { requestId: request_id, status } = error;
  later(run, rows.ended(item, outcome, { error: errorText(error), request_id, status }));
  note({ item, outcome, id: item.id, error }, run);
}

function note(result: Result, run: Run): void {
  run.brakes.saw(result);
  tell(result, run);
}

/** What was found out of a row afterwards says nothing of the rows beside it. */
function noteSettled(result: Result, run: Run): void {
  run.brakes.settled(result);
  tell(result, run);
}

function tell(result: Result, { results, options }: Run): void {
  results.set(result.item, result);
  options.onRow(result);
}

/**
 * Keeps a creation that may have been carried out until it was looked for. What refuses a repeat says nothing of the try
 * before it.
 *
 * @returns whether it is in doubt.
 */
function isLeftInDoubt(item: Item, ended: Ended, key: string | undefined, run: Run): boolean {
  const { doubts, brakes, rows } = run;
  const earlier = doubts.of(item);
  const isRefused = earlier !== undefined && ended.state === 'failed';
  if (earlier !== undefined && ended.state === 'not_sent') {
    if (ended.error !== undefined)
      brakes.pull({ why: `The run ended: ${ended.error.message}`, error: ended.error });
    return true;
  }
  const isOpen = ended.state === 'unknown' && item.kind === 'property' && item.action === 'create';
  if (!isOpen && !isRefused) {
    doubts.ended(item);
    return false;
  }
  const error = ended.error instanceof OutcomeUnknown ? ended.error : doubtAbout(ended.error);
  const { requestId: request_id, status } = error;
  later(run, rows.ended(item, 'unknown', { error: errorText(error), request_id, status }));
  doubts.arose(item, { error, key, isRefused });
  return true;
}

function roundsOf(run: Run): Rounds {
  const { options, results, rows, brakes } = run;
  return {
    most: options.mostTries,
    trustsKeys: options.trustsKeys,
    carryOut: (items) => eachOf(items, options.concurrency, (item) => attempt(item, run)),
    async look(names) {
      await run.writing.all;
      return brakes.isFinal() ? undefined : findCreated(names, options.api);
    },
    done(item, id) {
      later(run, rows.ended(item, 'done', { id }));
      note({ item, outcome: 'done', id }, run);
    },
    unknown(item, { error }, isInARow) {
      const result: Result = { item, outcome: 'unknown', id: item.id, error };
      if (isInARow) note(result, run);
      else noteSettled(result, run);
    },
    isOpen: (item) => !results.has(item),
    mayGoOn: () => brakes.halt() === undefined,
    pause: (tries) =>
      options.pause(tries).catch((cause: unknown) => {
        // The brakes know of it.
        if (!(cause instanceof Interruption)) throw cause;
      }),
  };
}

/** Waits for the journal. @returns `undefined` when it could not be written, which ends the run. */
async function orHalt<Value>(
  run: Run,
  writing: Promise<Value>,
): Promise<{ readonly value: Value } | undefined> {
  try {
    return { value: await writing };
  } catch (error) {
    run.brakes.pull({ why: 'The run ended because its journal could not be written.', error, isFinal: true });
    return undefined;
  }
}

/** Lines that are written together have one promise. */
function later(run: Run, line: Promise<void>): void {
  const { last, all } = run.writing;
  if (line !== last) run.writing = { last: line, all: orHalt(run, line).then(() => all) };
}

function notAttempted(item: Item, why: string, requestId?: string): Result {
  const error = new CliError('not_attempted', why, { requestId });
  return { item, outcome: 'not_attempted', id: item.id, error };
}

function lacking({ name }: Item): string {
  return `Property ${name} was not created, or nobody knows whether it was.`;
}

/** What carrying out a plan needs. */
export interface ExecuteOptions {
  readonly api: Service;
  readonly journal: OpenJournal;
  /** Right before a row is sent; what it rejects with is how the row fails. */
  readonly lookAgain: (item: Item) => Promise<void>;
  /** So many rows at a time, from 1. */
  readonly concurrency: number;
  /** Begin no further row once one was not done. */
  readonly failFast: boolean;
  /** Aborted when no further row may be begun; those under way end as they do. */
  readonly stop: AbortSignal;
  /** When the run must be over, by `Clock.monotonic`. */
  readonly deadline?: number | undefined;
  readonly now: () => number;
  /** A creation that may have been carried out is sent so often, and looked for before each repeat. */
  readonly mostTries: number;
  /** Whether the service is known to honour idempotency keys. */
  readonly trustsKeys: boolean;
  /** Waits before a repeat, for a time that grows with the tries that were made. Rejects with an `Interruption`. */
  readonly pause: (tries: number) => Promise<void>;
  /** Called for each row that was carried out, as it ends. */
  readonly onRow: (result: Result) => void;
}

/** How a run ended. */
export interface Execution {
  /** One for each item, in their order. */
  readonly results: readonly Result[];
  /** What ended it before its last row, or kept its journal from being written. */
  readonly stoppedBy?: unknown;
}

/**
 * What must be there before others need it comes first, what others may need goes last. Who takes away from somebody may
 * rely on a user who is made an account admin by the same plan.
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
