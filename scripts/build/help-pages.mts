import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { MadePage } from '../../src/cli/pages.ts';
import { pageModel } from '../../src/commands/help/page.ts';
import { pageText } from '../../src/commands/help/page-text.ts';

/**
 * The help pages of a command and its subcommands, as the program prints them.
 *
 * @param words the path of the command; empty for the root.
 */
export function helpPages(command: CommandUnknownOpts, words: readonly string[] = []): readonly MadePage[] {
  return [
    helpPage(command, words),
    ...command.commands.flatMap((child) => helpPages(child, [...words, child.name()])),
  ];
}

function helpPage(command: CommandUnknownOpts, words: readonly string[]): MadePage {
  const model = pageModel(command, command.createHelp());
  return {
    words: words.join(' '),
    aliases: command.aliases().map((alias) => [...words.slice(0, -1), alias].join(' ')),
    isGroup: command.commands.length > 0,
    text: pageText(model, 80),
    model: JSON.stringify(model),
  };
}
