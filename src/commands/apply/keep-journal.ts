import { resolve } from 'node:path';
import { type Journal, openJournal } from '../../apply/journal.ts';
import { journalPath } from '../../apply/journal-path.ts';
import type { AskedRun } from './asked-run.ts';
import type { ApplyFlags } from './flags.ts';

/** Where the journal of a run is. */
export function pathOf(run: AskedRun): string {
  return journalPath(run.session.folders.state, run, run.wishes.journal);
}

/**
 * Does the work of a run while its journal is open.
 *
 * @throws {CliError} what keeps the journal from being opened, before the work is begun.
 */
export async function withJournal(run: AskedRun, work: (journal: Journal) => Promise<void>): Promise<void> {
  const { session, wishes, flags, command, files, target } = run;
  const journal = await openJournal({
    path: pathOf(run),
    runId: wishes.runId,
    run: { command, files, target, profile: session.settings().profile?.value, options: kept(flags) },
    context: session.context,
  });
  let isDone = false;
  try {
    await work(journal);
    isDone = true;
  } finally {
    // What the run ended with is worth more than that the file could not be closed.
    await journal.close().catch((error: unknown) => {
      if (isDone) throw error;
    });
  }
}

/** The flags as `runs resume` needs them, wherever it is typed; a second mail is consented to each time. */
function kept({
  journal,
  runId,
  plan: saved,
  failedOut,
  resendUnknown: _,
  ...flags
}: ApplyFlags): Readonly<Record<string, unknown>> {
  return {
    ...flags,
    ...(saved === undefined ? {} : { plan: saved === '-' ? saved : resolve(saved) }),
    ...(failedOut === undefined ? {} : { failedOut: resolve(failedOut) }),
  };
}
