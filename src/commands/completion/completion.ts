import { DescribedCommand } from '../../cli/described-command.ts';
import type { GlobalOptions } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { withLocalSession } from '../../cli/session.ts';
import { shells } from '../../reference/completions/files.ts';

/**
 * `completion <shell>`: the completions of a shell, as in completions/. Where to put them is said on stderr. They go into a
 * file: only a flag or a variable makes anything else of them, no profile does.
 */
export function completionCommand(context: Context) {
  return new DescribedCommand('completion', {
    effect: 'reads',
    examples: ['completion bash', 'completion zsh > _innctl'],
  })
    .summary('print a shell completion script')
    .description('Print the completion script of a shell. Instructions to install it go to stderr.')
    .argument('<shell>', `${shells.slice(0, -1).join(', ')} or ${shells.at(-1)}`)
    .action(async (word, options, command) => {
      const { shellFrom } = await import('./shell.ts');
      const shell = shellFrom(word);
      const { scripts } = await import('../../reference/completions/scripts.ts');
      const { modelOf, rootOf } = await import('../../reference/model.ts');
      const { placeOf } = await import('./place.ts');
      const root = rootOf(command);
      const script = scripts[shell].make(modelOf(root));
      // The root was made by createRoot.
      if (isPlain(root.opts() as GlobalOptions, context)) {
        await context.stdout.write(script);
        await context.stderr.write(`${placeOf(shell)}\n`);
        return;
      }
      const print = withLocalSession(context, async ({ out }, ..._args: [string, object, typeof command]) => {
        // Whoever prints a line ends it.
        await out.line(script.replace(/\n$/, ''), { shell, script });
        await out.note(placeOf(shell));
      });
      await print(word, options, command);
    });
}

/** Whether no other form is asked for; then no settings are needed. A script has no id, so that `-q` leaves it as it is. */
function isPlain(globals: GlobalOptions, { env }: Context): boolean {
  const { json, output, query, fields, raw } = globals;
  const asked = [json, output, query, fields, raw].some((flag) => flag !== undefined);
  return !asked && (env['INNCTL_OUTPUT'] ?? '') === '';
}
