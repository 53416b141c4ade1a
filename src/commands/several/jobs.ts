import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import type { JobCommand } from '../../seed/journal-line.ts';
import type { JobFlags, RunJob } from './journalled.ts';

/** What carries out each command that makes its rows itself: typed, or continued by `runs resume`. */
export const jobs: Readonly<Record<JobCommand, () => Promise<RunJob>>> = {
  'people offboard': async () => (await import('../people/offboard-run.ts')).offboard,
  'people onboard': async () => (await import('../people/onboard-run.ts')).onboard,
  'invitations resend': async () => (await import('../invitations/resend-run.ts')).resend,
  'access apply': async () => (await import('../access/apply-run.ts')).applyDecisions,
};

/** The action of such a command, whose line names people, or a file of them with `--file`. */
export function running(context: Context, command: JobCommand) {
  return withSession(
    context,
    async (
      session,
      references: readonly string[],
      { file, ...flags }: JobFlags & { readonly file?: string },
    ) => {
      const run = await jobs[command]();
      await run(session, { references, file }, flags);
    },
  );
}
