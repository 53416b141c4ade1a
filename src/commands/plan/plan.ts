import { parsePlanFlags, pruneFlag, withReadingFlags } from '../../change/flags.ts';
import { Concluded } from '../../model/errors.ts';
import { ExitCode } from '../../model/exit-codes.ts';
import type { Context } from '../../model/ports.ts';
import { serviceCommand } from '../../session/described-command.ts';
import { withSession } from '../../session/session.ts';

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
