import { Option } from '@commander-js/extra-typings';
import { SANDBOX } from '../../config/profile-name.ts';
import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { seedNames } from '../../sandbox/seeds/seed.ts';
import { withLocalChange } from '../../session.ts';
import { forgetProfile } from '../remember/remember.ts';
import { sandboxFolder } from './folder.ts';

/**
 * `sandbox reset`: start the sandbox anew. Nothing is asked: it holds nothing of worth. Tokens stay valid; journals of runs
 * on it go, because what they remember is gone.
 */
export function resetSandbox(context: Context) {
  return new DescribedCommand('reset', {
    effect: 'destroys',
    exits: ['refused', 'unavailable'],
    examples: ['sandbox reset', 'sandbox reset --seed chain'],
  })
    .summary('start the sandbox anew')
    .description('Put the sandbox back to its beginning, also while it is being served.')
    .addOption(
      new Option('--seed <name>', 'what it starts from').choices(seedNames).default('small' as const),
    )
    .action(
      withLocalChange(context, async (session, { seed }) => {
        const { resetState } = await import('../../sandbox/store/reset.ts');
        await resetState({ folder: sandboxFolder(session), seed, now: context.clock.now });
        const { forgetSandboxRuns } = await import('../../apply/forget.ts');
        await forgetSandboxRuns(session.folders.state, context);
        const { forgetSandboxCreations } = await import('../recent.ts');
        await forgetSandboxCreations(session);
        await session.out.done(`Reset the sandbox to the seed ${seed}.`, { seed, reset: true });
        await forgetProfile(session.folders, SANDBOX);
      }),
    );
}
