import { CliError } from '../cli/errors.ts';
import { Interruption } from '../cli/ports.ts';
import type { Session } from '../cli/session.ts';
import { isPlainTerminal } from '../print/paint.ts';
import { openProgress } from '../print/progress.ts';
import { countOutcomes } from './end.ts';
import { type ExecuteOptions, type Execution, execute, type RunJournal } from './execute.ts';
import type { ParsedFlags } from './flags.ts';
import { type Item, isPending } from './item.ts';
import { type History, type Recalled, recalledFor } from './journal/history.ts';
import { deriveKey } from './journal/keys.ts';
import type { RunAbout } from './journal/line.ts';
import type { Conclusion } from './report.ts';

/** What one command line changes, by the journal. */
export interface Run extends RunAbout {
  readonly session: Session;
  readonly flags: Pick<ParsedFlags, 'concurrency'> & Partial<ParsedFlags>;
  /** The end of the time limit, by `Clock.monotonic`; default: none besides that of each request. */
  readonly deadline?: number | undefined;
  /** What the journal says, if it was read before; default: it is read. */
  readonly history?: History | undefined;
  /** From --idempotency-key. */
  readonly givenKey?: string | undefined;
  /** A command about one record: it shows no progress, and an interruption ends its request. */
  readonly isOne?: true | undefined;
}

/** What the journal knows when a run plans. */
interface Known {
  readonly memory: Recalled;
  /** Whether it continues an earlier run. */
  readonly isContinued: boolean;
}

/** A plan that the user has confirmed. */
export interface AgreedPlan extends Pick<ExecuteOptions, 'ended'> {
  readonly items: readonly Item[];
  /** Default: no row reduces a user. */
  readonly lockout?: ExecuteOptions['lockout'] | undefined;
  /** Called when the run is over: what its report says besides. */
  readonly conclude?: ((execution: Execution) => Promise<Conclusion>) | undefined;
}

/** How a run ended, and what its command adds to that. */
export interface Ended extends Execution {
  readonly conclusion: Conclusion | undefined;
}

/** The run of a command about one record, or about those that it creates. */
export function singleRun(session: Session) {
  const { journal, context } = session;
  const flags = { concurrency: 1 };
  return { session, flags, command: journal.command, files: context.argv, isOne: true } as const;
}

/** The end of the time limit, by `Clock.monotonic`. */
export function deadlineOf({ settings, context }: Session): number | undefined {
  const seconds = settings().timeout?.value;
  return seconds && context.clock.monotonic() + seconds * 1000;
}

/**
 * Begins a run and carries out its plan. The same command line continues an incomplete run. Every write goes through here.
 *
 * @param agree makes the plan from what the journal knows, and asks for consent.
 * @throws {WouldSend} in a dry run of one record.
 */
export async function carryOut(run: Run, agree: (known: Known) => Promise<AgreedPlan>): Promise<Ended> {
  const { session, flags, command, files } = run;
  const { journal } = session;
  const history = run.history ?? (await journal.read());
  const isContinued = journal.begin({ command, files }, history, flags.runId);
  const memory = recalledFor(history, run, journal.runId());
  const plan = await agree({ memory, isContinued });
  const { givenKey } = run;
  const isBulk = plan.items.some(({ place }) => place !== undefined);
  const keysFrom = givenKey === undefined ? flags.runId && '--run-id' : '--idempotency-key';
  const kept: RunJournal = {
    recall: history.recall,
    see: journal.see,
    newKey(kind, name, text) {
      if (givenKey === undefined) return journal.newKey(kind, name, text, history);
      return isBulk ? deriveKey(givenKey, name, text, 0) : givenKey;
    },
    keysFrom: keysFrom === undefined || keysFrom === '' ? undefined : keysFrom,
  };
  const work = () => (run.isOne ? send(plan, run, kept, silent) : sendShown(plan, run, kept));
  const execution = await (run.isOne ? work() : session.sheltered(work));
  journal.end(countOutcomes(execution.results), isContinued);
  // A failed write of the journal fails the run even at its end.
  const failure: unknown = await journal.settled().catch((error: unknown) => error);
  const conclusion = await plan.conclude?.(execution);
  return {
    ...execution,
    stoppedBy: execution.stoppedBy ?? failure ?? conclusion?.failure,
    conclusion,
  };
}

/** Runs the steps before the first write; an interruption then reports that nothing was sent. */
export async function unsent<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Interruption)) throw error;
    const { signal, exitCode } = error;
    const sentence = `Interrupted by ${signal}; nothing was sent.`;
    throw new CliError('interrupted', sentence, { exitCode, cause: error });
  }
}

/** Carries out a plan, and shows progress. */
async function sendShown(plan: AgreedPlan, run: Run, journal: RunJournal): Promise<Execution> {
  const { session, flags } = run;
  const { context, out } = session;
  const { clock, signal, stderr, presentation } = context;
  const progress = openProgress({
    stderr,
    mode: flags.progress ?? 'auto',
    plain: isPlainTerminal(context.env),
    now: clock.monotonic,
    json: presentation.json,
  });
  await progress.start(plan.items.filter(isPending).length, 'Applying');
  let noted = Promise.resolve();
  const noteStop = () => {
    if (presentation.json) return;
    noted = out.note('Stopping: waiting for requests in progress; press ^C again to abort.');
  };
  signal.addEventListener('abort', noteStop, { once: true });
  try {
    return await send(plan, run, journal, progress);
  } finally {
    signal.removeEventListener('abort', noteStop);
    await noted;
    await progress.stop();
  }
}

const silent = { step: () => {} };
const noLockout = { recheck: async () => {}, reducesSelf: () => false };

function send(
  { items, lockout = noLockout, ended }: AgreedPlan,
  { session, flags, deadline }: Run,
  journal: RunJournal,
  progress: ExecuteOptions['progress'],
): Promise<Execution> {
  const { api, context, settings } = session;
  const { clock, random, signal } = context;
  const { concurrency, failFast } = flags;
  return execute(items, {
    ...{ api, journal, lockout, progress, clock, random, signal, deadline, concurrency, failFast, ended },
    ...{ mostTries: settings().maxAttempts.value, trustsKeys: api.trustsKeys },
  });
}
