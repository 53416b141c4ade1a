import { rmSync } from 'node:fs';
import { CliError } from '../cli/errors.ts';
import { reasonOf } from '../fs/read.ts';
import { journalBusy } from './journal-errors.ts';
import { runsFolder } from './journal-path.ts';
import { type LockTaker, runLockHolder, takeRunLock } from './run-lock.ts';
import { runsIn } from './runs.ts';
import { isSandbox } from './target.ts';

/** @throws {CliError} `busy`, exit 6, when a process works with the journal. */
export function refuseRunning(path: string, taker: LockTaker): void {
  const holder = runLockHolder(path, taker);
  if (holder !== undefined) throw journalBusy(path, holder);
}

/**
 * Removes a journal, and with it all that is known of its runs.
 *
 * @throws {CliError} `busy`, exit 6, when a process works with it; `journal_not_removed`, exit 1, when the disk refuses.
 */
export function removeJournal(path: string, taker: LockTaker): void {
  try {
    const release = takeRunLock(path, taker);
    if (typeof release !== 'function') throw journalBusy(path, release);
    try {
      rmSync(path, { force: true });
    } finally {
      release();
    }
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError('journal_not_removed', `Could not remove the journal ${path}: ${reasonOf(cause)}.`, {
      cause,
    });
  }
}

/**
 * Removes the journals of all runs on this machine's sandbox: what they remember is gone.
 *
 * @param state the folder of what innctl remembers.
 */
export async function forgetSandboxRuns(state: string, taker: LockTaker): Promise<void> {
  const { runs } = await runsIn(runsFolder(state), taker);
  const paths = runs.filter(({ run }) => isSandbox(run.header)).map(({ path }) => path);
  for (const path of new Set(paths)) removeJournal(path, taker);
}
