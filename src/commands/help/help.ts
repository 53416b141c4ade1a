import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { DescribedCommand, topicNames } from '../../cli/described-command.ts';
import { type CliError, usageError } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { quote } from '../../model/text.ts';
import { childOf, similarChildren, similarPaths, similarWords, wordsOf } from './find.ts';
import { reflow } from './page-text.ts';
import { topics } from './topics.ts';

/**
 * `help [words...]`: help for a command or a topic. Needs no settings.
 *
 * @param say receives the help page.
 */
export function helpCommand(context: Context, _verb: string | undefined, say: (text: string) => void) {
  return new DescribedCommand('help', {
    effect: 'reads',
    examples: ['help properties create', 'help exit-codes'],
  })
    .summary('show help for a command or topic')
    .description(`Show help for a command, or for one of the topics: ${topicNames.join(', ')}.`)
    .argument('[words...]', 'a command or topic')
    .action(async (words, _options, command) => {
      const topic = words.length === 1 ? topicNames.find((name) => name === words[0]) : undefined;
      const { columns } = context.stdout;
      if (topic !== undefined) say(reflow(topics[topic](columns), columns));
      else find(words, command.parent ?? command).outputHelp();
    });
}

/** @throws {CliError} exit 2 when the words name no command. */
function find(words: readonly string[], root: CommandUnknownOpts): CommandUnknownOpts {
  return words.reduce((command, word) => {
    const child = childOf(command, word);
    if (child === undefined) throw unknownWord(word, words, command);
    return child;
  }, root);
}

/** The hint is a similar page, or the last page that matches. */
function unknownWord(word: string, words: readonly string[], command: CommandUnknownOpts): CliError {
  const known = wordsOf(command).slice(1);
  const similar =
    command.parent === null
      ? [...similarPaths(words, command), ...similarFirstWords(word, command).map((name) => [name])]
      : similarChildren(command, word).map((name) => [...known, name]);
  const [page = known] = similar;
  return usageError(
    `There is no command or topic ${quote(words.join(' '))}.`,
    ['innctl help', ...page].join(' '),
  );
}

/** A topic followed by other words, then similar commands and topics. */
function similarFirstWords(word: string, root: CommandUnknownOpts): readonly string[] {
  return [
    ...topicNames.filter((name) => name === word),
    ...similarChildren(root, word),
    ...similarWords(word, topicNames),
  ];
}
