import type { CommandUnknownOpts, Help, Option } from '@commander-js/extra-typings';
import { DescribedCommand, exitCodesOf, topicNames } from '../../cli/described-command.ts';
import { groupBy } from '../../model/records.ts';
import { type Page, pageText, type Row, type Section } from './page-text.ts';

/** Heading of the flags of one command. */
const OWN_FLAGS = 'Flags';

/** The help page of a command. `helper` is commander's: it formats the terms of flags, arguments and commands. */
export function pageOf(command: CommandUnknownOpts, helper: Help): string {
  return pageText(pageModel(command, helper), helper.helpWidth ?? 80);
}

/** The content of a help page, for any width. */
export function pageModel(command: CommandUnknownOpts, helper: Help): Page {
  return {
    description: command.description(),
    usage: helper.commandUsage(command),
    sections: sectionsOf(command, helper).filter(([, rows]) => rows.length > 0),
    examples: command instanceof DescribedCommand ? command.about.examples : [],
    foot: footOf(command),
  };
}

/** The page of the root has the commands by job, and its flags are a topic. */
function sectionsOf(command: CommandUnknownOpts, helper: Help): readonly Section[] {
  const commands = helper.visibleCommands(command);
  if (command.parent === null) return [['Commands', jobsOf(commands)]];
  const args = helper
    .visibleArguments(command)
    .map((each): Row => [helper.argumentTerm(each), helper.argumentDescription(each)]);
  const rows = commands.map((each): Row => [helper.subcommandTerm(each), helper.subcommandDescription(each)]);
  return [['Commands', rows], ['Arguments', args], ...flagSections(command, helper)];
}

function jobsOf(commands: readonly CommandUnknownOpts[]): readonly Row[] {
  const jobs = groupBy(commands, (command) => command.helpGroup());
  return [...jobs].map(([job, each]) => [job, each.map((command) => command.name()).join(', ')]);
}

/** The command's own flags by group. */
export function flagSections(command: CommandUnknownOpts, helper: Help): readonly Section[] {
  const isHelp = ({ long }: Option) => long === '--help';
  const flags = helper.visibleOptions(command).filter((flag) => command.parent === null || !isHelp(flag));
  const rowOf = (flag: Option): Row => [helper.optionTerm(flag), helper.optionDescription(flag)];
  const groups = groupBy(flags, (flag) => flag.helpGroupHeading ?? OWN_FLAGS);
  return [...groups].map(([heading, own]) => [
    heading,
    isElsewhere(heading) ? [['', own.map(({ long }) => long).join(', ')]] : own.map(rowOf),
  ]);
}

/** `Fields (innctl help properties create)`: another page describes these flags, so that their names are enough. */
function isElsewhere(heading: string): boolean {
  return heading.endsWith(')');
}

/** The last lines: where to go on. */
function footOf(command: CommandUnknownOpts): Page['foot'] {
  const flags = ['Global flags:', 'innctl help flags'] as const;
  if (command.parent === null)
    return [['More:', 'innctl help <command or topic>'], [`Topics: ${topicNames.join(', ')}`, ''], flags];
  if (!(command instanceof DescribedCommand) || command.about.effect === undefined) {
    const aliases = command.aliases().join(', ');
    return [...(aliases === '' ? [] : [[`Aliases: ${aliases}`, ''] as const]), flags];
  }
  return [[`Exit codes: ${exitCodesOf(command.about).join(', ')}`, '(innctl help exit-codes)'], flags];
}
