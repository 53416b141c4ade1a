import { NIL, v5, validate } from 'uuid';
import { canonical } from './canonical.ts';

/** Ids of runs that are no UUIDs become namespaces below this one. */
const NAMESPACE = v5('innctl', NIL);

/**
 * The idempotency key of one creation in one run: the same on every machine.
 *
 * @param generation how many keys the same creation had before that are of no use any more.
 */
export function deriveKey(runId: string, name: string, body: unknown, generation: number): string {
  const namespace = validate(runId) ? runId : v5(runId, NAMESPACE);
  return v5(`${name}${canonical(body)}${generation === 0 ? '' : `#${generation}`}`, namespace);
}
