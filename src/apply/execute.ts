import { CliError, OutcomeUnknown } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import { type Brakes, createBrakes } from './brakes.ts';
import { type Item, isPending } from './item.ts';
import { reduces } from './lockout-rows.ts';
import { isInDoubt } from './memory.ts';
import { createReferences, type References } from './references.ts';
import { errorText, type Result } from './result.ts';
import { type Ended, type Service, sendRow } from './row.ts';
import { createRowJournal, type OpenJournal, type RowJournal } from './row-journal.ts';
import { findCreated } from './settle.ts';
import { eachOf } from './workers.ts';

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
  /** When the run must be over, milliseconds since the epoch. */
  readonly deadline?: number | undefined;
  readonly now: () => number;
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
    writing: { last: written, all: written },
  };
  for (const item of items.filter((each) => !isPending(each))) {
    const result = withoutRequest(item, options.journal);
    results.set(item, result);
    if (result.outcome === 'failed') run.brakes.saw(result);
  }
  await orHalt(run, run.rows.begin());
  for (const phase of phasesOf(items)) {
    await eachOf(phase, options.concurrency, (item) => attempt(item, run));
    later(run, run.rows.takeBackRest(UNSENT));
    await settleCreations(phase, run);
  }
  await run.writing.all;
  // What comes when all is done ends nothing.
  const isWhole = items.every((item) => results.has(item));
  const halt = isWhole ? run.brakes.pulled() : run.brakes.halt();
  const left = (item: Item) => notAttempted(item, halt?.why ?? 'The run ended before this row.');
  return { results: items.map((item) => results.get(item) ?? left(item)), stoppedBy: halt?.error };
}

function withoutRequest(item: Item, journal: OpenJournal): Result {
  const { action, kind, name, id, reason = 'nothing says why' } = item;
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
    const error = new OutcomeUnknown(`${reason}, and no list shows it; ${more}`);
    return { item, outcome: 'unknown', error };
  }
  return {
    item,
    outcome: 'not_attempted',
    error: new CliError('cannot_tell', reason, { exitCode: ExitCode.blocked }),
  };
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

async function attempt(item: Item, run: Run): Promise<void> {
  const { brakes, rows, references, options } = run;
  if (brakes.halt() !== undefined) return;
  const body = references.inBody(item.body ?? {});
  const steps = references.inSteps(item.steps);
  const missing = 'missing' in body ? body.missing : 'missing' in steps ? steps.missing : undefined;
  if (missing !== undefined) note(notAttempted(item, lacking(missing)), run);
  if ('missing' in body || 'missing' in steps) return;
  const announced = await orHalt(run, rows.announce(item));
  if (announced === undefined) return;
  let ended: Ended = { state: 'not_sent' };
  // The run may have been ended while the line was written.
  if (brakes.halt() === undefined) {
    const request = { item, body: body.value, steps: steps.value, key: announced.value };
    ended = await sendRow(request, options.api, options.lookAgain);
  }
  writeDown(item, ended, run);
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

function note(result: Result, { results, brakes, options }: Run): void {
  results.set(result.item, result);
  brakes.saw(result);
  options.onRow(result);
}

/** Looks once for the properties whose creation nobody answered for, unless nothing may be sent any more. */
async function settleCreations(phase: readonly Item[], run: Run): Promise<void> {
  const { results, rows, brakes, options } = run;
  const unknown = phase.filter(
    (item) =>
      item.kind === 'property' && item.action === 'create' && results.get(item)?.outcome === 'unknown',
  );
  await run.writing.all;
  if (unknown.length === 0 || brakes.isFinal()) return;
  const ids = await findCreated(
    unknown.map(({ name }) => name),
    options.api,
  );
  for (const item of unknown) {
    const id = ids.get(item.name);
    if (id === undefined) continue;
    later(run, rows.ended(item, 'done', { id }));
    results.set(item, { item, outcome: 'done', id });
  }
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
