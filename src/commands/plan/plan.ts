import { DescribedCommand } from '../../cli/described-command.ts';
import { Concluded } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import type { Item } from '../../seed/item.ts';
import type { Recalled } from '../../seed/journal.ts';
import type { Target } from '../../seed/target.ts';
import { DEFAULT_CONCURRENCY, type PlanWishes, planWishesFrom, resendUnknownFlag } from './flags.ts';
import { tellOfReading, warnOfLockout, warnOfPrune } from './warnings.ts';

/**
 * `plan <files...>`: what `apply` would do with the same files. Only reads: it lists properties, invitations and users,
 * and reads each property that the files are about, unless the list shows that nothing is to be done about it.
 */
export function planCommand(context: Context) {
  return new DescribedCommand('plan', {
    effect: 'reads',
    on: 'service',
    exits: ['pending', 'blocked'],
    examples: [
      'plan hotels.yaml',
      'plan hotels.csv people.csv --json > plan.json',
      'plan manifests/ --exit-code',
      'plan hotels.yaml -o csv > review.csv',
    ],
  })
    .summary('show what apply would change')
    .description('Show what apply would create, change and delete, without changing anything.')
    .argument('<files...>', 'manifests (YAML, JSON, NDJSON, CSV) or folders; - for stdin')
    .option('--exit-code', 'exit with 10 if there are changes, or differences that only a person can resolve')
    .option('--assume-new', 'create entries whose existence cannot be determined')
    .option(...resendUnknownFlag)
    .option('--write-unreadable', 'also write fields that the service never returns')
    .option('--prune', 'delete what earlier runs created and the files no longer contain')
    .option('--journal <path>', 'path of the journal')
    .option('--run-id <id>', 'id of the run to plan for')
    .option('--concurrency <n>', `maximum parallel reads (default: ${DEFAULT_CONCURRENCY})`)
    .option('--max-rps <n>', 'maximum requests per second: 0.5, 20')
    .action(
      withSession(context, async (session, files, { exitCode, ...flags }) => {
        const wishes = planWishesFrom(flags);
        const { items, target } = await planned(files, wishes, session);
        const { isChangedInFile, isPending } = await import('../../seed/item.ts');
        const { printPlan } = await import('./print.ts');
        await printPlan(items, target, session);
        await warnOfLockout(items, session);
        const isOpen = (item: Item) => isPending(item) || isChangedInFile(item);
        if (exitCode === true && items.some(isOpen)) throw new Concluded(ExitCode.pending);
      }),
    );
}

async function planned(
  files: readonly string[],
  wishes: PlanWishes,
  session: Session,
): Promise<{ readonly items: readonly Item[]; readonly target: Target }> {
  const { context, folders, api, pace, out } = session;
  const { propertyNames } = await import('../suggest.ts');
  const { readManifest } = await import('../../seed/read.ts');
  const { stdin, signal, clock, redactor } = context;
  const entries = await readManifest(files, {
    stdin,
    signal,
    prune: wishes.prune,
    dialect: api.dialect,
    warn: out.warn,
    propertyNames: () => propertyNames(api),
  });
  const { targetIn } = await import('../target.ts');
  const target = await targetIn(session, wishes);
  const memory = await memoryOf(files, wishes, target, folders.state);
  const { concurrency, maxRps, runId = memory.runId } = wishes;
  pace({ concurrency, maxRps });
  await warnOfPrune(wishes, memory, target, out);
  await tellOfReading(entries, session);
  const { buildPlan, refuseIncomplete } = await import('../../seed/plan.ts');
  const hasDeadline = session.settings().timeoutSeconds !== undefined;
  const options = {
    ...wishes,
    hasDeadline,
    ...{ memory, runId, redactor, now: clock.now, warn: out.warn, workers: concurrency },
  };
  const items = await buildPlan(entries, api, options);
  refuseIncomplete(items, api);
  return { items, target };
}

/** What runs of `apply` with the same files left. */
async function memoryOf(
  files: readonly string[],
  { journal }: PlanWishes,
  target: Target,
  state: string,
): Promise<Recalled> {
  const { readMemory } = await import('../../seed/journal.ts');
  const { absoluteFiles, journalPath } = await import('../../seed/journal-path.ts');
  const run = { command: 'apply', files: absoluteFiles(files), target } as const;
  return readMemory(journalPath(state, run, journal), run);
}
