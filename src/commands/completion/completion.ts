import { shells } from '../../checks/shells.ts';
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
    .argument('<shell>', `${shells.slice(0, -1).join(', ')} or ${shells.at(-1)}`)
    .action(
      withLocalSession(context, async ({ out }, word, _options, command) => {
        const { shellFrom } = await import('./shell.ts');
        const shell = shellFrom(word);
        const { scripts } = await import('../../reference/completions/scripts.ts');
        const { modelOf, rootOf } = await import('../../reference/model.ts');
        const script = scripts[shell].make(modelOf(rootOf(command)));
        // Whoever prints a line ends it.
        await out.line(script.replace(/\n$/, ''), { shell, script });
        const { placeOf } = await import('./place.ts');
        await out.note(placeOf(shell));
      }),
    );
}
