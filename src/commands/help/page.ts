import type { CommandUnknownOpts, Help, Option } from '@commander-js/extra-typings';
import { DescribedCommand, exitCodesOf } from '../../described-command.ts';
import type { Row } from './layout.ts';
import { type Page, pageText, type Section } from './page-text.ts';
import { topics } from './topics.ts';

/** Heading of the flags that belong to one command alone. */
const OWN_FLAGS = 'Flags';

/**
 * The help page of a command: what it does, how it is written, examples, then all that it takes and leads to.
 *
 * @param helper how commander words flags, arguments and commands.
 */
export function pageOf(command: CommandUnknownOpts, helper: Help): string {
  return pageText(pageModel(command, helper), helper.helpWidth ?? 80);
}

/** What the help page of a command says, for any width. */
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

/** The command's own flags, then the shared ones in their groups; --help comes last in its own. */
function flagSections(command: CommandUnknownOpts, helper: Help): readonly Section[] {
  const flags = [...helper.visibleOptions(command), ...helper.visibleGlobalOptions(command)];
  const isHelp = ({ long }: Option) => long === '--help';
  const ordered = [...flags.filter((flag) => !isHelp(flag)), ...flags.filter(isHelp)];
  const groups = new Map<string, Row[]>();
  for (const flag of ordered) {
    const heading = flag.helpGroupHeading ?? OWN_FLAGS;
    const row: Row = [helper.optionTerm(flag), helper.optionDescription(flag)];
    groups.set(heading, [...(groups.get(heading) ?? []), row]);
  }
  return [...groups];
}

/** What stands elsewhere: the topics of the root, the exit codes of a command. */
function footOf(command: CommandUnknownOpts): Page['foot'] {
  if (command.parent === null) return [`Topics: ${Object.keys(topics).join(', ')}`, 'innctl help <topic>'];
  if (!(command instanceof DescribedCommand) || command.about.effect === undefined) return undefined;
  return [`Exit codes: ${exitCodesOf(command.about).join(', ')}`, 'innctl help exit-codes'];
}
