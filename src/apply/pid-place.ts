import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import * as v from 'valibot';

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
  return {
    host: hostname(),
    boot: told(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()),
    namespace: told(() => readlinkSync('/proc/self/ns/pid')),
  };
}

/** Whether process numbers of two places are of one kind. Where nothing tells, a host is one place. */
export function isSamePlace(one: Place, other: Place): boolean {
  const isOneStart = one.boot === other.boot && one.namespace === other.namespace;
  return isOneStart && (one.boot !== undefined || one.host === other.host);
}

/** When a process of this place was started, as Linux counts; `undefined` where nothing tells. */
export function startOf(pid: number): string | undefined {
  return told(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in brackets and may hold anything; the start is the twenty-second.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  });
}

function told(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
