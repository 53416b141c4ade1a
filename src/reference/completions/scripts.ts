import type { CommandModel } from '../model.ts';
import { bashScript } from './bash.ts';
import { completionFiles, type Shell } from './files.ts';
import { fishScript } from './fish.ts';
import { powershellScript } from './powershell.ts';
import { zshScript } from './zsh.ts';

/** The completion script of each shell: its file in completions/, and the function that makes its text. */
export const scripts = {
  bash: { file: completionFiles.bash, make: bashScript },
  zsh: { file: completionFiles.zsh, make: zshScript },
  fish: { file: completionFiles.fish, make: fishScript },
  powershell: { file: completionFiles.powershell, make: powershellScript },
} as const satisfies Record<Shell, { readonly file: string; readonly make: (root: CommandModel) => string }>;
