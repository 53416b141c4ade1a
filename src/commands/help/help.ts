import { Command } from '@commander-js/extra-typings';
import type { Context } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { topics } from './topics.ts';

/** `help [words...]`: help on a command, or on a topic. */
export function helpCommand(context: Context) {
  const command = new Command('help')
    .summary('show help on a command or a topic')
    .description(`Help on a command, or on one of the topics: ${Object.keys(topics).join(', ')}.`)
    .argument('[words...]', 'a command, or a topic')
    .action(async (words) => {
      const [first] = words;
      const topic = first !== undefined && Object.hasOwn(topics, first) ? topics[first] : undefined;
      if (topic !== undefined) await context.stdout.write(topic());
      else find(words, command.parent as unknown as Command).outputHelp();
    });
  return command;
}

function find(words: readonly string[], root: Command): Command {
  return words.reduce((command, word) => {
    const child = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (child === undefined)
      throw usageError(`There is no command or topic "${words.join(' ')}".`, 'innctl help');
    return child as Command;
  }, root);
}
