import type { PatchStep } from '../api/patch.ts';
import { CliError } from '../errors.ts';
import type { ServiceRecord } from '../records.ts';
import type { Session } from '../session.ts';

/**
 * Reads a record before an update, to tell whether there is anything to change.
 *
 * @returns `undefined` with --no-verify and --dry-run, for steps that remove, test, move or copy, and where the service does
 *   not show the record.
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

/** A service may take changes of what it does not show. */
function unlessUnreadable(error: unknown): undefined {
  const isUnreadable =
    error instanceof CliError &&
    (error.code === 'malformed_answer' || [400, 403, 422].includes(error.status ?? 0));
  if (!isUnreadable) throw error;
}
