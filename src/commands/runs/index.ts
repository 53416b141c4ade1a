import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { forgetRun } from './forget.ts';
import { listRuns } from './list.ts';
import { resumeRun } from './resume.ts';
import { showRun } from './show.ts';

/** `runs ...`: what apply and import did, as their journals tell. */
export function runsCommands(context: Context) {
  return new DescribedCommand('runs', {
    examples: ['runs list', 'runs show 1cdd022e', 'runs resume 1cdd022e'],
  })
    .alias('run')
    .summary('runs of apply and import, and their journals')
    .description('What apply and import did, as their journals on this machine tell.')
    .addCommand(listRuns(context))
    .addCommand(showRun(context))
    .addCommand(resumeRun(context))
    .addCommand(forgetRun(context));
}
