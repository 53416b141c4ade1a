import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Session } from '../cli/session.ts';
import type { PatchStep } from '../model/patch.ts';
import { type ServiceRecord, withoutHoles } from '../model/records.ts';
import type { Facts, Output } from '../print/output.ts';
import type { ReadBack } from '../service/settling.ts';
import { serviceLine } from './lines.ts';

/**
 * Reports an accepted write, and the result of verifying it.
 *
 * @param what start of the sentence: `Updated property BER`.
 */
export async function reportWrite(
  out: Output,
  what: string,
  facts: Facts,
  { verification, paths, failure, presumed }: ReadBack,
): Promise<void> {
  const start = presumed ?? what;
  const known = presumed === undefined ? facts : { ...facts, presumed: true };
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

/**
 * Reads a record before an update, to detect that nothing changes.
 *
 * @returns `undefined` with --no-verify and --dry-run, for steps that remove, test, move or copy, and if the service
 * does not show the record.
 */
export async function readBefore(
  steps: readonly PatchStep[],
  read: () => Promise<ServiceRecord>,
  { verify }: { readonly verify: boolean },
  { dryRun }: Pick<Session['globals'], 'dryRun'>,
): Promise<ServiceRecord | undefined> {
  const mayTell = steps.length > 0 && steps.every(({ op }) => op === 'add' || op === 'replace');
  return verify && mayTell && dryRun !== true ? read().catch(unlessUnreadable) : undefined;
}

/** A service may accept changes of records that it does not show. */
function unlessUnreadable(error: unknown): undefined {
  const isUnreadable =
    error instanceof CliError &&
    (error.code === 'malformed_answer' || [400, 403, 422].includes(error.status ?? 0));
  if (!isUnreadable) throw error;
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
