import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { withLocalSession } from '../../session.ts';

/** `completion <shell>`: the completions of a shell, as in completions/. Where to put them is said on stderr. */
export function completionCommand(context: Context) {
  return new DescribedCommand('completion', {
    effect: 'reads',
    examples: ['completion bash', 'completion zsh > _innctl'],
  })
    .summary('print the completions of a shell')
    .description('Print the completions of a shell, and say where to put them.')
    .argument('<shell>', 'bash, zsh, fish or powershell')
    .action(
      withLocalSession(context, async ({ out }, word, _options, command) => {
        const { shellFrom } = await import('./shell.ts');
        const shell = shellFrom(word);
        const { scriptOf } = await import('./script.ts');
        const script = scriptOf(shell, rootOf(command));
        // Whoever prints a line ends it.
        await out.line(script.replace(/\n$/, ''), { shell, script });
        const { placeOf } = await import('./place.ts');
        await out.note(placeOf(shell));
      }),
    );
}

function rootOf(command: CommandUnknownOpts): CommandUnknownOpts {
  return command.parent === null ? command : rootOf(command.parent);
}
