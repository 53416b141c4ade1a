import type { Session } from '../cli/session.ts';
import { kindText } from '../files/entry.ts';
import { withoutHoles } from '../model/records.ts';
import { capitalised } from '../model/text.ts';
import { agree, type Limits, type Row, refuseBeyond } from './consent.ts';
import { settleCreations } from './creation-rules.ts';
import { errorOf } from './end.ts';
import type { FirstLook } from './existing.ts';
import { parseApplyFlags } from './flags.ts';
import { permitRows } from './guards.ts';
import type { Item } from './item.ts';
import { creationHash } from './item.ts';
import type { Result } from './item-json.ts';
import type { History, Sent } from './journal/history.ts';
import { again } from './lines.ts';
import { usableId } from './listing.ts';
import { type LockoutRule, refuseLockout } from './lockout.ts';
import { printPlanned } from './print.ts';
import { report } from './report.ts';
import { type AgreedPlan, carryOut, deadlineOf, singleRun, unsent } from './run.ts';
import { summaryOf } from './saved-plan.ts';

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
  const { allowLockout, limits, needsRoles } = consent;
  const flags = parseApplyFlags({ allowLockout, maxDeletes: limits?.maxDeletes, verbose: true });
  const items = rows.map(({ item }) => item);
  const limited = { ...flags, review: again(session, '--dry-run') };
  const plan = await unsent(agreeTo(rows, consent, session, false, limits && limited));
  if (session.globals.dryRun === true) return printPlanned(items, { summary: summaryOf(items) }, session);
  await session.pace({ ...flags, stop: session.context.signal });
  const { journal, context } = session;
  const about = { command: journal.command, files: context.argv };
  const ended = await carryOut({ session, flags, ...about, deadline: deadlineOf(session) }, async () => plan);
  await report(ended, undefined, { flags, session: continuing, needsRoles });
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
  const { api, context, journal, out } = session;
  let own: Created['own'] = () => undefined;
  const settle: Settle = async (items) => {
    const rules = { memory: history, honoursKeys: api.trustsKeys, now: context.clock.now };
    const settled = await settleCreations(items, api, rules);
    const note = noteOf(settled);
    if (note !== undefined) await out.note(note);
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

/** Why a single record is created although it was before. */
function noteOf([only, ...others]: readonly Item[]): string | undefined {
  if (only?.action !== 'create' || only.repeats !== undefined || others.length > 0) return undefined;
  const { kind, name, reason } = only;
  return reason && `${capitalised(kindText(kind))} ${name}: ${reason}.`;
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
