import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Session } from '../../cli/session.ts';
import { reductionBy } from '../../model/access-change.ts';
import { andList, counted, firstOf, quote } from '../../model/text.ts';
import { type Consequences, consequencesOf, deletesIn } from '../../seed/consequences.ts';
import type { Entry, Kind } from '../../seed/entry.ts';
import { labelOf } from '../../seed/grouped.ts';
import { type Item, isPending } from '../../seed/item.ts';
import { isInDoubt, type Memory } from '../../seed/journal-line.ts';
import { type LockoutRule, openLockoutRule } from '../../seed/lockout-rows.ts';
import { lockoutError, type Person } from '../../service/lockout.ts';
import type { OperationId } from '../../service/operations.ts';
import type { Api } from '../../service/service.ts';
import { UNDETERMINED } from '../plan/warnings.ts';
import type { ParsedFlags } from './flags.ts';

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
  { maxChanges, maxDeletes }: Pick<ParsedFlags, 'maxChanges' | 'maxDeletes'>,
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
    const sentence = `The plan has ${counted(changes, 'change')}, and --max-changes allows ${maxChanges}; nothing was sent.`;
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
    ...(deletes.length === 0 ? [] : [counted(deletes.length, 'deletion')]),
    ...(disables.length === 0 ? [] : [counted(disables.length, 'user to disable', 'users to disable')]),
  ];
  const most = allowed === undefined ? '' : `, not ${allowed}`;
  const details = [
    ...deletes.map((item) => ({ field: labelOf(item), reason: 'is deleted' })),
    ...disables.map((item) => ({ field: labelOf(item), reason: 'is disabled' })),
  ];
  return new CliError(
    allowed === undefined ? 'consent_missing' : 'too_many_changes',
    `The plan has ${andList(parts)}: that needs --max-deletes ${needed}${most}; nothing was sent.`,
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
  const details = items.slice(0, MOST_NAMED).map(({ name, entry, reason = 'cannot be determined' }) => ({
    field: labelOf({ name: quote(name), entry }),
    reason,
  }));
  const more = items.length > MOST_NAMED ? ` (and ${items.length - MOST_NAMED} more)` : '';
  const rows = items.length === 1 ? 'one row is' : `${items.length} rows are`;
  return new CliError(
    'cannot_tell',
    `Cannot determine whether ${rows} there already${more}; nothing was sent.`,
    { exitCode: ExitCode.blocked, details, hint: `If they are certainly new: ${assuming}` },
  );
}

type Permit = Api['permit'];

/** One write, as guards are asked for it. */
type Asked = readonly [id: OperationId, ...ids: string[]];

/** What writing an entry of a kind comes to at the least. */
const least = {
  property: 'createProperty',
  invitation: 'createInvitation',
  user: 'updateUser',
} as const satisfies Record<Kind, OperationId>;

/**
 * Returns when the settings allow what the entries may come to, before anything is read.
 *
 * @throws {CliError} `blocked`, exit 11.
 */
export function permitKinds(entries: readonly Entry[], prune: boolean, permit: Permit): void {
  const kinds = new Set(entries.map(({ kind }) => kind));
  refuseForbidden(
    [...[...kinds].map((kind): Asked => [least[kind]]), ...(prune ? [['deleteProperty'] as const] : [])],
    permit,
  );
}

/**
 * Returns when the settings allow every row of a plan.
 *
 * @throws {CliError} `blocked`, exit 11, naming all rows that they forbid.
 */
export function permitRows(items: readonly Item[], permit: Permit): void {
  refuseForbidden(
    items.flatMap((item) => operationOf(item) ?? []),
    permit,
  );
}

function operationOf(item: Item): readonly Asked[] | undefined {
  const { kind, action, name, id = name } = item;
  if (action === 'create') return [[least[kind]]];
  if (action === 'change') return [[kind === 'user' ? 'updateUser' : 'updateProperty', id, name]];
  if (action !== 'delete') return undefined;
  return [kind === 'property' ? ['deleteProperty', id, name] : ['deleteInvitation', name]];
}

function refuseForbidden(asked: readonly Asked[], permit: Permit): void {
  const refusals = new Map<string, CliError>();
  for (const [id, ...ids] of asked) {
    try {
      permit(id, ...ids);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      refusals.set(error.message, error);
    }
  }
  const [first, second] = refusals.values();
  if (first === undefined) return;
  if (second === undefined) throw first;
  const lines = firstOf([...refusals.keys()], MOST_NAMED).map((line) => `  ${line}`);
  const { exitCode, hint } = first;
  throw new CliError('blocked', ['The settings forbid this; nothing was sent:', ...lines].join('\n'), {
    exitCode,
    hint,
  });
}

/**
 * Judges the rows of a plan that disable or demote users, all of them together.
 *
 * @param allowed whole e-mail addresses for which the rule was lifted.
 * @param again the command line that was typed, with more flags at its end.
 * @throws {CliError} `lockout`, exit 11, naming the rows, and `consent_missing` where it cannot be determined and --max-deletes does
 *   not ask; nothing was sent.
 */
export async function refuseLockout(
  items: readonly Item[],
  allowed: readonly string[],
  again: (...more: readonly string[]) => string,
  { api, out, globals }: Pick<Session, 'api' | 'out' | 'globals'>,
): Promise<LockoutRule> {
  const lifted = (address: string) => again('--allow-lockout', address);
  const rule = await openLockoutRule(items, api.users, allowed, lifted);
  const { judgement } = rule;
  if (judgement.verdict === 'unknown') await out.warn(UNDETERMINED);
  if (judgement.verdict === 'safe') return rule;
  const hit = judgement.hit.flatMap((person) => {
    const item = rule.rowOf(person);
    return item === undefined ? [] : [{ person, item }];
  });
  // What is disabled needs --max-deletes in any case.
  const demoted = hit.filter(({ item }) => reductionBy(item.steps)?.disables === undefined);
  const isRehearsal = globals.dryRun === true;
  const error = lockoutError(judgement, lifted) ?? (isRehearsal ? undefined : undetermined(demoted, lifted));
  if (error === undefined) return rule;
  const { code, message, exitCode, hint } = error;
  const rows = judgement.verdict === 'unknown' ? demoted : hit;
  const details = rows.map(({ item }) => ({ field: labelOf(item), reason: 'would lose access' }));
  throw new CliError(code, message, { exitCode, hint, details });
}

/** Taking full access away blindly needs consent by name, as in every other command. */
function undetermined(
  demoted: readonly { readonly person: Person }[],
  lifted: (addresses: string) => string,
): CliError | undefined {
  if (demoted.length === 0) return undefined;
  const names = demoted.map(({ person: { subjectId, email = subjectId } }) => email);
  return new CliError(
    'consent_missing',
    `This may leave no enabled account admin: ${names.join(', ')}. Nothing was sent.`,
    {
      exitCode: ExitCode.blocked,
      hint: `To consent by name: ${lifted(names.join(','))}`,
    },
  );
}
