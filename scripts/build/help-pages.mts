import type { EventEmitter } from 'node:events';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { MadePage } from '../../src/cli/pages.ts';
import { pageModel } from '../../src/commands/help/page.ts';
import { pageText } from '../../src/commands/help/page-text.ts';

/**
 * The help pages of a command and of all below it, as the program prints them; a page that says more than its model is left
 * out, and the program prints it.
 *
 * @param words those that lead to the command; none lead to the root.
 */
export function helpPages(command: CommandUnknownOpts, words: readonly string[] = []): readonly MadePage[] {
  return [
    ...(saysMore(command) ? [] : [helpPage(command, words)]),
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

/** Commander keeps what `addHelpText` adds as listeners. */
function saysMore(command: CommandUnknownOpts): boolean {
  // Its types do not say that a command is one.
  const emitter = command as unknown as EventEmitter;
  return ['beforeHelp', 'afterHelp'].some((name) => emitter.listenerCount(name) > 0);
}
