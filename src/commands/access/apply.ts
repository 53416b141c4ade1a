import { serviceCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import { withEvidenceFlags } from '../evidence/flags.ts';
import { allowLockoutFlag, withRunFlags } from '../plan/flags.ts';
import type { ReviewFlags } from './apply-run.ts';

/** `access apply <review>`: carry out the decisions of a review. */
export function applyReview(context: Context) {
  const command = serviceCommand('apply', 'destroys', [
    'access apply review.csv --plan-only',
    'access apply review.csv --require-all --yes --max-deletes 5 --evidence evidence/',
  ])
    .exitsWith('partlyDone')
    .summary('carry out the decisions of a review')
    .description(
      'Carry out the decisions of a review that `innctl access report --for-review -o csv` began: keep, revoke, disable or withdraw. A row whose access has changed since is a conflict. --evidence also keeps every row of the review with its outcome.',
    )
    .argument(
      '<review>',
      'table with the columns of the report and a decision per row (.csv, .xlsx); - for stdin',
    )
    .option('--plan-only', 'only show what the decisions would change')
    .option('--require-all', 'fail if a row has no decision');
  return withRunFlags(withEvidenceFlags(command).option(...allowLockoutFlag)).action(
    withSession(context, async (session, file: string, flags: ReviewFlags) => {
      const { applyDecisions } = await import('./apply-run.ts');
      await applyDecisions(session, { references: [], file }, flags);
    }),
  );
}
