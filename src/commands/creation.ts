import { CliError, OutcomeUnknown } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { Interruption } from '../cli/ports.ts';
import type { LocalSession, Session } from '../cli/session.ts';
import { reasonOf } from '../fs/read.ts';
import type { ServiceRecord } from '../model/records.ts';
import type { Facts } from '../print/output.ts';
import { sameCommand } from '../print/text.ts';
import type { Sight } from '../seed/property-index.ts';
import {
  type CreationAbout,
  changeRecent,
  forgetRecent,
  type RecentCreation,
  type RecentPlace,
} from '../seed/recent-creates.ts';
import type { RecordFile } from '../seed/record.ts';
import { SANDBOX, type Target, targetOf } from '../seed/target.ts';
import { serviceLine } from './lines.ts';

/** The flags that read a record from a file, as typed. */
export interface FileFlags {
  readonly file?: string;
  readonly allowUnknownFields?: true;
}

/**
 * Reads the file of --file.
 *
 * @throws {CliError} with the command that applies it, if it has several records.
 */
export async function readGivenFile(
  kind: 'invitation' | 'property',
  { file, allowUnknownFields }: FileFlags,
  { api, context: { stdin }, globals }: Session,
): Promise<RecordFile | undefined> {
  if (file === undefined) return undefined;
  const { readRecord } = await import('../seed/record.ts');
  const options = { stdin, dialect: api.dialect, allowUnknown: allowUnknownFields === true };
  return readRecord(file, kind, options).catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error;
    const noun = kind === 'property' ? 'properties' : 'invitations';
    if (error.code === 'several_records') throw error.withHint(serviceLine(globals, 'apply', file));
    throw error.code === 'unreadable_file' ? error.withHint(`innctl ${noun} create --help`) : error;
  });
}

/** Whether a command checks first if the record exists, and what follows. */
export interface LookFlags {
  /** Check; implied by --if-not-exists. */
  readonly check: boolean;
  readonly ifNotExists?: true;
}

/** The existing record. */
export interface Existing {
  readonly sentence: string;
  /** What identifies it, for the details of an error. */
  readonly shown: ServiceRecord;
  /** The result with --if-not-exists. */
  readonly facts: Facts;
}

/** Statuses of a check that a retry will not change. */
const closed = new Set([403, 404, 405, 501]);

/**
 * Checks if a record exists before it is created. A check that is not allowed or not conclusive is only a warning,
 * unless --if-not-exists is given.
 *
 * @param whether the purpose, as a clause: `whether HAM already exists`.
 * @returns `undefined` if the service does not allow it.
 * @throws {CliError} if the check fails otherwise: nothing was sent.
 */
export async function lookFirst(
  looking: Promise<Sight>,
  whether: string,
  { ifNotExists }: LookFlags,
  { out }: Session,
): Promise<Sight | undefined> {
  try {
    const sight = await looking;
    if (sight.doubt !== undefined) await out.warn(`Could not check ${whether}: ${sight.doubt}.`);
    return sight;
  } catch (cause) {
    const isClosed = cause instanceof CliError && closed.has(cause.status ?? 0);
    if (!isClosed || ifNotExists === true) throw cause;
    await out.warn(`Could not check ${whether}. ${cause.message}`);
    return undefined;
  }
}

/**
 * Reports the existing record with --if-not-exists.
 *
 * @throws {CliError} `already_exists`, exit 6, without the flag.
 */
export async function reportExisting(
  { sentence, shown, facts }: Existing,
  { ifNotExists }: LookFlags,
  { context, out }: Session,
): Promise<void> {
  if (ifNotExists === true) return out.done(sentence, facts);
  const details = Object.entries(shown).flatMap(([field, value]) =>
    typeof value === 'string' ? [{ field, reason: value }] : [],
  );
  const hint = sameCommand(context.argv, '--if-not-exists');
  throw new CliError('already_exists', sentence, { exitCode: ExitCode.refused, details, hint });
}

/** The creation date as the end of a clause; empty if unknown. */
export function sinceText(created: unknown): string {
  return typeof created === 'string' ? `, created ${created}` : '';
}

/** A creation recorded on disk before it is sent. */
export type Remembered = Awaited<ReturnType<typeof rememberCreation>>;

type Local = Pick<LocalSession, 'context' | 'folders' | 'out'>;

/**
 * Records a creation before it is sent: under the key of the same earlier command, or a new one. A failed write is only
 * a warning.
 *
 * @param resends whether to send again what was sent before.
 * @param typedKey is used unchanged, and not recorded if the earlier command used another key.
 * @returns `before` is the record of an earlier command, if there is one; `isKept`: it could be recorded.
 * @throws {CliError} exit 2 when the file is corrupt; `busy`, exit 7; if there is no token.
 */
export async function rememberCreation(
  what: Omit<CreationAbout, 'target'>,
  { resends, typedKey }: { readonly resends: boolean; readonly typedKey?: string | undefined },
  session: Session,
) {
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
    if (before === undefined || !hasOtherKey(before))
      return { about, key: before?.key ?? key, at, before, isKept: true };
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    await out.warn(
      `Could not record this creation: ${reasonOf(cause)}. Running the same command again may create a duplicate.`,
    );
  }
  return { about, key, at, before: undefined, isKept: false };
}

/** Records the outcome of a creation. A failure is only a warning: the request was sent. */
export async function updateRemembered(
  { about, isKept }: Remembered,
  changes: Partial<RecentCreation>,
  session: Local,
): Promise<void> {
  if (!isKept) return;
  const changing = changeRecent(about, placeOf(session), (known) => known && { ...known, ...changes });
  await warnOfFailure(changing, session);
}

/** Forgets a creation that was certainly not carried out. */
export async function forgetFailed(remembered: Remembered, error: unknown, session: Local): Promise<void> {
  if (!mayForget(remembered, error)) return;
  const forgetting = changeRecent(remembered.about, placeOf(session), () => undefined);
  await warnOfFailure(forgetting, session);
}

/** Whether nothing was created, and no earlier attempt is in doubt. */
export function mayForget({ before, isKept }: Pick<Remembered, 'before' | 'isKept'>, error: unknown) {
  const isCertain =
    (error instanceof CliError || error instanceof Interruption) && !(error instanceof OutcomeUnknown);
  return isKept && before === undefined && isCertain;
}

/** Forgets the creation of a deleted record, so that it can be created again. Never fails. */
export async function forgetCreation(id: string, session: Session): Promise<void> {
  const forgetting = targetUnasked(session).then((target) => forgetRecent({ target, id }, placeOf(session)));
  await warnOfFailure(forgetting, session);
}

/** Forgets all creations in the sandbox after a reset. Never fails. */
export async function forgetSandboxCreations(session: Local): Promise<void> {
  await warnOfFailure(forgetRecent({ target: SANDBOX }, placeOf(session)), session);
}

async function warnOfFailure(work: Promise<unknown>, { out }: Pick<Local, 'out'>): Promise<void> {
  try {
    await work;
  } catch (cause) {
    if (!(cause instanceof CliError || isSystemError(cause))) throw cause;
    const why = cause instanceof CliError ? cause.message : `${reasonOf(cause)}.`;
    await out.warn(`Could not record the outcome. ${why}`);
  }
}

/** The account according to token, login and client, without a request. */
async function targetUnasked({ context, credentials, folders, settings }: Session): Promise<Target> {
  const { findAccount } = await import('../auth/account.ts');
  const me = async () => ({});
  const folder = folders.config;
  const { signal } = context;
  const { text } = await findAccount({ credentials, settings: settings(), folder, me, signal });
  return targetOf(settings(), text);
}

function placeOf({ context, folders }: Pick<Local, 'context' | 'folders'>): RecentPlace {
  return { state: folders.state, now: context.clock.now, signal: context.signal };
}

function isSystemError(cause: unknown): boolean {
  return cause instanceof Error && 'syscall' in cause;
}
