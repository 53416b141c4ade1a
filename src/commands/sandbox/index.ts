import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { resetSandbox, showPath } from './reset.ts';
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
