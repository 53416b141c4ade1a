import type { CommandUnknownOpts, Help, Option } from '@commander-js/extra-typings';
import { DescribedCommand, exitCodesOf } from '../../described-command.ts';
import { columnFor, linesOf, type Row, wrap } from './layout.ts';
import { topics } from './topics.ts';

/** Heading of the flags that belong to one command alone. */
const OWN_FLAGS = 'Flags';

/** Rows below a heading. */
type Section = readonly [heading: string, rows: readonly Row[]];

/**
 * The help page of a command: what it does, how it is written, examples, then all that it takes and leads to.
 * Fits the width but for examples: each is one line to copy.
 *
 * @param helper how commander words flags, arguments and commands.
 */
export function pageOf(command: CommandUnknownOpts, helper: Help): string {
  const width = helper.helpWidth ?? 80;
  const sections = sectionsOf(command, helper);
  const rows = sections.flatMap(([, each]) => each);
  const column = columnFor(rows, width);
  const blocks = [
    wrap(command.description(), width),
    wrap(`Usage: ${helper.commandUsage(command)}`, width, '  '),
    examplesOf(command),
    ...sections.map(([heading, each]) => [`${heading}:`, ...linesOf(each, width, column)]),
    footOf(command, width),
  ];
  const filled = blocks.filter((lines) => lines.length > 0);
  return `${filled.map((lines) => lines.join('\n')).join('\n\n')}\n`;
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

function examplesOf(command: CommandUnknownOpts): readonly string[] {
  const examples = command instanceof DescribedCommand ? command.about.examples : [];
  return examples.length === 0 ? [] : ['Examples:', ...examples.map((line) => `  $ innctl ${line}`)];
}

/** What stands elsewhere: the topics of the root, the exit codes of a command. */
function footOf(command: CommandUnknownOpts, width: number): readonly string[] {
  if (command.parent === null)
    return pointer(`Topics: ${Object.keys(topics).join(', ')}`, 'innctl help <topic>', width);
  if (!(command instanceof DescribedCommand) || command.about.effect === undefined) return [];
  return pointer(`Exit codes: ${exitCodesOf(command.about).join(', ')}`, 'innctl help exit-codes', width);
}

/** A line that ends in what to type for more of it; that is never broken. */
function pointer(text: string, page: string, width: number): readonly string[] {
  const whole = `${text} (${page})`;
  return whole.length <= width ? [whole] : [...wrap(text, width, '  '), `  (${page})`];
}
