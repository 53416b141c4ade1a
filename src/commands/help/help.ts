import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { settings } from '../../config/settings.ts';
import { exitCodeMeanings, usageError } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { quote } from '../../model/text.ts';
import { faultKinds } from '../../sandbox/faults.ts';
import { childOf, localCommand, topicNames, wordsOf } from '../../session/command-line.ts';
import { columnFor, flagSections, linesOf, pageText, type Row } from './page.ts';
import texts from './topics.json' with { type: 'json' };

/**
 * `help [words...]`: help for a command or a topic. Needs no settings.
 *
 * @param say receives the help page.
 */
export function helpCommand(context: Context, _verb: string | undefined, say: (text: string) => void) {
  return localCommand('help', 'reads', ['help properties create', 'help exit-codes'])
    .summary('show help for a command or topic')
    .description(`Show help for a command, or for one of the topics: ${topicNames.join(', ')}.`)
    .argument('[words...]', 'a command or topic')
    .action(async (words, _options, command) => {
      const topic = words.length === 1 ? topicNames.find((name) => name === words[0]) : undefined;
      const { columns } = context.stdout;
      const root = command.parent ?? command;
      if (topic !== undefined) say(topicText(topic, columns, root));
      else find(words, root).outputHelp();
    });
}

/** @throws {CliError} exit 2 when the words name no command; the hint is the page of the last one. */
function find(words: readonly string[], root: CommandUnknownOpts): CommandUnknownOpts {
  return words.reduce((command, word) => {
    const child = childOf(command, word);
    if (child !== undefined) return child;
    const page = ['innctl', 'help', ...wordsOf(command).slice(1)].join(' ');
    throw usageError(`There is no command or topic ${quote(words.join(' '))}.`, page);
  }, root);
}

/** The text of a help topic for a terminal of `width` columns; only rows of names and meanings are wrapped. */
export function topicText(name: (typeof topicNames)[number], width: number, root: CommandUnknownOpts) {
  if (name === 'flags') return flagsText(width, root);
  const rows = rowsOf[name]?.() ?? [];
  const lines = linesOf(rows, width, columnFor(rows, width));
  return `${texts[name].flatMap((line) => (line === '{rows}' ? lines : [line])).join('\n')}\n`;
}

/** What stands for `{rows}` in the text of a topic. */
const rowsOf: Readonly<Partial<Record<(typeof topicNames)[number], () => readonly Row[]>>> = {
  environment: () => settings.map(({ env, summary }) => [env, summary]),
  'exit-codes': () => Object.entries(exitCodeMeanings).map(([code, meaning]) => [code.padStart(3), meaning]),
  faults: () => Object.entries(faultKinds).sort(),
};

/** The flags that all commands share. */
function flagsText(width: number, root: CommandUnknownOpts): string {
  const description = 'The global flags: all commands accept them, before or after the command.';
  const sections = flagSections(root, root.createHelp());
  return pageText(
    { description, usage: 'innctl <command> [flags]', sections, examples: [], foot: [] },
    width,
  );
}
