import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { addProfile } from './add.ts';
import { listProfiles } from './list.ts';
import { removeProfile } from './remove.ts';
import { showProfile } from './show.ts';
import { useProfile } from './use.ts';

/** `profiles ...`: which service is meant, and as whom. */
export function profilesCommands(context: Context) {
  return new DescribedCommand('profiles', {
    examples: ['profiles add chain', 'profiles use chain', 'profiles list'],
  })
    .alias('profile')
    .summary('services by name, each with its credentials')
    .description('Profiles: named services, each with its credentials and defaults.')
    .addCommand(listProfiles(context))
    .addCommand(addProfile(context))
    .addCommand(useProfile(context))
    .addCommand(showProfile(context))
    .addCommand(removeProfile(context));
}
