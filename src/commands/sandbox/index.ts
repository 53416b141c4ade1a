import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { showPath } from './path.ts';
import { resetSandbox } from './reset.ts';
import { serveSandbox } from './serve.ts';

/** `sandbox ...`: the local stand-in for the service. */
export function sandboxCommands(context: Context) {
  return new DescribedCommand('sandbox', {
    examples: ['--sandbox properties list', 'sandbox serve --port 8080', 'sandbox reset --seed chain'],
  })
    .summary('a stand-in for the service, to practise on')
    .description('A stand-in for the service on this machine, with hotels and people to practise on.')
    .addCommand(serveSandbox(context))
    .addCommand(resetSandbox(context))
    .addCommand(showPath(context));
}
