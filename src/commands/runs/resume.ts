import type { Session } from '../../cli/session.ts';
import { filesOf, isOfManifests, type JobCommand, type RunLine } from '../../seed/journal-line.ts';
import type { ApplyFlags } from '../apply/flags.ts';
import type { RunJob } from '../several/journalled.ts';

/** What carries out each command that makes its rows itself. */
const jobs: Readonly<Record<JobCommand, () => Promise<RunJob>>> = {
  'people offboard': async () => (await import('../people/offboard-run.ts')).offboard,
  'access apply': async () => (await import('../access/apply-run.ts')).applyDecisions,
  'invitations resend': async () => (await import('../invitations/resend-run.ts')).resend,
  'people onboard': async () => (await import('../people/onboard-run.ts')).onboard,
};

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
