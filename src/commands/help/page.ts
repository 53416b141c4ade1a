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
    examples: command instanceof DescribedCommand ? command.about.examples : [],
    sections: sectionsOf(command, helper),
    foot: footOf(command),
  };
}

function sectionsOf(command: CommandUnknownOpts, helper: Help): readonly Section[] {
  const args = helper
    .visibleArguments(command)
    .map((each): Row => [helper.argumentTerm(each), helper.argumentDescription(each)]);
  const commands = helper
    .visibleCommands(command)
    .map((each): Row => [helper.subcommandTerm(each), helper.subcommandDescription(each)]);
  const sections: readonly Section[] = [
    ['Arguments', args],
    ...flagSections(command, helper),
    ['Commands', commands],
  ];
  return sections.filter(([, rows]) => rows.length > 0);
}

/** The command's own flags, then the global flags by group; --help is the last of its group. */
function flagSections(command: CommandUnknownOpts, helper: Help): readonly Section[] {
  const flags = [...helper.visibleOptions(command), ...helper.visibleGlobalOptions(command)];
  const isHelp = ({ long }: Option) => long === '--help';
  const ordered = [...flags.filter((flag) => !isHelp(flag)), ...flags.filter(isHelp)];
  const rowOf = (flag: Option): Row => [helper.optionTerm(flag), helper.optionDescription(flag)];
  const groups = groupBy(ordered, (flag) => flag.helpGroupHeading ?? OWN_FLAGS);
  return [...groups].map(([heading, own]) => [heading, own.map(rowOf)]);
}

/** The last line: topics on the page of the root, exit codes on that of a command. */
function footOf(command: CommandUnknownOpts): Page['foot'] {
  if (command.parent === null) return [`Topics: ${topicNames.join(', ')}`, 'innctl help <topic>'];
  if (!(command instanceof DescribedCommand) || command.about.effect === undefined) return undefined;
  return [`Exit codes: ${exitCodesOf(command.about).join(', ')}`, 'innctl help exit-codes'];
}
