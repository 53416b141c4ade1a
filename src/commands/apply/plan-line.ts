import { stdinFolder } from '../../apply/journal-path.ts';
import { sameCommand, shellLine } from '../../render/shell.ts';
import { serviceFlags } from '../settle.ts';
import type { AskedRun } from './asked-run.ts';

/** The command line that plans what a run would do, at the same service. */
export function planLine({ session, files, flags }: AskedRun, ...more: readonly string[]): string {
  const { assumeNew, resendUnknown, writeUnreadable, prune, journal, runId } = flags;
  return shellLine([
    'innctl',
    ...serviceFlags(session.globals),
    'plan',
    ...files.map((file) => (stdinFolder(file) === undefined ? file : '-')),
    ...(assumeNew === true ? ['--assume-new'] : []),
    ...(resendUnknown === true ? ['--resend-unknown'] : []),
    ...(writeUnreadable === true ? ['--write-unreadable'] : []),
    ...(prune === true ? ['--prune'] : []),
    ...(journal === undefined ? [] : ['--journal', journal]),
    ...(runId === undefined ? [] : ['--run-id', runId]),
    ...more,
  ]);
}

/** The same command, with more flags; what came through a pipe must come through it once more. */
export function repeating(argv: readonly string[], ...more: readonly string[]): string {
  return `${sameCommand(argv, ...more)}${argv.includes('-') ? ' (with the same input)' : ''}`;
}
