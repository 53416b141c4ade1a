import type { Session } from '../../cli/session.ts';
import { filesOf, isOfManifests, type RunLine } from '../../seed/journal-line.ts';
import type { ApplyFlags } from '../apply/flags.ts';
import { jobs } from '../several/jobs.ts';

/**
 * Continues the run of a journal.
 *
 * @param consent replaces the consent given when the run was started.
 */
export async function resume(
  session: Session,
  path: string,
  header: RunLine,
  consent: Pick<ApplyFlags, 'maxDeletes' | 'allowLockout' | 'resendUnknown' | 'verbose'>,
): Promise<void> {
  const { command, id, options } = header;
  if (isOfManifests(command)) {
    const { resumeApply } = await import('../apply/run.ts');
    return resumeApply(session, path, { ...header, command }, consent);
  }
  const run = await jobs[command]();
  const [file] = filesOf(header);
  const references = file === undefined ? header.files : [];
  await run(session, { references, file }, { ...options, ...consent, journal: path, runId: id });
}
