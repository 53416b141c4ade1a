import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Session } from '../cli/session.ts';
import { withoutHoles } from '../model/records.ts';
import type { Facts, Output } from '../print/output.ts';
import type { Result } from './item-json.ts';
import { serviceLine } from './lines.ts';

/** The sentence and the facts about one changed or deleted record. */
interface Told {
  /** The beginning of a sentence: `Updated property BER`. */
  readonly done: string;
  /** The sentence if nothing was written. */
  readonly undone: string;
  readonly facts: Facts;
  /** The fact that says whether it was written. */
  readonly fact: 'updated' | 'changed' | 'deleted' | 'archived';
}

/** Tells how the change or deletion of one record ended, and what reading it back showed. */
export async function tellOne(
  { readBack }: Pick<Result, 'readBack'>,
  { done, undone, facts, fact }: Told,
  out: Output,
): Promise<void> {
  if (readBack === undefined || readBack.isWritten === false)
    return out.done(undone, { ...facts, [fact]: false });
  const { verification, paths, failure, presumed } = readBack;
  const start = presumed ?? done;
  const known = { ...facts, [fact]: true, ...(presumed !== undefined && { presumed: true }) };
  if (verification === undefined) return out.done(`${start}.`, known);
  const reasons = [...paths, ...(failure === undefined ? [] : [failure.message])].join(', ');
  const why = reasons === '' ? '' : ` (${reasons.replace(/\.$/, '')})`;
  const unconfirmed = paths.length === 0 ? undefined : paths;
  const read = { verification, unconfirmed, reason: failure?.message, request_id: failure?.requestId };
  await out.done(
    `${start}: ${verification.replaceAll('_', ' ')}${why}.`,
    withoutHoles({ ...known, ...read }),
  );
}

/** Makes a deletion succeed if there is nothing to delete; also settles an unknown deletion. */
export const ignoreNotFoundFlag = ['--ignore-not-found', 'succeed if there is nothing to delete'] as const;

/** Whether --ignore-not-found turns the failure into a result. */
export function isIgnored(error: unknown, ignoreNotFound: true | undefined): boolean {
  return ignoreNotFound === true && error instanceof CliError && error.code === 'not_found';
}

/** Adds the flag for the command that settles a deletion, unless it was given. */
export function ignoringNotFound(isIgnored: true | undefined): readonly string[] {
  return isIgnored === true ? [] : ['--ignore-not-found'];
}

/** That a user has no role at added properties. */
export function noRoleText(who: string, ids: readonly string[], has = 'has'): string {
  return `${who} ${has} no role at ${ids.join(', ')} and will see nothing there; roles of users are set in the pages of the service.`;
}

/** The error at the end of a grant that is done, and gives no access until roles are set. @param lines one for each user. */
export function rolelessError(lines: readonly string[], { globals }: Pick<Session, 'globals'>): CliError {
  const hint = `Set the roles there; to check: ${serviceLine(globals, 'access', 'report')}`;
  return new CliError('partly_done', lines.join('\n'), { exitCode: ExitCode.partlyDone, hint });
}
