import { join } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { type LocalSession, withLocalChange, withLocalSession } from '../../cli/session.ts';
import { SANDBOX } from '../../config/values.ts';
import { seedNames } from '../../sandbox/seeds/seed.ts';
import { forgetProfile } from '../remember.ts';

/**
 * `sandbox reset`: reset the sandbox, without confirmation. Tokens stay valid; journals of runs on it are removed,
 * because their records are gone.
 */
export function resetSandbox(context: Context) {
  return new DescribedCommand('reset', {
    effect: 'destroys',
    exits: ['refused', 'unavailable'],
    examples: ['sandbox reset', 'sandbox reset --seed chain'],
  })
    .summary('reset the sandbox')
    .description('Reset the sandbox to its sample data, even while it is being served.')
    .addOption(
      new Option('--seed <name>', 'sample data to reset to').choices(seedNames).default('small' as const),
    )
    .action(
      withLocalChange(context, async (session, { seed }) => {
        const { resetState } = await import('../../sandbox/store.ts');
        await resetState({ folder: sandboxFolder(session), seed, now: context.clock.now });
        const { forgetSandboxRuns } = await import('../runs/found-runs.ts');
        await forgetSandboxRuns(session);
        const { forgetSandboxCreations } = await import('../creation.ts');
        await forgetSandboxCreations(session);
        await session.out.done(`Reset the sandbox to the seed ${seed}.`, { seed, reset: true });
        forgetProfile(session.folders, SANDBOX);
      }),
    );
}

/** `sandbox path`: the folder of the sandbox's state, which may not exist yet. */
export function showPath(context: Context) {
  return new DescribedCommand('path', { effect: 'reads', examples: ['sandbox path'] })
    .summary('print the folder of the sandbox data')
    .description('Print the folder of the sandbox data.')
    .action(
      withLocalSession(context, async (session) => {
        const path = sandboxFolder(session);
        await session.out.line(path, { path });
      }),
    );
}

/** The folder of the sandbox's state. */
export function sandboxFolder({ folders }: Pick<LocalSession, 'folders'>): string {
  return join(folders.state, 'sandbox');
}
