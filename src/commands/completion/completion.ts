import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DescribedCommand } from '../../cli/described-command.ts';
import { usageError } from '../../cli/errors.ts';
import type { GlobalOptions } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { withLocalSession } from '../../cli/session.ts';
import { isStandalone, readOwnFile } from '../../fs/standalone.ts';
import { nearest, suggestion } from '../../model/names.ts';
import { quote } from '../../model/text.ts';
import { completionFiles, placeOf, type Shell, shells } from '../../reference/shells.ts';

/**
 * `completion <shell>`: prints a script of completions/, and how to install it on stderr. The output is meant for a file, so
 * a profile does not change its format; only a flag or a variable does.
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
      const shell = shellFrom(word);
      const script = scriptOf(shell);
      // The root was made by createRoot.
      if (isPlain(command.optsWithGlobals() as GlobalOptions, context)) {
        await context.stdout.write(script);
        await context.stderr.write(`${placeOf(shell)}\n`);
        return;
      }
      const print = withLocalSession(context, async ({ out }, ..._args: [string, object, typeof command]) => {
        // `line` adds the final newline.
        await out.line(script.replace(/\n$/, ''), { shell, script });
        await out.note(placeOf(shell));
      });
      await print(word, options, command);
    });
}

/** The text of a file of completions/, which is in the folder of the package, above src/ or dist/. */
function scriptOf(shell: Shell, below = import.meta.dirname): string {
  const path = join(dirname(below), 'completions', completionFiles[shell]);
  const isLast = isStandalone() || existsSync(path) || dirname(below) === below;
  return isLast ? readOwnFile(path).toString('utf8') : scriptOf(shell, dirname(below));
}

/** Whether no format was requested; then no settings are needed. -q does not change a script. */
function isPlain(globals: GlobalOptions, { env }: Context): boolean {
  const { json, output, query, fields, raw } = globals;
  const asked = [json, output, query, fields, raw].some((flag) => flag !== undefined);
  return !asked && (env['INNCTL_OUTPUT'] ?? '') === '';
}

/** Other names of shells, and compatible shells. */
const similar: ReadonlyMap<string, Shell> = new Map([
  ['pwsh', 'powershell'],
  ['ps', 'powershell'],
  ['sh', 'bash'],
  ['dash', 'bash'],
  ['ksh', 'bash'],
]);

/** @throws {CliError} exit 2 with a suggestion: for `/bin/zsh`, zsh. */
function shellFrom(word: string): Shell {
  const found = shells.find((shell) => shell === word);
  if (found !== undefined) return found;
  const name = (word.split(/[\\/]/).at(-1) ?? '').replace(/^-|\.exe$/gi, '').toLowerCase();
  // Prefers a name with the same first letter: fish for fsh.
  const isAlike = (shell: Shell) => Number(shell.charAt(0) === name.charAt(0));
  const alike = shells.toSorted((one, other) => isAlike(other) - isAlike(one));
  const shell = similar.get(name) ?? nearest(name, alike);
  throw usageError(
    `There are no completions for ${quote(word)}, only for ${shells.join(', ')}${suggestion(shell) || '.'}`,
    `innctl completion ${shell ?? shells[0]}`,
  );
}
