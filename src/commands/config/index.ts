import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { explainSetting } from './explain.ts';
import { getSetting } from './get.ts';
import { listSettings } from './list.ts';
import { showPath } from './path.ts';
import { setSetting } from './set.ts';
import { unsetSetting } from './unset.ts';

/** `config ...`: the settings in force, and those that the profile in effect stores. */
export function configCommands(context: Context) {
  return new DescribedCommand('config', {
    examples: ['config list', 'config set output json', 'config explain timeout'],
  })
    .summary('settings in force, and those that a profile stores')
    .description('Settings: those in force, and those that the profile in effect stores.')
    .addCommand(listSettings(context))
    .addCommand(getSetting(context))
    .addCommand(setSetting(context))
    .addCommand(unsetSetting(context))
    .addCommand(explainSetting(context))
    .addCommand(showPath(context));
}
