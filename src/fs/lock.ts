import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CliError, codeOf } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { makePrivateFolder, refuseLink } from './private-folder.ts';

const PAUSE_MS = 20;
/** Taking a lock takes milliseconds; what is older was left behind. */
const OLD_MS = 60_000;

/** How long other processes are waited for. */
interface Patience {
  /** For one that lives. */
  readonly waitMs: number;
  /** A holder works for milliseconds; one that nobody can see, and that is at it for so long, was killed. */
  readonly silenceMs: number;
}

const usual: Patience = { waitMs: 15_000, silenceMs: 10_000 };

/** Another process's holding of a lock, and since when this one sees it. */
interface Seen extends Holder {
  readonly name: string;
  readonly since: number;
}

/**
 * Takes the lock `<path>.lock`, once other processes have let go of it. The lock of a dead process is taken at once; one
 * of whose process nothing is known, when it stays the same for `silenceMs`.
 *
 * It is a folder with one file in it, whose name tells the holder. Renaming puts it in place whole, and only where no
 * other stands with a file in it (rename(2)). To bury the dead is to remove the dead one's file, which no other has.
 *
 * @returns lets go again.
 * @throws {CliError} `busy`, exit 7, after `waitMs`; `lock_obstructed` when something else has the name; the signal's reason
 *   when it is aborted; the system's error.
 */
export async function takeLock(
  path: string,
  signal?: AbortSignal,
  { waitMs, silenceMs }: Patience = usual,
): Promise<() => void> {
  signal?.throwIfAborted();
  const lock = `${path}.lock`;
  const name = nameHolding();
  const mine = `${lock}.${name}`;
  // The wall clock may be set back meanwhile.
  const deadline = performance.now() + waitMs;
  let seen: Seen | undefined;
  try {
    makePrivateFolder(mine);
    closeSync(openSync(join(mine, name), 'wx', 0o600));
    while (!isPutInPlace(mine, lock)) {
      seen = look(lock, seen);
      if (seen !== undefined && isOver(seen, silenceMs)) {
        rmSync(join(lock, seen.name), { force: true });
        continue;
      }
      if (performance.now() > deadline) throw busy(path, lock, { seen, waitMs });
      await pause(PAUSE_MS);
      signal?.throwIfAborted();
    }
  } catch (cause) {
    quietly(() => rmSync(mine, { recursive: true, force: true }));
    throw cause;
  }
  quietly(() => sweep(lock));
  return () => letGo(lock, name);
}

function isPutInPlace(mine: string, lock: string): boolean {
  try {
    renameSync(mine, lock);
    return true;
  } catch (cause) {
    const found = lstatSync(lock, { throwIfNoEntry: false });
    if (found !== undefined && !found.isDirectory()) {
      refuseLink(lock);
      throw obstructed(lock, 'is no folder');
    }
    // Who held it may have let go since: then it is free, and nothing is found.
    const isTaken = ['ENOTEMPTY', 'EEXIST'].includes(codeOf(cause) ?? '');
    const isDenied = ['EPERM', 'EACCES'].includes(codeOf(cause) ?? '');
    if (!isTaken && (found === undefined || !isDenied)) throw cause;
    return false;
  }
}

/** `undefined` when nobody holds the lock any more; then no empty folder may be in the way, as it is on Windows. */
function look(lock: string, before: Seen | undefined): Seen | undefined {
  const [name] = namesIn(lock);
  if (name === undefined) {
    quietly(() => rmdirSync(lock));
    return undefined;
  }
  const holder = holderOf(name);
  if (holder === undefined) throw obstructed(lock, 'holds a file that is none of innctl');
  return { ...holder, name, since: before?.name === name ? before.since : performance.now() };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return [];
    throw cause;
  }
}

function isOver({ life, since }: Seen, silenceMs: number): boolean {
  return life === 'dead' || (life === 'unknown' && performance.now() - since >= silenceMs);
}

/** The work is done: whoever comes next buries a lock that cannot be removed. A lock that another one took is not touched. */
function letGo(lock: string, name: string): void {
  quietly(() => unlinkSync(join(lock, name)));
  quietly(() => rmdirSync(lock));
}

/**
 * What dead processes left of the lock of a file, as paths; whoever writes next removes it.
 *
 * @throws the system's error.
 */
export function deadLocksOf(path: string): readonly string[] {
  const lock = `${path}.lock`;
  const [holding] = lstatSync(lock, { throwIfNoEntry: false })?.isDirectory() ? namesIn(lock) : [];
  const isDead = holding !== undefined && holderOf(holding)?.life === 'dead';
  return [...(isDead ? [lock] : []), ...leftWaiting(lock)];
}

/** Removes what processes that were killed while they waited left behind. */
function sweep(lock: string): void {
  for (const path of leftWaiting(lock)) rmSync(path, { recursive: true, force: true });
}

function leftWaiting(lock: string): readonly string[] {
  const start = `${basename(lock)}.`;
  return readdirSync(dirname(lock))
    .filter((each) => each.startsWith(start))
    .filter((each) => {
      const life = holderOf(each.slice(start.length))?.life;
      return life === 'dead' || (life === 'unknown' && isOld(join(dirname(lock), each)));
    })
    .map((each) => join(dirname(lock), each));
}

function isOld(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && Math.abs(Date.now() - found.mtimeMs) > OLD_MS;
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {}
}

function busy(
  path: string,
  lock: string,
  { seen, waitMs }: { readonly seen: Seen | undefined; readonly waitMs: number },
): CliError {
  const pid = seen?.life === 'alive' ? seen.pid : undefined;
  const who = pid === undefined ? '' : ` (pid ${pid})`;
  return new CliError(
    'busy',
    `Could not change ${path}: another innctl${who} has held its lock for ${waitMs / 1_000} s.`,
    {
      exitCode: ExitCode.unavailable,
      hint: pid === undefined ? `If no other innctl is running, remove ${lock}` : `If it hangs: kill ${pid}`,
    },
  );
}

function obstructed(lock: string, what: string): CliError {
  return new CliError('lock_obstructed', `${lock} ${what}, and innctl needs the name for its lock.`, {
    hint: 'Move it away.',
  });
}

/** The process that a holding belongs to. */
interface Holder {
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
function ownPid(): string | undefined {
  return told(() => readlinkSync('/proc/self'));
}

function told(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
