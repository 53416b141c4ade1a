import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import * as v from 'valibot';
import { codeOf } from '../cli/errors.ts';
import type { World } from '../cli/ports.ts';
import { bootId, ENDED, pidNamespace, startOf } from '../fs/lock.ts';
import { refuseLink } from '../fs/private-folder.ts';
import { hashOf } from './canonical.ts';

/** A holder that nobody can see counts as gone when nothing was heard of it for so long. */
export const SILENCE_MS = 30_000;

/** What is older was left behind. */
const OLD_MS = 60_000;

/** Whoever takes the lock, and knows of others. */
export type LockTaker = Pick<World, 'pid' | 'isAlive'>;

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
function isSamePlace(one: Place, other: Place): boolean {
  const isOneStart = one.boot === other.boot && one.namespace === other.namespace;
  return isOneStart && (one.boot !== undefined || one.host === other.host);
}

/** The process that holds a lock. */
export interface LockHolder {
  readonly pid: number;
  /** On another machine or in another container, whose process numbers mean nothing here. */
  readonly elsewhere: { readonly host: string; readonly silentMs: number } | undefined;
}

const holderSchema = v.object({
  pid: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  /** When the process was started, where the system tells; another process may have had the number before. */
  started: v.optional(v.string()),
  ...placeSchema.entries,
  /** No two holdings are alike. */
  id: v.string(),
});
type Holder = v.InferOutput<typeof holderSchema>;

/** Does work again and again. @returns ends it. */
type Repeat = (work: () => void) => () => void;

interface PlacedTaker extends LockTaker {
  readonly place: Place;
}

/** The file that names the holder, as it was found; what cannot be read names nobody. */
interface Found {
  readonly text: string;
  /** When its holder was last heard of, milliseconds since the epoch. */
  readonly heardAt: number;
  readonly holder: Holder | undefined;
}

/**
 * Takes the lock of a journal, `<path>.pid`, which a process holds until it lets go or ends.
 *
 * The file that names a holder appears whole or not at all (`link`). A dead holder is followed by whoever first makes the
 * one file that may follow it, `<path>.pid.<digest of what the dead one's file says>`; that file is then put in its place.
 * Whether a process lives can be seen where its number is known: on this machine and in this container. Of others the time
 * of the file tells, which holders renew.
 *
 * @param again how the holder lets others hear of it, who cannot see whether it lives.
 * @returns lets go again, or the process that holds it.
 * @throws the system's errors; {CliError} when the lock is a symbolic link.
 */
export function takeRunLock(
  path: string,
  world: LockTaker,
  again: Repeat = everyFiveSeconds,
): (() => void) | LockHolder {
  const lock = lockPath(path);
  const taker = placed(world);
  const own = { pid: taker.pid, started: startOf(taker.pid), id: randomUUID(), ...taker.place };
  const mine = `${lock}.${own.pid}-${own.id}`;
  try {
    writeFileSync(mine, JSON.stringify(own), { mode: 0o600, flag: 'wx' });
    // Under some umasks nobody could read who it is.
    chmodSync(mine, 0o600);
    for (;;) {
      const holding = tryTake(lock, mine, taker);
      if (holding === 'taken') break;
      if (holding !== 'again') return holding;
    }
  } finally {
    rmSync(mine, { force: true });
  }
  sweep(lock);
  // Somebody may have removed the file by hand, and another process taken the lock.
  const isOurs = () => read(lock)?.holder?.id === own.id;
  const endSigns = again(() => giveSign(lock, isOurs));
  return () => {
    endSigns();
    letGo(lock, isOurs);
  };
}

/** The process that works with a journal at this moment. */
export function runLockHolder(path: string, world: LockTaker): LockHolder | undefined {
  const end = followDead(lockPath(path), placed(world));
  return typeof end === 'string' ? undefined : end;
}

function placed({ pid, isAlive }: LockTaker): PlacedTaker {
  return { pid, isAlive, place: here() };
}

function everyFiveSeconds(work: () => void): () => void {
  const timer = setInterval(work, 5_000).unref();
  return () => clearInterval(timer);
}

function giveSign(lock: string, isOurs: () => boolean): void {
  try {
    const now = new Date();
    if (isOurs()) utimesSync(lock, now, now);
  } catch {
    // Who is taken for gone finds out before it writes: the journal has grown.
  }
}

/** The work is done: whoever comes next follows a lock that cannot be removed. */
function letGo(lock: string, isOurs: () => boolean): void {
  try {
    if (isOurs()) rmSync(lock, { force: true });
  } catch {}
}

function lockPath(path: string): string {
  return `${path}.pid`;
}

function tryTake(lock: string, mine: string, taker: PlacedTaker): 'taken' | 'again' | LockHolder {
  refuseLink(lock);
  const end = followDead(lock, taker);
  if (typeof end !== 'string') return end;
  if (!linked(mine, end)) return 'again';
  if (end === lock) return 'taken';
  // The dead may have been buried since they were looked at: then this file follows nobody.
  if (followDead(lock, taker, end) !== end) {
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
function followDead(lock: string, taker: PlacedTaker, until?: string): LockHolder | string {
  let name = lock;
  for (;;) {
    if (name === until) return name;
    const found = read(name);
    if (found === undefined) return name;
    const held = heldBy(found, taker);
    if (held !== undefined) return held;
    name = `${lock}.${hashOf(found.text).slice(0, 32)}`;
  }
}

function heldBy({ holder, heardAt }: Found, taker: PlacedTaker): LockHolder | undefined {
  if (holder === undefined) return undefined;
  const { pid, host } = holder;
  if (isSamePlace(holder, taker.place))
    return isAliveHere(holder, taker) ? { pid, elsewhere: undefined } : undefined;
  // Files carry the system's time; where this clock is behind the other one, it was heard of just now.
  const silentMs = Math.max(0, Date.now() - heardAt);
  return silentMs < SILENCE_MS ? { pid, elsewhere: { host, silentMs } } : undefined;
}

function isAliveHere({ pid, started }: Holder, taker: LockTaker): boolean {
  const now = pid === taker.pid || taker.isAlive(pid) ? startOf(pid) : ENDED;
  if (now !== undefined && started !== undefined) return now === started;
  return pid !== taker.pid && now !== ENDED;
}

function read(name: string): Found | undefined {
  try {
    const text = readFileSync(name, 'utf8');
    return { text, holder: holderIn(text), heardAt: statSync(name).mtimeMs };
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
