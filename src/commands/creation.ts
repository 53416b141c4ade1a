import { CliError, type Detail, OutcomeUnknown } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { Interruption } from '../cli/ports.ts';
import type { LocalSession, Session } from '../cli/session.ts';
import { reasonOf } from '../fs/read.ts';
import { sameCommand } from '../out/text.ts';
import {
  type CreationAbout,
  changeRecent,
  forgetRecent,
  type RecentCreation,
  recallRecent,
} from '../seed/recent-creates.ts';
import { SANDBOX, type Target, targetOf } from '../seed/target.ts';

/** A creation that was written down before it is sent. */
export interface Begun {
  readonly key: string;
  /** What an earlier command left; `undefined` where this one is the first. */
  readonly before: RecentCreation | undefined;
  /** Whether it could be written down. */
  readonly isKept: boolean;
}

type Local = Pick<LocalSession, 'context' | 'folders' | 'out'>;
type Surroundings = Local & Pick<Session, 'settings' | 'credentials'>;

/** What single commands remember of one creation for ten minutes. @throws {CliError} where there is no token. */
export async function openRecent(what: Omit<CreationAbout, 'target'>, session: Surroundings) {
  const { context, out } = session;
  const place = placeOf(session);
  const about = { ...what, target: await targetUnasked(session) };
  return {
    /** @throws {CliError} exit 2 when the file is corrupt. */
    recall: () => recallRecent(about, place),
    /**
     * Writes down that it is about to be sent: under the key of the same command before, or a new one. On a disk that
     * refuses this is said, and the creation goes on.
     *
     * @param repeats whether one that was sent before is sent again now.
     * @param fresh the key of a first one.
     * @throws {CliError} exit 2 when the file is corrupt; `busy`, exit 7.
     */
    async begin(repeats: boolean, fresh = context.uuid()): Promise<Begun> {
      try {
        const before = await changeRecent(about, place, (known, first) => ({
          ...(known ?? { ...first, key: fresh }),
          ...(repeats ? { at: first.at } : {}),
        }));
        return { key: before?.key ?? fresh, before, isKept: true };
      } catch (cause) {
        if (!isOfDisk(cause)) throw cause;
        await out.warn(
          `Could not remember this creation: ${reasonOf(cause)}. Typed again it is another one, unless the service shows it.`,
        );
        return { key: fresh, before: undefined, isKept: false };
      }
    },
    /** Writes down what became of it. The service was asked by now: what fails here is only said. */
    change: (change: (known: RecentCreation) => RecentCreation | undefined) =>
      saying(session, () => changeRecent(about, place, (known) => known && change(known))),
  };
}

/**
 * Forgets a creation that certainly came to nothing, unless an earlier one of the same is in doubt.
 *
 * @returns for `catch`; every error goes on.
 */
export function forgetting(
  { change }: Pick<Awaited<ReturnType<typeof openRecent>>, 'change'>,
  { before, isKept }: Pick<Begun, 'before' | 'isKept'>,
) {
  return async (error: unknown): Promise<never> => {
    const isCertain = error instanceof CliError || error instanceof Interruption;
    if (isKept && before === undefined && isCertain && !(error instanceof OutcomeUnknown))
      await change(() => undefined);
    throw error;
  };
}

/** Forgets a creation that was deleted, so that the same one may be sent again. Never fails. */
export async function forgetCreation(id: string, session: Surroundings): Promise<void> {
  await saying(session, async () =>
    forgetRecent({ target: await targetUnasked(session), id }, placeOf(session)),
  );
}

/** Forgets all creations in the sandbox, which begins anew. Never fails. */
export async function forgetSandboxCreations(session: Local): Promise<void> {
  await saying(session, () => forgetRecent({ target: SANDBOX }, placeOf(session)));
}

async function saying({ out }: Pick<Local, 'out'>, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (!(cause instanceof CliError || isOfDisk(cause))) throw cause;
    const why = cause instanceof CliError ? cause.message : `${reasonOf(cause)}.`;
    await out.warn(`Could not write down what became of it. ${why}`);
  }
}

/** The account as far as token, login and client tell: a single command does not ask the service for it. */
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

function placeOf({ context, folders }: Pick<Local, 'context' | 'folders'>) {
  return { state: folders.state, now: context.clock.now, signal: context.signal };
}

function isOfDisk(cause: unknown): boolean {
  return cause instanceof Error && 'syscall' in cause;
}

/** Answers to a look that another try will not change: nothing is to be had there. */
const closed = new Set([403, 404, 405, 501]);

/** Whether a command looks before it creates, and what it does about what is there. */
export interface LookFlags {
  /** Look; --if-not-exists always does. */
  readonly check: boolean;
  readonly ifNotExists?: true;
}

/**
 * Looks before something is created. Where the service does not let us look, that is said and the creation goes on, unless
 * what is there must be known (--if-not-exists).
 *
 * @param whether what it would tell, as a clause: `whether HAM is there already`.
 * @throws {CliError} when the look fails otherwise: nothing was sent.
 */
export async function lookFirst<Seen>(
  look: () => Promise<Seen>,
  whether: string,
  { ifNotExists }: LookFlags,
  { out }: Pick<Session, 'out'>,
): Promise<Seen | undefined> {
  try {
    return await look();
  } catch (cause) {
    const isClosed = cause instanceof CliError && closed.has(cause.status ?? 0);
    if (!isClosed || ifNotExists === true) throw cause;
    await out.warn(`Could not look ${whether}. ${cause.message}`);
    return undefined;
  }
}

/** What is to be created is there. Exit 6, nothing was sent. */
export function alreadyExists(
  sentence: string,
  details: readonly Detail[],
  argv: readonly string[],
): CliError {
  return new CliError('already_exists', sentence, {
    exitCode: ExitCode.refused,
    details,
    hint: sameCommand(argv, '--if-not-exists'),
  });
}

/** Since when a record is there, as the end of a clause; nothing where it does not tell. */
export function sinceText(created: unknown): string {
  return typeof created === 'string' ? `, created ${created}` : '';
}
