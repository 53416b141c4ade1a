import { reductionBy } from '../../api/access-change.ts';
import { lockoutError, type Person } from '../../api/lockout.ts';
import type { Item } from '../../apply/item.ts';
import { type LockoutRule, openLockoutRule } from '../../apply/lockout-rows.ts';
import { CliError } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import type { Session } from '../../session.ts';
import { UNTOLD } from '../plan/warn-of-lockout.ts';
import { titleOf } from './limits.ts';

/**
 * Judges the rows of a plan that disable or demote users, all of them together.
 *
 * @param allowed whole e-mail addresses for which the rule was lifted.
 * @param again the command line that was typed, with more flags at its end.
 * @throws {CliError} `lockout`, exit 11, naming the rows, and `consent_missing` where nothing tells and --max-deletes does
 *   not ask; nothing was sent.
 */
export async function mindLockout(
  items: readonly Item[],
  allowed: readonly string[],
  again: (...more: readonly string[]) => string,
  { api, out, globals }: Pick<Session, 'api' | 'out' | 'globals'>,
): Promise<LockoutRule> {
  const lifted = (address: string) => again('--allow-lockout', address);
  const rule = await openLockoutRule(items, api.users, allowed, lifted);
  const { judgement } = rule;
  if (judgement.verdict === 'unknown') await out.warn(UNTOLD);
  if (judgement.verdict === 'safe') return rule;
  const hit = judgement.hit.flatMap((person) => {
    const item = rule.rowOf(person);
    return item === undefined ? [] : [{ person, item }];
  });
  // What is disabled needs --max-deletes in any case.
  const demoted = hit.filter(({ item }) => reductionBy(item.steps)?.disables === undefined);
  const isRehearsal = globals.dryRun === true;
  const error = lockoutError(judgement, lifted) ?? (isRehearsal ? undefined : untold(demoted, lifted));
  if (error === undefined) return rule;
  const { code, message, exitCode, hint } = error;
  const rows = judgement.verdict === 'unknown' ? demoted : hit;
  const details = rows.map(({ item }) => ({ field: titleOf(item), reason: 'would lose access' }));
  throw new CliError(code, message, { exitCode, hint, details });
}

/** What takes full access away blindly needs consent by name, as in every other command. */
function untold(
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
