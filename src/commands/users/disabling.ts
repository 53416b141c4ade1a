import type { UserChanges } from '../../api/users.ts';
import type { Consent } from '../../consent.ts';
import type { Session } from '../../session.ts';
import { isDisabling, touchesEnabled } from './steps.ts';

/**
 * Returns when nobody is kept out, or when that was consented to by name: whoever is kept out may be the one who could
 * let them in again.
 *
 * @param given what --confirm said.
 * @throws {CliError} exit 11 otherwise.
 */
export async function mindDisabling(
  names: Consent['names'],
  changes: UserChanges,
  given: string | undefined,
  { confirmByName }: Pick<Session, 'confirmByName'>,
): Promise<void> {
  if (!isDisabling(changes)) return;
  const isSaid =
    changes.enabled === false ||
    changes.steps.some((step) => touchesEnabled(step) && 'value' in step && step.value === false);
  const does = isSaid ? 'disables' : 'may disable';
  await confirmByName({ sentence: `This ${does} user ${names[0]}.`, names, given });
}
