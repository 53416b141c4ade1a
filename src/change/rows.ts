import { type History, type Recalled, recalledFor, type Sent } from '../journal/history.ts';
import { deriveKey } from '../journal/journal.ts';
import type { RunAbout, Target } from '../journal/line.ts';
import { targetOf } from '../journal/line.ts';
import { CliError, ExitCode } from '../model/errors.ts';
import { Interruption } from '../model/ports.ts';
import { withoutHoles } from '../model/records.ts';
import type { Facts } from '../print/output.ts';
import { isPlainTerminal } from '../print/paint.ts';
import { openProgress } from '../print/progress.ts';
import type { Session } from '../session/session.ts';
import { agree, type Limits, type Row, refuseBeyond } from './consent.ts';
import { settleCreations } from './creation-rules.ts';
import { countOutcomes, errorOf } from './end.ts';
import { type ExecuteOptions, type Execution, execute, type RunJournal } from './execute.ts';
import type { FirstLook } from './existing.ts';
import type { ParsedFlags } from './flags.ts';
import { parseApplyFlags } from './flags.ts';
import type { LockoutRule } from './guards.ts';
import { permitRows, refuseLockout } from './guards.ts';
import type { Item, Result } from './item.ts';
import { creationHash, isPending, summaryOf } from './item.ts';
import { again } from './lines.ts';
import { usableId } from './listing.ts';
import type { Conclusion } from './report.ts';

/** The consent that the command line gives. */
export interface GivenConsent {
  /** A user without a role at an added property is not all that was wanted (exit 9); default: a warning. */
  readonly needsRoles?: boolean | undefined;
  readonly confirm?: readonly string[] | undefined;
  readonly allowLockout?: readonly string[] | undefined;
}

/** The consent to changes of records that were found, which their number limits instead of their names. */
interface FoundConsent extends GivenConsent {
  /** Its presence says that the command line does not name the records; `maxDeletes` is as typed. */
  readonly limits?: { readonly maxDeletes?: string | undefined };
  /** What the result says besides its rows. */
  readonly facts?: Facts | undefined;
}

/**
 * Changes or deletes one record.
 *
 * @returns how it ended: done, or with nothing to do.
 * @throws {CliError} exit 11 without consent; the error of the request. {WouldSend} in a dry run.
 */
export async function changeOne(row: Row, consent: GivenConsent, session: Session): Promise<Result> {
  const ended = await carryOut(singleRun(session), () => agreeTo([row], consent, session, true));
  const error = errorOf(ended, session.context.signal.reason);
  if (error !== undefined) throw error;
  return ended.results[0] ?? { item: row.item, outcome: 'done' };
}

/**
 * Changes or deletes several records that the command line names or describes: one plan, one consent, a result for each. The same
 * command makes a new plan of what is left.
 *
 * @param continuing the session whose command line continues an incomplete run.
 * @throws {CliError} exit 11 without consent; the error of the run, if it was not done completely.
 */
export async function changeRows(
  rows: readonly Row[],
  consent: FoundConsent,
  session: Session,
  continuing = session,
): Promise<void> {
  const { allowLockout, limits, needsRoles, facts } = consent;
  const flags = parseApplyFlags({ allowLockout, maxDeletes: limits?.maxDeletes, verbose: true });
  const items = rows.map(({ item }) => item);
  const limited = { ...flags, review: again(session, '--dry-run') };
  const plan = await unsent(agreeTo(rows, consent, session, false, limits && limited));
  const { printPlanned, report } = await import('./report.ts');
  if (session.globals.dryRun === true)
    return printPlanned(items, { ...facts, summary: summaryOf(items) }, session);
  await session.pace({ ...flags, stop: session.context.signal });
  const { command, context } = session;
  const about = { command, files: context.argv };
  const ended = await carryOut({ session, flags, ...about, deadline: deadlineOf(session) }, async () => plan);
  const kept = facts && { command, facts, where: [], notes: [] };
  await report(ended, kept, { flags, session: continuing, needsRoles });
}

/** How creations ended. */
export interface Created {
  readonly results: readonly Result[];
  /** Of the first one that is not done; `undefined` if all are. */
  readonly error: unknown;
  /** What an unfinished, identical command line sent for a record that is unchanged, or one with the same key. */
  readonly own: (item: Item) => Sent | undefined;
}

/** What is to be created by a command. */
interface Creating {
  /** As it was before the service was read. */
  readonly history: History;
  /** From --idempotency-key. */
  readonly givenKey?: string | undefined;
  /** What is sent of the rows. @param own as of `Created`. @throws {CliError} what is refused. */
  readonly rowsOf: (own: Created['own'], settle: Settle) => Promise<readonly Item[]>;
}

/** Applies the rules of truth to what no list shows. @returns the items; what a read by its id shows is the `same`. */
export type Settle = (items: readonly Item[]) => Promise<readonly Item[]>;

/**
 * Creates records. Continues what an unfinished, identical command line left.
 *
 * @returns `isForeign` rows were there already.
 * @throws {WouldSend} in a dry run.
 */
export async function create({ history, givenKey, rowsOf }: Creating, session: Session): Promise<Created> {
  const { api, context } = session;
  const journal = await session.journal();
  let own: Created['own'] = () => undefined;
  const settle: Settle = async (items) => {
    const rules = { memory: history, honoursKeys: api.trustsKeys, now: context.clock.now };
    const settled = await settleCreations(items, api, rules);
    return items.map((item, place) => {
      const { id, ...ruled } = settled[place] ?? item;
      return id === undefined ? ruled : shownAs(item, id);
    });
  };
  const run = { ...singleRun(session), history, givenKey };
  const ended = await carryOut(run, async ({ isContinued }) => {
    own = (item) => {
      const { creation: { sent, row } = {}, isChanged } = history.recall(item.kind, item.name) ?? {};
      const isOfRun = isContinued && sent?.run === journal.runId() && row?.hash === creationHash(item);
      const isOwn = isOfRun || (givenKey !== undefined && sent?.key === givenKey);
      return isOwn && isChanged !== true ? sent : undefined;
    };
    const items = await rowsOf(own, settle);
    permitRows(items, session);
    return { items };
  });
  const results = ended.results.map((result) => {
    const isForeign = result.item.action === 'same' && own(result.item) === undefined;
    return isForeign ? { ...result, isForeign } : result;
  });
  return { results, error: errorOf(ended, context.signal.reason), own };
}

/** @param found the record, if the service shows it. @returns `undefined` if it is there and not of this command. */
export async function createOne(
  row: Row,
  { history, found }: FirstLook,
  session: Session,
  givenKey?: string,
): Promise<(Omit<Created, 'results'> & { readonly result: Partial<Result> }) | undefined> {
  let isThere = false;
  const rowsOf: Creating['rowsOf'] = async (own, settle) => {
    const { item } = row;
    if (found === undefined) {
      const items = await settle([item]);
      await agree([row], {}, session, true);
      return items;
    }
    isThere = own(item) === undefined;
    return isThere ? [] : [shownAs(item, usableId(found['id']))];
  };
  const { results, ...created } = await create({ history, givenKey, rowsOf }, session);
  return isThere ? undefined : { ...created, result: { record: found, ...withoutHoles({ ...results[0] }) } };
}

/** The row of a record that is shown, whatever it has. */
function shownAs(item: Item, id?: string): Item {
  return { ...item, action: 'same', id };
}

/** Asks guards, lock-out rule, limits and the person. @throws {CliError} exit 11. */
export async function agreeTo(
  rows: readonly Row[],
  consent: GivenConsent,
  session: Session,
  isOne: boolean,
  limits?: Limits,
): Promise<AgreedPlan> {
  const items = rows.map(({ item }) => item);
  const lockout = await checkRows(items, consent.allowLockout, session, limits);
  await agree(rows, consent, session, isOne);
  // The account may have changed while a question was open.
  return {
    items,
    lockout: isOne && !(session.mayAsk() && session.globals.dryRun !== true) ? undefined : lockout,
  };
}

/**
 * Checks rows against guards, lock-outs and limits before they are confirmed.
 *
 * @throws {CliError} exit 11; nothing was sent.
 */
export async function checkRows(
  items: readonly Item[],
  allowLockout: readonly string[] | undefined,
  session: Session,
  limits?: Limits,
): Promise<LockoutRule> {
  permitRows(items, session);
  // Before the limits: a hint to raise a limit is useless for a plan that is refused anyway.
  const lockout = await refuseLockout(items, allowLockout ?? [], session);
  if (limits !== undefined) refuseBeyond(items, limits, session);
  return lockout;
}

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
function singleRun(session: Session) {
  const { command, context } = session;
  const flags = { concurrency: 1 };
  return { session, flags, command, files: context.argv, isOne: true } as const;
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
  const journal = await session.journal();
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
  const { signal, stderr, presentation } = context;
  const progress = openProgress({
    stderr,
    mode: flags.progress ?? 'auto',
    plain: isPlainTerminal(context.env),
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

/**
 * The service and the account of a run.
 *
 * @throws {CliError} `unknown_account`, exit 11, if the run deletes and the account is unknown.
 */
export async function targetIn(session: Session, { prune }: { readonly prune: boolean }): Promise<Target> {
  const { account, credentials, settings } = session;
  const { text, name } = await account();
  if (!prune || name !== undefined) return targetOf(settings(), text);
  // Records of an unknown account may belong to another one.
  throw new CliError(
    'unknown_account',
    `--prune deletes what the same account created, and the account of the token of ${credentials.source} is unknown: ` +
      'neither the token nor users/me shows it. Nothing was sent.',
    {
      exitCode: ExitCode.blocked,
      hint: 'Use a credential of a known account: a login (innctl login), a client (INNCTL_CLIENT_ID, INNCTL_CLIENT_SECRET) or a token that may read users/me.',
    },
  );
}
