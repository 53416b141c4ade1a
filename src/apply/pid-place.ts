import { hostname } from 'node:os';
import * as v from 'valibot';
import { bootId, pidNamespace } from '../files/pids.ts';

/** Where the number of a process means that process. */
export const placeSchema = v.object({
  host: v.string(),
  /** The start of the machine, and the namespace of process ids: a container has one of its own. Linux tells both. */
  boot: v.optional(v.string()),
  namespace: v.optional(v.string()),
});
export type Place = v.InferOutput<typeof placeSchema>;

/** Where this process is. */
export function here(): Place {
  return { host: hostname(), boot: bootId(), namespace: pidNamespace() };
}

/** Whether process numbers of two places are of one kind. Where nothing tells, a host is one place. */
export function isSamePlace(one: Place, other: Place): boolean {
  const isOneStart = one.boot === other.boot && one.namespace === other.namespace;
  return isOneStart && (one.boot !== undefined || one.host === other.host);
}
