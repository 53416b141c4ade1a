import { type Target, targetOf } from '../apply/target.ts';
import { accountOf } from '../auth/account.ts';
import type { LocalSession } from '../session.ts';

/** The service and the account that the settings in force lead to. */
export function targetIn({ settings, folders }: Pick<LocalSession, 'settings' | 'folders'>): Target {
  const inForce = settings();
  return targetOf(inForce, inForce.sandbox ? '' : accountOf(inForce, folders.config));
}
