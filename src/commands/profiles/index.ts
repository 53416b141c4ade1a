import { Command } from '@commander-js/extra-typings';
import type { Context } from '../../context.ts';
import { addProfile } from './add.ts';
import { listProfiles } from './list.ts';
import { removeProfile } from './remove.ts';
import { showProfile } from './show.ts';
import { useProfile } from './use.ts';

/** `profiles ...`: which service is meant, and as whom. */
export function profilesCommands(context: Context) {
  return new Command('profiles')
    .alias('profile')
    .description('Profiles: named services, each with its credentials and defaults.')
    .addCommand(listProfiles(context))
    .addCommand(addProfile(context))
    .addCommand(useProfile(context))
    .addCommand(showProfile(context))
    .addCommand(removeProfile(context));
}
