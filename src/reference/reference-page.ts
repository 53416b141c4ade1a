import { effectSentence } from './effects.ts';
import { anchorOf, code, codeBlock, prose, table } from './markdown.ts';
import { allOf, type CommandModel, type FlagModel } from './model.ts';
import { argumentText, argumentWord, exitCodeList, flagText, groupsOf, usageLine } from './wording.ts';

const SHARED = 'Flags of all commands';
const TOPICS = 'Topics';
/** The topic that says what exit codes mean. */
const EXIT_CODES = 'exit-codes';

/** Topics of help, as they are printed, by name. */
export type Topics = Readonly<Record<string, string>>;

/** docs/reference.md: every command, its flags, examples and exit codes, the shared flags once, and the topics of help. */
export function referencePage(root: CommandModel, topics: Topics): string {
  const commands = allOf(root).slice(1);
  return `${[
    '# Reference',
    `${prose(root.description)} This page is made of the program itself (${code('npm run generate')}); ${code(
      'innctl commands --json',
    )} says the same to other programs, and ${code('innctl help <command>')} in a terminal.`,
    contents(root, topics),
    `## ${SHARED}`,
    'They stand before or after the command.',
    ...groupsOf(root.flags).flatMap(([name, flags]) => [
      ...(name === '' ? [] : [`**${prose(name)}**`]),
      flagTable(flags),
    ]),
    ...commands.map(sectionOf),
    `## ${TOPICS}`,
    ...Object.entries(topics).map(topicOf),
  ].join('\n\n')}\n`;
}

function contents(root: CommandModel, topics: Topics): string {
  const link = (indent: string, text: string, heading: string, summary = '') =>
    `${indent}- [${prose(text)}](${anchorOf(heading)})${summary === '' ? '' : `: ${prose(summary)}`}`;
  return [
    link('', SHARED, SHARED),
    ...allOf(root)
      .slice(1)
      .map((command) =>
        link('  '.repeat(command.path.length - 1), command.path.join(' '), titleOf(command), command.summary),
      ),
    link('', TOPICS, TOPICS),
    ...Object.keys(topics).map((name) => link('  ', name, topicTitle(name))),
  ].join('\n');
}

function sectionOf(command: CommandModel): string {
  const { about, path, aliases, description, arguments: values, flags } = command;
  const effect = effectSentence(about);
  return [
    `${path.length > 1 ? '###' : '##'} ${titleOf(command)}`,
    prose([description, ...(effect === undefined ? [] : [effect])].join(' ')),
    ...(aliases.length === 0 ? [] : [`Also: ${aliases.map((alias) => code(alias)).join(', ')}`]),
    codeBlock('text', [usageLine(command)]),
    codeBlock(
      'sh',
      about.examples.map((example) => `innctl ${example}`),
    ),
    ...(values.length === 0
      ? []
      : [
          table(
            ['argument', 'what it is'],
            values.map((value) => [code(argumentWord(value)), prose(argumentText(value))]),
          ),
        ]),
    ...(flags.length === 0 ? [] : [flagTable(flags)]),
    ...(effect === undefined
      ? []
      : [`[Exit codes](${anchorOf(topicTitle(EXIT_CODES))}): ${exitCodeList(about)}`]),
  ].join('\n\n');
}

function flagTable(flags: readonly FlagModel[]): string {
  return table(
    ['flag', 'what it does'],
    flags.map((flag) => [code(flag.flags), prose(flagText(flag))]),
  );
}

function topicOf([name, text]: readonly [string, string]): string {
  return [`### ${topicTitle(name)}`, codeBlock('text', text.trimEnd().split('\n'))].join('\n\n');
}

function titleOf({ path }: CommandModel): string {
  return `innctl ${path.join(' ')}`;
}

function topicTitle(name: string): string {
  return `innctl help ${name}`;
}
