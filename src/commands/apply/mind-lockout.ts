import { lockoutError } from '../../api/lockout.ts';
import type { Item } from '../../apply/item.ts';
import { type LockoutRule, openLockoutRule } from '../../apply/lockout-rows.ts';
import { CliError } from '../../errors.ts';
import type { Session } from '../../session.ts';
import { UNTOLD } from '../plan/warn-of-lockout.ts';
import { titleOf } from './limits.ts';

/**
 * Judges the rows of a plan that disable or demote users, all of them together.
 *
 * @param allowed whole e-mail addresses for which the rule was lifted.
 * @param again the command line that was typed, with more flags at its end.
 * @throws {CliError} `lockout`, exit 11, naming the rows; nothing was sent.
 */
export async function mindLockout(
  items: readonly Item[],
  allowed: readonly string[],
  again: (...more: readonly string[]) => string,
  { api, out }: Pick<Session, 'api' | 'out'>,
): Promise<LockoutRule> {
  const lifted = (address: string) => again('--allow-lockout', address);
  const rule = await openLockoutRule(items, api.users, allowed, lifted);
  const { judgement } = rule;
  if (judgement.verdict === 'unknown') await out.warn(UNTOLD);
  const error = lockoutError(judgement, lifted);
  if (error === undefined || !('hit' in judgement)) return rule;
  const rows = judgement.hit.flatMap((person) => rule.rowOf(person) ?? []);
  const { code, message, exitCode, hint } = error;
  const details = rows.map((item) => ({ field: titleOf(item), reason: 'would lose access' }));
  throw new CliError(code, message, { exitCode, hint, details });
}
