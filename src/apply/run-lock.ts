import { randomUUID } from 'node:crypto';
import { linkSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as v from 'valibot';
import type { World } from '../context.ts';
import { codeOf } from '../error-code.ts';
import { refuseLink } from '../files/link.ts';
import { hashOf } from './canonical.ts';

/** What is older was left behind. */
const OLD_MS = 60_000;

/** Whoever takes the lock, and knows of others. */
export type LockTaker = Pick<World, 'pid' | 'isAlive'>;

const holderSchema = v.object({
  pid: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  /** When the process was started, where the system tells; another process may have had the number before. */
  started: v.optional(v.string()),
  /** No two holdings are alike. */
  id: v.string(),
});
type Holder = v.InferOutput<typeof holderSchema>;

/** The file that names the holder, as it was found; what cannot be read names nobody. */
interface Found {
  readonly text: string;
  readonly holder: Holder | undefined;
}

/**
 * Takes the lock of a journal, `<path>.pid`, which a process holds until it lets go or ends.
 *
 * The file that names a holder appears whole or not at all (`link`). A dead holder is followed by whoever first makes the
 * one file that may follow it, `<path>.pid.<digest of what the dead one's file says>`; that file is then put in its place.
 *
 * @returns lets go again, or the number of the process that holds it.
 * @throws the system's errors; {CliError} when the lock is a symbolic link.
 */
export function takeRunLock(path: string, taker: LockTaker): (() => void) | number {
  const lock = lockPath(path);
  const own = { pid: taker.pid, started: startOf(taker.pid), id: randomUUID() };
  const mine = `${lock}.${own.pid}-${own.id}`;
  writeFileSync(mine, JSON.stringify(own), { mode: 0o600, flag: 'wx' });
  try {
    for (;;) {
      const holding = tryTake(lock, mine, taker);
      if (holding === 'taken') break;
      if (holding !== 'again') return holding;
    }
  } finally {
    rmSync(mine, { force: true });
  }
  sweep(lock);
  return () => {
    // Somebody may have removed the file by hand, and another process taken the lock.
    if (read(lock)?.holder?.id === own.id) rmSync(lock, { force: true });
  };
}

/** The process that works with a journal at this moment. */
export function runLockHolder(path: string, taker: LockTaker): number | undefined {
  const end = endOf(lockPath(path), taker);
  return typeof end === 'number' ? end : undefined;
}

function lockPath(path: string): string {
  return `${path}.pid`;
}

function tryTake(lock: string, mine: string, taker: LockTaker): 'taken' | 'again' | number {
  refuseLink(lock);
  const end = endOf(lock, taker);
  if (typeof end === 'number') return end;
  if (!linked(mine, end)) return 'again';
  if (end === lock) return 'taken';
  // The dead may have been buried since they were looked at: then this file follows nobody.
  if (endOf(lock, taker, end) !== end) {
    rmSync(end, { force: true });
    return 'again';
  }
  renameSync(end, lock);
  return 'taken';
}

/**
 * Follows the dead from the first holder on.
 *
 * @param until the file that is looked for.
 * @returns the process that holds the lock, or the name of the file that takes it.
 */
function endOf(lock: string, taker: LockTaker, until?: string): number | string {
  let name = lock;
  for (;;) {
    if (name === until) return name;
    const found = read(name);
    if (found === undefined) return name;
    if (found.holder !== undefined && isHeld(found.holder, taker)) return found.holder.pid;
    name = `${lock}.${hashOf(found.text).slice(0, 32)}`;
  }
}

function isHeld({ pid, started }: Holder, taker: LockTaker): boolean {
  const now = pid === taker.pid || taker.isAlive(pid) ? startOf(pid) : 'never';
  if (now !== undefined && started !== undefined) return now === started;
  return pid !== taker.pid && now !== 'never';
}

/** When a process was started, as Linux counts; `undefined` where nothing tells. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in brackets and may hold anything; the start is the twenty-second.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

function read(name: string): Found | undefined {
  try {
    const text = readFileSync(name, 'utf8');
    return { text, holder: holderIn(text) };
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}

function holderIn(text: string): Holder | undefined {
  try {
    const { success, output } = v.safeParse(holderSchema, JSON.parse(text));
    return success ? output : undefined;
  } catch {
    return undefined;
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false;
    throw cause;
  }
}

/** Removes what processes that were killed while they took the lock left beside it. */
function sweep(lock: string): void {
  const folder = dirname(lock);
  const leftover = /^(?:\d+-[0-9a-f-]{36}|[0-9a-f]{32})$/;
  const ours = readdirSync(folder).filter((name) => name.startsWith(`${basename(lock)}.`));
  for (const name of ours.filter((each) => leftover.test(each.slice(basename(lock).length + 1)))) {
    const path = join(folder, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    // Taking the lock is a matter of milliseconds. Files carry the system's time.
    if (found !== undefined && Date.now() - found.mtimeMs > OLD_MS) rmSync(path, { force: true });
  }
}
