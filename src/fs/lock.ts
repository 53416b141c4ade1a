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
  utimesSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CliError, codeOf, ExitCode } from '../model/errors.ts';
import { ageOf, makePrivateFolder, quietly, refuseLink } from './replace.ts';

const POLL_MS = 20;
const HEARTBEAT_MS = 5_000;
/** No process waits this long for a lock: older claims beside the lock are garbage. */
const LEFTOVER_MS = 600_000;

interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for other holders. */
  readonly waitMs?: number;
  /** After this long without a heartbeat, a lock is stale whose holder cannot be looked up. */
  readonly staleMs?: number;
}

/** The process that holds a lock. */
type Holder = NonNullable<ReturnType<typeof findHolder>>;

/**
 * Runs `work` while holding the lock of a file.
 *
 * @throws {CliError} like `acquireLock`; what `work` throws.
 */
export async function withLock<T>(
  path: string,
  work: () => T | Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const release = await acquireLock(path, options);
  try {
    return await work();
  } finally {
    release();
  }
}

/**
 * Acquires the lock `<path>.lock`; waits while others hold it.
 *
 * The lock is a folder with one file, whose name identifies the holder. Renaming a prepared folder acquires it: the system
 * refuses while another one with a file in it is there. A stale lock is broken by removing its holder's file, a name
 * that no other holder has. A lock is stale when its process is dead; where that cannot be looked up, when its file got
 * no heartbeat for `staleMs`.
 *
 * @returns what releases it. Never throws: the next process breaks a lock that could not be removed.
 * @throws {CliError} `busy`, exit 7, after `waitMs`; `lock_obstructed` when something else has the name; the signal's reason
 *   when it is aborted; the system's error.
 */
export async function acquireLock(
  path: string,
  { signal, waitMs = 15_000, staleMs = 10_000 }: LockOptions = {},
): Promise<() => void> {
  signal?.throwIfAborted();
  const lock = `${path}.lock`;
  const claim = prepareClaim(lock);
  // Monotonic time, for the wall clock may be set back, or differ from that of another machine.
  const deadline = performance.now() + waitMs;
  let seen: Holder | undefined;
  let since = 0;
  try {
    while (!moveIntoPlace(claim.folder, lock)) {
      const holder = findHolder(lock);
      if (holder?.name !== seen?.name || holder?.heartbeatAt !== seen?.heartbeatAt) since = performance.now();
      seen = holder;
      const isSilent = performance.now() - since >= staleMs;
      if (holder?.life === 'dead' || (holder?.life === 'unknown' && isSilent)) {
        rmSync(join(lock, holder.name), { force: true });
        continue;
      }
      if (performance.now() > deadline) throw busy(path, lock, waitMs);
      await pause(POLL_MS);
      signal?.throwIfAborted();
    }
    return hold(lock, claim.name);
  } finally {
    claim.discard();
  }
}

/** A folder that becomes the lock when it is renamed. */
function prepareClaim(lock: string) {
  const name = claimName();
  const folder = `${lock}.${name}`;
  const discard = () => quietly(() => rmSync(folder, { recursive: true, force: true }));
  try {
    makePrivateFolder(folder);
    closeSync(openSync(join(folder, name), 'wx', 0o600));
  } catch (cause) {
    discard();
    throw cause;
  }
  return { name, folder, discard };
}

function moveIntoPlace(claim: string, lock: string): boolean {
  try {
    renameSync(claim, lock);
    return true;
  } catch (cause) {
    const found = lstatSync(lock, { throwIfNoEntry: false });
    refuseLink(lock);
    if (found !== undefined && !found.isDirectory()) throw obstructed(lock);
    // Its holder may have released it since: then it is free, and nothing is found.
    const isTaken = ['ENOTEMPTY', 'EEXIST'].includes(codeOf(cause) ?? '');
    const isDenied = ['EPERM', 'EACCES'].includes(codeOf(cause) ?? '');
    if (!isTaken && (found === undefined || !isDenied)) throw cause;
    return false;
  }
}

/** `undefined` when the lock is free; an empty folder is removed then, because Windows does not rename over one. */
function findHolder(lock: string) {
  const [name] = namesIn(lock);
  if (name === undefined) {
    quietly(() => rmdirSync(lock));
    return undefined;
  }
  const holder = processOf(name);
  if (holder === undefined) throw obstructed(lock);
  const found = lstatSync(join(lock, name), { throwIfNoEntry: false });
  // Its file has its name, and is modified by each heartbeat.
  return found && { ...holder, name, heartbeatAt: found.mtimeMs };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return [];
    throw cause;
  }
}

/** Sends heartbeats until the lock is released. The name of the file is unique: another holder's lock is never touched. */
function hold(lock: string, name: string): () => void {
  quietly(() => sweepClaims(lock));
  const file = join(lock, name);
  const heartbeat = () => quietly(() => utimesSync(file, new Date(), new Date()));
  const timer = setInterval(heartbeat, HEARTBEAT_MS).unref();
  return () => {
    clearInterval(timer);
    quietly(() => unlinkSync(file));
    quietly(() => rmdirSync(lock));
  };
}

/** Removes claims of processes that were killed while they waited. */
function sweepClaims(lock: string): void {
  const start = `${basename(lock)}.`;
  for (const name of readdirSync(dirname(lock))) {
    const life = name.startsWith(start) ? processOf(name.slice(start.length))?.life : undefined;
    const path = join(dirname(lock), name);
    if (life === 'dead' || (life === 'unknown' && ageOf(path) > LEFTOVER_MS))
      rmSync(path, { recursive: true, force: true });
  }
}

function busy(path: string, lock: string, waitMs: number): CliError {
  return new CliError(
    'busy',
    `Could not change ${path}: another innctl has held its lock for ${waitMs / 1_000} s.`,
    {
      exitCode: ExitCode.unavailable,
      hint: `If no other innctl is running, remove ${lock}`,
    },
  );
}

function obstructed(lock: string): CliError {
  return new CliError('lock_obstructed', `${lock} is not from innctl, which needs the name for its lock.`, {
    hint: 'Move it away.',
  });
}

/** In a name, what the system does not tell. */
const UNKNOWN = '0';

/**
 * A unique name for one claim of a lock: pid, start time of the process, where the pid is valid, and a random part. Linux
 * tells the first three; pids are reused, and a container has pids of its own.
 */
export function claimName(): string {
  const pid = quietly(() => readlinkSync('/proc/self')) ?? UNKNOWN;
  return [pid, startOf(pid) ?? UNKNOWN, pidScope(), randomUUID()].join('.');
}

/**
 * The process that made a name; `undefined` when it is not such a name. Its pid is `undefined` where the system does not
 * tell; its life is `unknown` where the pid means nothing here (another machine or container), or there is no /proc.
 */
export function processOf(name: string) {
  const parts = /^(\d{1,10})\.(\d{1,20})\.([\da-f]{16}|0)\.[\da-f-]{36}$/.exec(name);
  if (parts === null) return undefined;
  const [, text = UNKNOWN, start, scope] = parts;
  const pid = text === UNKNOWN ? undefined : Number(text);
  if (scope === UNKNOWN || scope !== pidScope()) return { pid, life: 'unknown' } as const;
  return { pid, life: startOf(text) === start ? 'alive' : 'dead' } as const;
}

/** Digest of the boot of this machine and the pid namespace of this container: within it, a pid is one process. */
function pidScope(): string {
  const boot = quietly(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim());
  const namespace = quietly(() => readlinkSync('/proc/self/ns/pid'));
  if (boot === undefined || namespace === undefined) return UNKNOWN;
  return createHash('sha256').update(`${boot} ${namespace}`).digest('hex').slice(0, 16);
}

/** When a process was started, in clock ticks since boot; `undefined` where it has ended, or the system does not tell. */
function startOf(pid: string): string | undefined {
  const stat = quietly(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  // The second field is the program's name in brackets and may hold anything; state and start are the third and the 22nd.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return ['Z', 'X'].includes(fields[0] ?? '') ? undefined : fields[19];
}
