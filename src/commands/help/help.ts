import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { DescribedCommand } from '../../cli/described-command.ts';
import { type CliError, usageError } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { quote } from '../../model/text.ts';
import { childOf, meantChildren, meantPaths, meantWords, reflow, wordsOf } from './page.ts';
import { topics } from './topics.ts';

/**
 * `help [words...]`: help on a command, or on a topic. It needs no settings.
 *
 * @param say takes the page.
 */
export function helpCommand(context: Context, say: (text: string) => void) {
  return new DescribedCommand('help', {
    effect: 'reads',
    examples: ['help properties create', 'help exit-codes'],
  })
    .summary('show help for a command or topic')
    .description(`Show help for a command, or for one of the topics: ${Object.keys(topics).join(', ')}.`)
    .argument('[words...]', 'a command or topic')
    .action(async (words, _options, command) => {
      const topic = topicOf(words);
      const { columns } = context.stdout;
      if (topic !== undefined) say(reflow(topic(columns), columns));
      else find(words, command.parent ?? command).outputHelp();
    });
}

function topicOf([word = '', ...others]: readonly string[]) {
  return others.length === 0 && Object.hasOwn(topics, word) ? topics[word] : undefined;
}

/** @throws {CliError} exit 2 when a word leads to nothing. */
function find(words: readonly string[], root: CommandUnknownOpts): CommandUnknownOpts {
  return words.reduce((command, word) => {
    const child = childOf(command, word);
    if (child === undefined) throw unknownWord(word, words, command);
    return child;
  }, root);
}

/** The hint is the page that was probably meant, or the last one that the words lead to. */
function unknownWord(word: string, words: readonly string[], command: CommandUnknownOpts): CliError {
  const known = wordsOf(command).slice(1);
  const meant =
    command.parent === null
      ? [...meantPaths(words, command), ...meantFirst(word, command).map((name) => [name])]
      : meantChildren(command, word).map((name) => [...known, name]);
  const [page = known] = meant;
  return usageError(
    `There is no command or topic ${quote(words.join(' '))}.`,
    ['innctl help', ...page].join(' '),
  );
}

/** A topic with further words, then what is spelt like it. */
function meantFirst(word: string, root: CommandUnknownOpts): readonly string[] {
  const topic = Object.hasOwn(topics, word) ? [word] : [];
  return [...topic, ...meantChildren(root, word), ...meantWords(word, Object.keys(topics))];
}
