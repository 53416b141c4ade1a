import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { resumeRun } from './resume.ts';
import { forgetRun, listRuns, showRun } from './runs.ts';

/** `runs ...`: manage runs of apply and import, from their journals. */
export function runsCommands(context: Context) {
  return new DescribedCommand('runs', {
    examples: ['runs list', 'runs show 1cdd022e', 'runs resume 1cdd022e'],
  })
    .alias('run')
    .summary('manage runs of apply and import')
    .description('Show, resume and forget runs of apply and import, from the journals on this machine.')
    .addCommand(listRuns(context))
    .addCommand(showRun(context))
    .addCommand(resumeRun(context))
    .addCommand(forgetRun(context));
}
