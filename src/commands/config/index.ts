import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { explainSetting } from './explain.ts';
import { getSetting, listSettings, showPath } from './get.ts';
import { setSetting, unsetSetting } from './set.ts';

/** `config ...`: the settings in effect, and those stored in the current profile. */
export function configCommands(context: Context) {
  return new DescribedCommand('config', {
    examples: ['config list', 'config set output json', 'config explain timeout'],
  })
    .summary('manage settings')
    .description('Show the settings in effect, and change those stored in the current profile.')
    .addCommand(listSettings(context))
    .addCommand(getSetting(context))
    .addCommand(setSetting(context))
    .addCommand(unsetSetting(context))
    .addCommand(explainSetting(context))
    .addCommand(showPath(context));
}
