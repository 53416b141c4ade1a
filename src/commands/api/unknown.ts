import { type PatchStep, setsAlone } from '../../api/patch.ts';
import type { RawRequest } from '../../api/raw.ts';
import type { OutcomeUnknown } from '../../errors.ts';
import { isOfService } from '../../http/stored-answer.ts';
import { isRecord } from '../../records.ts';
import type { Session } from '../../session.ts';
import { ignoringNotFound } from '../ignore-not-found.ts';
import { isPiped, lookingLine, type Settling, settledByLooking, settledByRepeating } from '../settle.ts';
import { readsStdin as readsField } from './fields.ts';
import type { Typed } from './request.ts';

/**
 * What settles an unknown outcome: the same command, with the key of a creation or taking for done what is gone, where it
 * does nothing twice; otherwise a look at what the path names.
 */
export function settling(
  request: RawRequest,
  typed: Typed,
  { context, globals }: Pick<Session, 'context' | 'globals'>,
) {
  return ({ status }: OutcomeUnknown): Settling => {
    const { method, path, idempotencyKey: key } = request;
    // A service that stores answers repeats its failure for as long as it knows the key.
    const isSpent = typed.idempotencyKey !== undefined && isOfService(status);
    if (isSpent || !isHarmlessAgain(request))
      return settledByLooking(lookingLine(globals, 'api', 'GET', path));
    const readsStdin = isPiped(typed.input) || typed.fields.some(readsField);
    const keyed = key === undefined || typed.idempotencyKey !== undefined ? [] : ['--idempotency-key', key];
    const gone = method === 'DELETE' ? ignoringNotFound(typed.ignoreNotFound) : [];
    return settledByRepeating(context.argv, { more: [...keyed, ...gone], readsStdin });
  };
}

/** Whether the same request leaves what one leaves, and is taken a second time. */
function isHarmlessAgain({ method, body, idempotencyKey }: RawRequest): boolean {
  if (method === 'POST') return idempotencyKey !== undefined;
  if (method !== 'PATCH' || body === undefined) return true;
  const patch: unknown = JSON.parse(body);
  // A patch that is no list of steps is a merge patch (RFC 7396).
  return !Array.isArray(patch) || (patch.every(isStep) && setsAlone(patch));
}

function isStep(step: unknown): step is PatchStep {
  return isRecord(step) && typeof step['op'] === 'string' && typeof step['path'] === 'string';
}
