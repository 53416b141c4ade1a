import type { CommandUnknownOpts, Help, Option } from '@commander-js/extra-typings';
import { groupBy } from '../../model/records.ts';
import { DescribedCommand, exitCodesOf, markOf, topicNames } from '../../session/command-line.ts';

/** Heading of the flags of one command. */
const OWN_FLAGS = 'Flags';

export type Row = readonly [term: string, description: string];

/** Rows below a heading. */
export type Section = readonly [heading: string, rows: readonly Row[]];

/** The content of a help page. */
export interface Page {
  readonly description: string;
  readonly usage: string;
  readonly sections: readonly Section[];
  /** Command lines without the program's name. */
  readonly examples: readonly string[];
  /** Lines of a text, and the command that shows more. */
  readonly foot: readonly (readonly [text: string, page: string])[];
}

/** The help page of a command. `helper` is commander's: it formats the terms of flags, arguments and commands. */
export function pageOf(command: CommandUnknownOpts, helper: Help): string {
  const page = {
    description: command.description(),
    usage: helper.commandUsage(command),
    sections: sectionsOf(command, helper).filter(([, rows]) => rows.length > 0),
    examples: command instanceof DescribedCommand ? command.about.examples : [],
    foot: footOf(command),
  };
  return pageText(page, helper.helpWidth ?? 80);
}

/** The page of the root has the commands by job, and its flags are a topic. */
function sectionsOf(command: CommandUnknownOpts, helper: Help): readonly Section[] {
  const commands = helper.visibleCommands(command);
  if (command.parent === null) return [['Commands', jobsOf(commands)]];
  const args = helper
    .visibleArguments(command)
    .map((each): Row => [helper.argumentTerm(each), helper.argumentDescription(each)]);
  const rows = commands.map(
    (each): Row => [helper.subcommandTerm(each), `${helper.subcommandDescription(each)}${markOf(each)}`],
  );
  return [['Commands', rows], ['Arguments', args], ...flagSections(command, helper)];
}

function jobsOf(commands: readonly CommandUnknownOpts[]): readonly Row[] {
  const jobs = groupBy(commands, (command) => command.helpGroup());
  return [...jobs].map(([job, each]) => [
    job,
    each.map((command) => `${command.name()}${markOf(command)}`).join(', '),
  ]);
}

/** The command's own flags by group. */
export function flagSections(command: CommandUnknownOpts, helper: Help): readonly Section[] {
  const isHelp = ({ long }: Option) => long === '--help';
  const flags = helper.visibleOptions(command).filter((flag) => command.parent === null || !isHelp(flag));
  const rowOf = (flag: Option): Row => [helper.optionTerm(flag), helper.optionDescription(flag)];
  const groups = groupBy(flags, (flag) => flag.helpGroupHeading ?? OWN_FLAGS);
  // `Fields (innctl help properties create)`: another page describes these flags, so that their names are enough.
  return [...groups].map(([heading, own]) => [
    heading,
    heading.endsWith(')') ? [['', own.map(({ long }) => long).join(', ')]] : own.map(rowOf),
  ]);
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

/** A help page, wrapped at `width` except for examples, which must stay one line to copy. */
export function pageText({ description, usage, sections, examples, foot }: Page, width: number): string {
  const column = columnFor(
    sections.flatMap(([, rows]) => rows),
    width,
  );
  const blocks = [
    wrap(description, width),
    wrap(`Usage: ${usage}`, width, '  '),
    ...sections.map(([heading, rows]) => [`${heading}:`, ...linesOf(rows, width, column)]),
    examples.length === 0 ? [] : ['Examples:', ...examples.map((line) => `  $ innctl ${line}`)],
    foot.flatMap(([text, page]) => pointer(text, page, width)),
  ];
  const filled = blocks.filter((lines) => lines.length > 0);
  return `${filled.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** A text followed by the command that shows more, which is never broken. */
function pointer(text: string, page: string, width: number): readonly string[] {
  const whole = `${text} ${page}`.trimEnd();
  return whole.length <= width
    ? [whole]
    : [...wrap(text, width, '  '), ...(page === '' ? [] : [`  ${page}`])];
}

/** Minimum width of the description column. */
const MIN_DESCRIPTION = 35;
const INDENT = '  ';

/** Wraps a text at `width`; a longer word is a line of its own. `indent` is put before every line but the first. */
function wrap(text: string, width: number, indent = ''): readonly string[] {
  const [first = '', ...words] = text.split(/\s+/).filter(Boolean);
  const lines: string[] = [];
  let line = first;
  for (const word of words) {
    if (line.length + 1 + word.length <= width) {
      line = `${line} ${word}`;
    } else {
      lines.push(line);
      line = `${indent}${word}`;
    }
  }
  return [...lines, line];
}

/** The column in which the descriptions of all these rows begin. */
export function columnFor(rows: readonly Row[], width: number): number {
  const longest = Math.max(0, ...rows.map(([term]) => term.length));
  return Math.min(INDENT.length + longest + 2, Math.max(width - MIN_DESCRIPTION, 2 * INDENT.length));
}

/** Rows as lines: the description beside the term, or below a term that is too long; without a term it begins the line. */
export function linesOf(rows: readonly Row[], width: number, column: number): readonly string[] {
  return rows.flatMap(([term, description]) => {
    const start = `${INDENT}${term}`;
    if (description === '') return [start];
    if (term === '') return hanging(INDENT, description, width);
    return start.length + 2 > column
      ? [start, ...hanging(' '.repeat(column), description, width)]
      : hanging(start.padEnd(column), description, width);
  });
}

/** A text wrapped in the column behind `start`. */
function hanging(start: string, text: string, width: number): readonly string[] {
  const [first = '', ...rest] = wrap(text, Math.max(width - start.length, 1));
  return [`${start}${first}`, ...rest.map((line) => `${' '.repeat(start.length)}${line}`)];
}
