import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isStandalone, readOwnFile } from '../../config/places.ts';
import { usageError } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { quote } from '../../model/text.ts';
import { prettyJson } from '../../print/text.ts';
import { completionFiles, type Shell, shells } from '../../reference/values.ts';
import { localCommand } from '../../session/command-line.ts';

/**
 * `completion <shell>`: prints a script of completions/, and how to install it on stderr. The output is meant for a file, so
 * a profile does not change its format; only a flag or a variable does.
 */
export function completionCommand(context: Context) {
  return localCommand('completion', 'reads', ['completion bash', 'completion zsh > _innctl'])
    .summary('print a shell completion script')
    .description('Print the completion script of a shell. Instructions to install it go to stderr.')
    .argument('<shell>', `${shells.slice(0, -1).join(', ')} or ${shells.at(-1)}`)
    .action(async (word) => {
      const shell = shells.find((each) => each === word);
      if (shell === undefined) throw unknownShell(word);
      const script = scriptOf(shell);
      const { stdout, stderr, presentation } = context;
      await stdout.write(presentation.json ? prettyJson({ shell, script }) : script);
      await stderr.write(`${places[shell]}\n`);
    });
}

/** The text of a file of completions/, which is in the folder of the package, above src/ or dist/. */
function scriptOf(shell: Shell, below = import.meta.dirname): string {
  const path = join(dirname(below), 'completions', completionFiles[shell]);
  const isLast = isStandalone() || existsSync(path) || dirname(below) === below;
  return isLast ? readOwnFile(path).toString('utf8') : scriptOf(shell, dirname(below));
}

function unknownShell(word: string) {
  const sentence = `There are no completions for ${quote(word)}, only for ${shells.join(', ')}.`;
  return usageError(sentence, `innctl completion ${shells[0]}`);
}

/** How to install the completions of a shell. */
const places = {
  bash: `With the package bash-completion, type:
  mkdir -p ~/.local/share/bash-completion/completions
  innctl completion bash > ~/.local/share/bash-completion/completions/innctl
Without it:
  innctl completion bash > ~/.innctl.bash && echo '. ~/.innctl.bash' >> ~/.bashrc`,
  zsh: `Type, and begin a new shell:
  mkdir -p ~/.zsh/completions && innctl completion zsh > ~/.zsh/completions/_innctl
~/.zshrc needs, before anything else calls compinit:
  fpath=(~/.zsh/completions $fpath); autoload -Uz compinit; compinit`,
  fish: `Type:
  mkdir -p ~/.config/fish/completions
  innctl completion fish > ~/.config/fish/completions/innctl.fish`,
  powershell: `Type, and begin a new shell:
  innctl completion powershell | Out-File -Encoding utf8 "$HOME/.innctl.ps1"
  if (!(Test-Path $PROFILE)) { New-Item -ItemType File -Force $PROFILE }
  Add-Content $PROFILE '. "$HOME/.innctl.ps1"'`,
} as const satisfies Record<Shell, string>;
