import { type Item, isPending } from '../../apply/item.ts';
import { isInDoubt, type Memory } from '../../apply/memory.ts';
import { quote } from '../../checks/text.ts';
import { CliError } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import { placeText } from '../../manifest/entry.ts';
import type { Wishes } from './flags.ts';

const MOST_NAMED = 20;

/** What to type when a plan goes too far. */
interface Lines {
  /** The command line that was typed, with more flags at its end. */
  readonly again: (...more: readonly string[]) => string;
  /** The one that shows the plan. */
  readonly plan: string;
}

/**
 * Returns when a plan stays within what the command line allows.
 *
 * @throws {CliError} exit 11 when something is in doubt, or there is more of it than was allowed; nothing was sent.
 */
export function refuseBeyond(
  items: readonly Item[],
  memory: Memory,
  { maxChanges, maxDeletes }: Wishes,
  { again, plan }: Lines,
): void {
  // What an earlier run left in doubt stays unknown, and keeps nothing else from being done.
  const doubtful = items.filter(
    ({ action, kind, name }) => action === 'cannot_tell' && !isInDoubt(memory.recall(kind, name)),
  );
  if (doubtful.length > 0) throw inDoubt(doubtful, again('--assume-new'));
  const deletions = items.filter(({ action }) => action === 'delete').length;
  if (deletions > maxDeletes) {
    throw tooMany(
      `${deletions} ${deletions === 1 ? 'deletion' : 'deletions'}`,
      '--max-deletes',
      maxDeletes,
      plan,
    );
  }
  const changes = items.filter(isPending).length;
  if (changes > maxChanges) {
    throw tooMany(`${changes} ${changes === 1 ? 'change' : 'changes'}`, '--max-changes', maxChanges, plan);
  }
}

function inDoubt(items: readonly Item[], assuming: string): CliError {
  const details = items.slice(0, MOST_NAMED).map(({ name, entry, reason = 'nothing tells' }) => ({
    field: entry === undefined ? name : `${placeText(entry.place)}: ${quote(name)}`,
    reason,
  }));
  const more = items.length > MOST_NAMED ? ` (and ${items.length - MOST_NAMED} more)` : '';
  const rows = items.length === 1 ? 'one row is' : `${items.length} rows are`;
  return new CliError(
    'cannot_tell',
    `Nobody can tell whether ${rows} there already${more}; nothing was sent.`,
    { exitCode: ExitCode.blocked, details, hint: `If they are certainly new: ${assuming}` },
  );
}

function tooMany(what: string, flag: string, most: number, plan: string): CliError {
  return new CliError(
    'too_many_changes',
    `The plan has ${what}, and ${flag} allows ${most}; nothing was sent.`,
    {
      exitCode: ExitCode.blocked,
      hint: `To look at it: ${plan}`,
    },
  );
}
