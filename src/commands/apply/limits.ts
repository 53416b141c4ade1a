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

/** Command lines for hints. */
interface Lines {
  /** The current command line with more flags. */
  readonly again: (...more: readonly string[]) => string;
  /** The command line that shows the plan. */
  readonly plan: string;
}

/**
 * Checks a plan against the limits of the command line.
 *
 * @param isRehearsal a dry run: only limits that were given apply, and consent is not needed.
 * @throws {CliError} exit 11 if a limit is exceeded or an entry is in doubt; nothing was sent.
 */
export function refuseBeyond(
  items: readonly Item[],
  memory: Memory,
  { maxChanges, maxDeletes }: Pick<ParsedFlags, 'maxChanges' | 'maxDeletes'>,
  { again, plan }: Lines,
  isRehearsal = false,
): void {
  // Rows left in doubt by an earlier run stay unknown and do not block the others.
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
      hint: `To review it: ${plan}`,
    });
  }
}

/** Lists all destructive rows, and the --max-deletes that allows them. */
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
          : `To review it: ${plan}`,
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
    { exitCode: ExitCode.blocked, details, hint: `To create them anyway: ${assuming}` },
  );
}

type Permit = Api['permit'];

/** An operation and the ids that it changes. */
type Asked = readonly [id: OperationId, ...ids: string[]];

/** The operation with the least effect for an entry of each kind. */
const least = {
  property: 'createProperty',
  invitation: 'createInvitation',
  user: 'updateUser',
} as const satisfies Record<Kind, OperationId>;

/**
 * Checks the guards for the kinds of the entries before anything is read.
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
 * Checks the guards for every row of a plan.
 *
 * @throws {CliError} `blocked`, exit 11, listing all forbidden rows.
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
 * Checks together all rows that disable or demote users.
 *
 * @param allowed full e-mail addresses of users who may be locked out.
 * @param again returns the current command line with more flags.
 * @throws {CliError} `lockout`, exit 11, listing the rows; `consent_missing` if it cannot be determined and
 * --max-deletes does not apply; nothing was sent.
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
  // Disabled users need --max-deletes in any case.
  const demoted = hit.filter(({ item }) => reductionBy(item.steps)?.disables === undefined);
  const isRehearsal = globals.dryRun === true;
  const error = lockoutError(judgement, lifted) ?? (isRehearsal ? undefined : undetermined(demoted, lifted));
  if (error === undefined) return rule;
  const { code, message, exitCode, hint } = error;
  const rows = judgement.verdict === 'unknown' ? demoted : hit;
  const details = rows.map(({ item }) => ({ field: labelOf(item), reason: 'would lose access' }));
  throw new CliError(code, message, { exitCode, hint, details });
}

/** Taking full access away without knowing the effect needs consent by name, as in other commands. */
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
