import type { Try } from './answer.ts';
import { type MissingScopes, missingScopes } from './missing-scopes.ts';
import { isInProgress, type Rejection, rejectionError } from './rejection.ts';
import { retryAfterMs } from './retry.ts';

/** What telling a rejection depends on. */
interface Rejected {
  readonly url: string;
  readonly does: string;
  /** Of these a token needs one. */
  readonly scopes?: readonly string[] | undefined;
  /** The name that a field has here, for one that the service names; its own where there is no other. */
  readonly fieldName?: ((spelt: string) => string) | undefined;
}

/** What to do where a token lacks scopes. */
export type ScopeHint = (missing: MissingScopes) => Promise<string | undefined>;

/**
 * An answer that is not a success, as a mishap with its error.
 *
 * @param now milliseconds since the epoch.
 */
export async function rejected(
  rejection: Rejection,
  request: Rejected,
  now: number,
  scopeHint: ScopeHint,
): Promise<Try> {
  const { status, headers, refusal } = rejection;
  const { does, url, scopes = [], fieldName = (spelt) => spelt } = request;
  const details = refusal.details.map(({ field, reason }) => ({ field: fieldName(field), reason }));
  const error = rejectionError({ ...rejection, refusal: { ...refusal, details } }, does, url);
  const missing = error.code === 'forbidden' ? missingScopes(headers, scopes) : undefined;
  const hint = missing && (await scopeHint(missing));
  return {
    mishap: {
      kind: 'answer',
      status,
      retryAfterMs: retryAfterMs(headers, now),
      inProgress: isInProgress(rejection),
    },
    error: hint === undefined ? error : error.withHint(hint),
  };
}
