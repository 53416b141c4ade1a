import { lstatSync, mkdirSync, rmdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { lockSync } from 'proper-lockfile';
import { codeOf } from '../error-code.ts';
import { CliError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import { refuseLink } from './link.ts';

/** A holder works for milliseconds; one that has been at it for so long was killed. */
const DEAD_MS = 5_000;
const WAIT_MS = 15_000;
const PAUSE_MS = 20;

/**
 * Takes the lock `<path>.lock`, once other processes have let go of it. A dead process's lock is taken after five seconds.
 *
 * @returns lets go again.
 * @throws {CliError} `busy`, exit 7, after 15 s; the signal's reason when it is aborted.
 */
export async function takeLock(path: string, signal?: AbortSignal): Promise<() => void> {
  const lock = `${path}.lock`;
  // Files carry the system's time, so that the context's clock is of no use here.
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    signal?.throwIfAborted();
    const release = tryLock(path);
    if (release !== undefined) return release;
    refuseLink(lock);
    buryDead(lock);
    if (Date.now() > deadline) throw busy(path, lock);
    await pause(PAUSE_MS);
  }
}

function tryLock(path: string): (() => void) | undefined {
  try {
    // Left to itself, proper-lockfile may take a fresh lock for the dead one when two processes bury it at once.
    return lockSync(path, { realpath: false, stale: Number.POSITIVE_INFINITY, update: 1_000 });
  } catch (cause) {
    if (codeOf(cause) === 'ELOCKED') return undefined;
    throw cause;
  }
}

/** Only the process that makes the tombstone of this very lock may remove it; the others wait on. */
function buryDead(lock: string): void {
  const found = lstatSync(lock, { bigint: true, throwIfNoEntry: false });
  if (found === undefined || Date.now() - Number(found.mtimeMs) < DEAD_MS) return;
  try {
    mkdirSync(`${lock}.${found.ino}-${found.ctimeNs}`);
    rmdirSync(lock);
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST' && codeOf(cause) !== 'ENOENT') throw cause;
  }
}

function busy(path: string, lock: string): CliError {
  return new CliError(
    'busy',
    `Could not change ${path}: another innctl has held its lock for ${WAIT_MS / 1_000} s.`,
    {
      exitCode: ExitCode.unavailable,
      hint: `If no other innctl is running: rmdir ${lock}`,
    },
  );
}
