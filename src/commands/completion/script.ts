import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { scripts } from '../../reference/completions/scripts.ts';
import { modelOf } from '../../reference/model.ts';
import type { Shell } from '../../reference/values.ts';

/** The completions of a shell, made from the command tree. */
export function scriptOf(shell: Shell, root: CommandUnknownOpts): string {
  return scripts[shell].make(modelOf(root));
}
