import { readFileSync, readlinkSync } from 'node:fs';

/** Stands for the start of a process that is over, though nobody may have asked how yet. */
export const ENDED = 'ended';

/** When a process was started, as Linux counts, or `ENDED`; `undefined` where nothing tells. */
export function startOf(pid: number | string): string | undefined {
  const stat = told(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  // The second field is the program's name in brackets and may hold anything; state and start are the third and the 22nd.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return ['Z', 'X'].includes(fields[0] ?? '') ? ENDED : fields[19];
}

/** The start of this machine; `undefined` where nothing tells. */
export function bootId(): string | undefined {
  return told(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim());
}

/** Where process numbers mean one process each: a container has a namespace of its own. `undefined` where nothing tells. */
export function pidNamespace(): string | undefined {
  return told(() => readlinkSync('/proc/self/ns/pid'));
}

/** The number of this process in its namespace; `undefined` where nothing tells. */
export function ownPid(): string | undefined {
  return told(() => readlinkSync('/proc/self'));
}

function told(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
