import { type Consequences, consequencesOf, deletesIn } from '../../apply/consequences.ts';
import { type Item, isPending } from '../../apply/item.ts';
import { isInDoubt, type Memory } from '../../apply/memory.ts';
import { quote } from '../../checks/text.ts';
import { CliError } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import { placeText } from '../../manifest/entry.ts';
import type { Wishes } from './flags.ts';
import { counted, listed } from './question.ts';

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
 * @param isRehearsal nothing will be sent: what is missing is no consent yet, and only a number that was given counts.
 * @throws {CliError} exit 11 when something is in doubt, or there is more of it than was allowed; nothing was sent.
 */
export function refuseBeyond(
  items: readonly Item[],
  memory: Memory,
  { maxChanges, maxDeletes }: Pick<Wishes, 'maxChanges' | 'maxDeletes'>,
  { again, plan }: Lines,
  isRehearsal = false,
): void {
  // What an earlier run left in doubt stays unknown, and keeps nothing else from being done.
  const doubtful = items.filter(
    ({ action, kind, name, error }) =>
      action === 'cannot_tell' && error === undefined && !isInDoubt(memory.recall(kind, name)),
  );
  if (doubtful.length > 0) throw inDoubt(doubtful, again('--assume-new'));
  const consequences = consequencesOf(items);
  const deletes = deletesIn(consequences);
  const isUnconsented = maxDeletes === undefined && !isRehearsal && deletes > 0;
  if (isUnconsented || deletes > (maxDeletes ?? deletes)) {
    throw tooManyDeletes(consequences, maxDeletes, { again, plan });
  }
  const changes = items.filter(isPending).length;
  if (changes > maxChanges) {
    const what = `${changes} ${changes === 1 ? 'change' : 'changes'}`;
    const sentence = `The plan has ${what}, and --max-changes allows ${maxChanges}; nothing was sent.`;
    throw new CliError('too_many_changes', sentence, {
      exitCode: ExitCode.blocked,
      hint: `To look at it: ${plan}`,
    });
  }
}

/** Names every row that needs consent, and the number that allows all of them. */
function tooManyDeletes(
  consequences: Consequences,
  allowed: number | undefined,
  { again, plan }: Lines,
): CliError {
  const { deletes, disables } = consequences;
  const needed = deletesIn(consequences);
  const parts = [
    ...(deletes.length === 0 ? [] : [counted(deletes.length, 'deletion', 'deletions')]),
    ...(disables.length === 0 ? [] : [counted(disables.length, 'user to disable', 'users to disable')]),
  ];
  const most = allowed === undefined ? '' : `, not ${allowed}`;
  const details = [
    ...deletes.map((item) => ({ field: titleOf(item), reason: 'is deleted' })),
    ...disables.map((item) => ({ field: titleOf(item), reason: 'is disabled' })),
  ];
  return new CliError(
    allowed === undefined ? 'consent_missing' : 'too_many_changes',
    `The plan has ${listed(parts)}: that needs --max-deletes ${needed}${most}; nothing was sent.`,
    {
      exitCode: ExitCode.blocked,
      details: details.slice(0, MOST_NAMED),
      hint:
        allowed === undefined
          ? `To allow it: ${again('--max-deletes', String(needed))}`
          : `To look at it: ${plan}`,
    },
  );
}

function inDoubt(items: readonly Item[], assuming: string): CliError {
  const details = items.slice(0, MOST_NAMED).map(({ name, entry, reason = 'nothing tells' }) => ({
    field: titleOf({ name: quote(name), entry }),
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

/** A row in words: `people.csv: row 2: ben@example.com`. */
export function titleOf({ name, entry }: Pick<Item, 'name' | 'entry'>): string {
  return entry === undefined ? name : `${placeText(entry.place)}: ${name}`;
}
