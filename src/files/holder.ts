import { createHash, randomUUID } from 'node:crypto';
import { bootId, ownPid, pidNamespace, startOf } from './pids.ts';

/** The process that a holding belongs to. */
export interface Holder {
  /** 0 where the system does not tell. */
  readonly pid: number;
  /** `unknown` where its number means nothing here: another machine, another container, a system that does not tell. */
  readonly life: 'alive' | 'dead' | 'unknown';
}

/** Stands for what the system does not tell. */
const UNTOLD = '0';

/**
 * A name for one holding of a lock, unlike any other: number and start of this process, where the number holds, and
 * chance. Linux tells the first three; numbers are given again, and a container has some of its own.
 */
export function nameHolding(): string {
  const pid = ownPid() ?? UNTOLD;
  return [pid, startOf(pid) ?? UNTOLD, hereOf(), randomUUID()].join('.');
}

/** Whose holding has this name; `undefined` when it is no such name. */
export function holderOf(name: string): Holder | undefined {
  const parts = /^(\d{1,10})\.(\d{1,20})\.([\da-f]{16}|0)\.[\da-f-]{36}$/.exec(name);
  if (parts === null) return undefined;
  const [, pid = UNTOLD, start, place] = parts;
  if (place === UNTOLD || place !== hereOf()) return { pid: Number(pid), life: 'unknown' };
  return { pid: Number(pid), life: startOf(pid) === start ? 'alive' : 'dead' };
}

/** Where process numbers mean one process each: this start of this machine, this namespace. */
function hereOf(): string {
  const [boot, namespace] = [bootId(), pidNamespace()];
  if (boot === undefined || namespace === undefined) return UNTOLD;
  return createHash('sha256').update(`${boot} ${namespace}`).digest('hex').slice(0, 16);
}
