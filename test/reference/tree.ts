import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { buildProgram } from '../../src/cli/program.ts';
import type { Context } from '../../src/model/ports.ts';
import { type CommandModel, modelOf } from '../../src/reference/model.ts';

/** The command tree of the program. */
export function commandTree(): Promise<CommandUnknownOpts> {
  // Building the tree uses only the version of the context.
  return buildProgram({ version: '0.0.0' } as Context, () => {});
}

/** The command tree of the program as data. */
export async function commandModel(): Promise<CommandModel> {
  return modelOf(await commandTree());
}

/** The command with this path. */
export function commandAt(root: CommandUnknownOpts, words: readonly string[]): CommandUnknownOpts {
  return words.reduce((command, word) => {
    const child = command.commands.find((each) => each.name() === word);
    if (child === undefined) throw new Error(`There is no command ${words.join(' ')}.`);
    return child;
  }, root);
}
