import type { Item } from '../../apply/item.ts';
import { CliError } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import type { Session } from '../../session.ts';

/** Said where records do not show the flag. */
export const UNTOLD = 'The service does not show whether an enabled account admin would be left.';

/** Says what apply would refuse for the sake of those who would lose access. */
export async function warnOfLockout(
  items: readonly Item[],
  { api, out }: Pick<Session, 'api' | 'out'>,
): Promise<void> {
  const { openLockoutRule } = await import('../../apply/lockout-rows.ts');
  const rule = await openLockoutRule(items, api.users, [], (address) => address).catch(unlessRefused);
  if (rule instanceof CliError) return out.warn(`Who would lose access is not checked: ${rule.message}`);
  const { judgement } = rule;
  if (judgement.verdict === 'safe') return;
  if (judgement.verdict === 'unknown') return out.warn(UNTOLD);
  const who = judgement.hit.map(({ subjectId, email = subjectId }) => email).join(', ');
  const told =
    judgement.verdict === 'self'
      ? `This plan takes away your own access (${who})`
      : `This plan leaves no enabled account admin (${who})`;
  await out.warn(`${told}: innctl apply refuses it.`);
}

/** The plan is made and is shown even where this cannot be read; apply checks again. */
function unlessRefused(cause: unknown): CliError {
  if (cause instanceof CliError && cause.exitCode !== ExitCode.notLoggedIn) return cause;
  throw cause;
}
