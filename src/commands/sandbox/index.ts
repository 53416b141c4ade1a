import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { resetSandbox, showPath } from './reset.ts';
import { serveSandbox } from './serve.ts';

/** `sandbox ...`: the local stand-in for the service. */
export function sandboxCommands(context: Context) {
  return new DescribedCommand('sandbox', {
    examples: ['--sandbox properties list', 'sandbox serve --port 8080', 'sandbox reset --seed chain'],
  })
    .summary('run and manage a local stand-in for the service')
    .description('Run and manage a local stand-in for the service, with sample hotels and people.')
    .addCommand(serveSandbox(context))
    .addCommand(resetSandbox(context))
    .addCommand(showPath(context));
}
