import { CliError, type Detail } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import { sameCommand } from '../render/shell.ts';
import type { Session } from '../session.ts';

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
