import type { Api } from '../../api/api.ts';
import type { UserChanges } from '../../api/users.ts';
import { adminSetBy } from './steps.ts';

/**
 * What to ask before who may do what is changed; `undefined` where an update leaves that alone. Of the contract's
 * services nobody knows what the field means.
 */
export function adminQuestion(
  reference: string,
  changes: UserChanges,
  { dialect }: Pick<Api, 'dialect'>,
): string | undefined {
  const admin = dialect.goesBeyond ? adminSetBy(changes) : 'untouched';
  if (admin === 'untouched') return undefined;
  if (admin === true) return `Make user ${reference} an account admin, who reaches every property?`;
  if (admin === false)
    return `Let user ${reference} be no account admin, who then reaches only their own properties?`;
  return `Change whether user ${reference} is an account admin, who reaches every property?`;
}
