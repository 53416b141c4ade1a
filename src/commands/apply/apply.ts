import {
  allowLockoutFlag,
  parsePlanFlags,
  pruneFlag,
  withReadingFlags,
  withRunFlags,
} from '../../change/flags.ts';
import { Concluded, ExitCode } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { serviceCommand } from '../../session/command-line.ts';
import { withSession } from '../../session/session.ts';

/**
 * `apply <files...>`: create and update records from manifests.
 *
 * Reads the service, shows the plan, asks for consent and carries it out: properties first, then people. The same
 * command continues an interrupted run.
 */
export function applyCommand(context: Context) {
  const command = serviceCommand('apply', 'destroys', [
    'apply hotels.yaml',
    'apply hotels/ people.csv --dry-run',
    'apply hotels.csv --yes --max-changes 50',
    'apply leavers.csv --yes --max-deletes 20',
    'apply hotels/ --plan plan.json --yes --run-id "$GITHUB_RUN_ID"',
  ])
    .exitsWith('partlyDone')
    .summary('apply manifests to the service')
    .description(
      'Create and update properties, invitations and user access from manifests. Run the same command again to ' +
        'continue an interrupted run; nothing is created twice. With --dry-run, prints the plan and sends nothing.',
    )
    .argument('<files...>', 'manifests, or folders; - for stdin')
    .option(
      '--plan <path>',
      'apply only this saved plan (innctl plan --json), and fail if anything has changed',
    )
    .option(...allowLockoutFlag);
  return withRunFlags(command.option(...pruneFlag)).action(
    withSession(context, async (session, files, flags) => {
      const { runApply } = await import('./run.ts');
      await runApply(session, files, flags);
    }),
  );
}

/**
 * `plan <files...>`: show what `apply` would do. Reads the lists of properties, invitations and users, and each
 * property in the files unless its list entry shows that nothing changes.
 */
export function planCommand(context: Context) {
  const command = serviceCommand('plan', 'reads', [
    'plan hotels.yaml',
    'plan hotels.csv people.csv --json > plan.json',
    'plan manifests/ --exit-code',
    'plan hotels.yaml -o csv > review.csv',
  ])
    .exitsWith('pending', 'blocked')
    .summary('show what apply would change')
    .description('Show what apply would create, change and delete, without changing anything.')
    .argument('<files...>', 'manifests (YAML, JSON, NDJSON, CSV, .xlsx) or folders; - for stdin')
    .option(
      '--exit-code',
      'exit with 10 if there are changes, also of fields that the service never returns',
    );
  return withReadingFlags(command.option(...pruneFlag)).action(
    withSession(context, async (session, files, { exitCode, ...typed }) => {
      const flags = parsePlanFlags(typed);
      const { planFiles } = await import('../apply/run.ts');
      const isOpen = await planFiles(session, files, flags);
      if (exitCode === true && isOpen) throw new Concluded(ExitCode.pending);
    }),
  );
}
