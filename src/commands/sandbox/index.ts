import { Command } from '@commander-js/extra-typings';
import type { Context } from '../../context.ts';
import { examples } from '../examples.ts';
import { showPath } from './path.ts';
import { resetSandbox } from './reset.ts';
import { serveSandbox } from './serve.ts';

/** `sandbox ...`: the local stand-in for the service. */
export function sandboxCommands(context: Context) {
  return new Command('sandbox')
    .description('A stand-in for the service on this machine, with hotels and people to practise on.')
    .addCommand(serveSandbox(context))
    .addCommand(resetSandbox(context))
    .addCommand(showPath(context))
    .addHelpText(
      'after',
      examples('--sandbox properties list', 'sandbox serve --port 8080', 'sandbox reset --seed chain'),
    );
}
