import { CliError, OutcomeUnknown } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { Interruption } from '../cli/ports.ts';
import type { LocalSession, Session } from '../cli/session.ts';
import { reasonOf } from '../fs/read.ts';
import type { ServiceRecord } from '../model/records.ts';
import type { Facts } from '../out/output.ts';
import { sameCommand } from '../out/text.ts';
import type { Sight } from '../seed/find-property.ts';
import {
  type CreationAbout,
  changeRecent,
  forgetRecent,
  type RecentCreation,
  type RecentPlace,
} from '../seed/recent-creates.ts';
import { SANDBOX, type Target, targetOf } from '../seed/target.ts';

/** Whether a command looks before it creates, and what it does about what it finds. */
export interface LookFlags {
  /** Look; --if-not-exists always does. */
  readonly check: boolean;
  readonly ifNotExists?: true;
}

/** A record that exists already, in place of the one to be created. */
export interface Existing {
  readonly sentence: string;
  /** What identifies it, for the details of an error. */
  readonly shown: ServiceRecord;
  /** The result with --if-not-exists. */
  readonly facts: Facts;
}

/** Answers to a look that another try will not change. */
const closed = new Set([403, 404, 405, 501]);

/**
 * Looks before something is created. A look that is not allowed or not conclusive is a warning, and the creation goes on;
 * with --if-not-exists it must be allowed.
 *
 * @param whether what it is for, as a clause: `whether HAM exists already`.
 * @returns `undefined` if the service does not allow it.
 * @throws {CliError} when the look fails otherwise: nothing was sent.
 */
export async function lookFirst(
  looking: Promise<Sight>,
  whether: string,
  { ifNotExists }: LookFlags,
  { out }: Pick<Session, 'out'>,
): Promise<Sight | undefined> {
  try {
    const sight = await looking;
    if (sight.doubt !== undefined) await out.warn(`Could not look ${whether}: ${sight.doubt}.`);
    return sight;
  } catch (cause) {
    const isClosed = cause instanceof CliError && closed.has(cause.status ?? 0);
    if (!isClosed || ifNotExists === true) throw cause;
    await out.warn(`Could not look ${whether}. ${cause.message}`);
    return undefined;
  }
}

/**
 * Reports with --if-not-exists what exists already.
 *
 * @throws {CliError} `already_exists`, exit 6, without the flag.
 */
export async function reportExisting(
  { sentence, shown, facts }: Existing,
  { ifNotExists }: LookFlags,
  { context, out }: Pick<Session, 'context' | 'out'>,
): Promise<void> {
  if (ifNotExists === true) return out.done(sentence, facts);
  const details = Object.entries(shown).flatMap(([field, value]) =>
    typeof value === 'string' ? [{ field, reason: value }] : [],
  );
  const hint = sameCommand(context.argv, '--if-not-exists');
  throw new CliError('already_exists', sentence, { exitCode: ExitCode.refused, details, hint });
}

/** Since when a record exists, as the end of a clause; empty if unknown. */
export function sinceText(created: unknown): string {
  return typeof created === 'string' ? `, created ${created}` : '';
}

/** A creation that is written to disk before it is sent. */
export interface Remembered {
  readonly about: CreationAbout;
  readonly key: string;
  readonly at: number;
  /** What an earlier command left; `undefined` for the first one. */
  readonly before: RecentCreation | undefined;
  /** Whether it could be written. */
  readonly isKept: boolean;
}

type Local = Pick<LocalSession, 'context' | 'folders' | 'out'>;
type Surroundings = Local & Pick<Session, 'settings' | 'credentials'>;

/**
 * Writes down that a creation is about to be sent: under the key of the same command before, or a new one. If the disk refuses,
 * that is a warning, and the creation goes on.
 *
 * @param resends whether one that was sent before is sent again now.
 * @param typedKey is used as it is, and not written down if the same command before has another one.
 * @throws {CliError} exit 2 when the file is corrupt; `busy`, exit 7; if there is no token.
 */
export async function rememberCreation(
  what: Omit<CreationAbout, 'target'>,
  { resends, typedKey }: { readonly resends: boolean; readonly typedKey?: string | undefined },
  session: Surroundings,
): Promise<Remembered> {
  const { context, out } = session;
  const about = { ...what, target: await targetUnasked(session) };
  const key = typedKey ?? context.uuid();
  const at = context.clock.now();
  const hasOtherKey = (known: RecentCreation) => typedKey !== undefined && known.key !== typedKey;
  try {
    const before = await changeRecent(about, placeOf(session), (known, fresh) => {
      if (known === undefined) return { ...fresh, at, key };
      return resends && !hasOtherKey(known) ? { ...known, at } : known;
    });
    if (before !== undefined && hasOtherKey(before))
      return { about, key, at, before: undefined, isKept: false };
    return { about, key: before?.key ?? key, at, before, isKept: true };
  } catch (cause) {
    if (!isOfDisk(cause)) throw cause;
    await out.warn(
      `Could not record this creation: ${reasonOf(cause)}. The same command creates another one, unless the service shows it.`,
    );
    return { about, key, at, before: undefined, isKept: false };
  }
}

/** Writes down what became of a creation. A failure is only a warning: the service was asked by now. */
export async function updateRemembered(
  { about, isKept }: Remembered,
  changes: Partial<RecentCreation>,
  session: Local,
): Promise<void> {
  if (!isKept) return;
  const changing = changeRecent(about, placeOf(session), (known) => known && { ...known, ...changes });
  await warnOfFailure(changing, session);
}

/** Forgets a creation that failed and was certainly not carried out. */
export async function forgetFailed(remembered: Remembered, error: unknown, session: Local): Promise<void> {
  if (!mayForget(remembered, error)) return;
  await warnOfFailure(
    changeRecent(remembered.about, placeOf(session), () => undefined),
    session,
  );
}

/** Whether a failure means that nothing was created, and no earlier creation of the same is in doubt. */
export function mayForget(
  { before, isKept }: Pick<Remembered, 'before' | 'isKept'>,
  error: unknown,
): boolean {
  const isCertain =
    (error instanceof CliError || error instanceof Interruption) && !(error instanceof OutcomeUnknown);
  return isKept && before === undefined && isCertain;
}

/** Forgets a creation that was deleted, so that the same one may be sent again. Never fails. */
export async function forgetCreation(id: string, session: Surroundings): Promise<void> {
  const forgetting = targetUnasked(session).then((target) => forgetRecent({ target, id }, placeOf(session)));
  await warnOfFailure(forgetting, session);
}

/** Forgets all creations in the sandbox when it is reset. Never fails. */
export async function forgetSandboxCreations(session: Local): Promise<void> {
  await warnOfFailure(forgetRecent({ target: SANDBOX }, placeOf(session)), session);
}

async function warnOfFailure(work: Promise<unknown>, { out }: Pick<Local, 'out'>): Promise<void> {
  try {
    await work;
  } catch (cause) {
    if (!(cause instanceof CliError || isOfDisk(cause))) throw cause;
    const why = cause instanceof CliError ? cause.message : `${reasonOf(cause)}.`;
    await out.warn(`Could not record the outcome. ${why}`);
  }
}

/** The account as known from token, login and client: a single command does not ask the service for it. */
async function targetUnasked({ context, credentials, folders, settings }: Surroundings): Promise<Target> {
  const { findAccount } = await import('../auth/account.ts');
  const askWho = async () => undefined;
  const sources = {
    credentials,
    settings: settings(),
    folder: folders.config,
    askWho,
    signal: context.signal,
  };
  return targetOf(settings(), { account: (await findAccount(sources)).text });
}

function placeOf({ context, folders }: Pick<Local, 'context' | 'folders'>): RecentPlace {
  return { state: folders.state, now: context.clock.now, signal: context.signal };
}

function isOfDisk(cause: unknown): boolean {
  return cause instanceof Error && 'syscall' in cause;
}
