import type { CommandUnknownOpts, Help, Option } from '@commander-js/extra-typings';
import { DescribedCommand, exitCodesOf } from '../../cli/described-command.ts';
import { nearest } from '../../model/names.ts';
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

/** Rows below a heading. */
type Section = readonly [heading: string, rows: readonly Row[]];

/** What a help page says; it can be written down as JSON. */
interface Page {
  readonly description: string;
  readonly usage: string;
  /** Command lines without the program's name. */
  readonly examples: readonly string[];
  readonly sections: readonly Section[];
  /** A text, and the command that tells more of it. */
  readonly foot: readonly [text: string, page: string] | undefined;
}

/** A help page, no wider than `width` but for its examples: each is one line to copy. */
export function pageText({ description, usage, examples, sections, foot }: Page, width: number): string {
  const column = columnFor(
    sections.flatMap(([, rows]) => rows),
    width,
  );
  const blocks = [
    wrap(description, width),
    wrap(`Usage: ${usage}`, width, '  '),
    examples.length === 0 ? [] : ['Examples:', ...examples.map((line) => `  $ innctl ${line}`)],
    ...sections.map(([heading, rows]) => [`${heading}:`, ...linesOf(rows, width, column)]),
    foot === undefined ? [] : pointer(...foot, width),
  ];
  const filled = blocks.filter((lines) => lines.length > 0);
  return `${filled.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** A line that ends in what to type for more of it; that is never broken. */
function pointer(text: string, page: string, width: number): readonly string[] {
  const whole = `${text} (${page})`;
  return whole.length <= width ? [whole] : [...wrap(text, width, '  '), `  (${page})`];
}

/** A word or a flag, and what there is to say about it. */
export type Row = readonly [term: string, description: string];

/** Descriptions beside long terms keep so many columns. */
const LEAST_ROOM = 35;
const INDENT = '  ';

/**
 * A text in lines no wider than `width`; a longer word stands alone.
 *
 * @param indent what every line after the first begins with.
 */
export function wrap(text: string, width: number, indent = ''): readonly string[] {
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

/** Where the descriptions of all these rows begin, so that they stand below each other. */
export function columnFor(rows: readonly Row[], width: number): number {
  const longest = Math.max(0, ...rows.map(([term]) => term.length));
  return Math.min(INDENT.length + longest + 2, Math.max(width - LEAST_ROOM, 2 * INDENT.length));
}

/** Rows in lines: each term with its description beside it, or below where the term is too long for that. */
export function linesOf(rows: readonly Row[], width: number, column: number): readonly string[] {
  const margin = ' '.repeat(column);
  return rows.flatMap(([term, description]) => {
    const [first = '', ...rest] = wrap(description, Math.max(width - column, 1));
    const start = `${INDENT}${term}`;
    const below = rest.map((line) => `${margin}${line}`);
    if (first === '') return [start];
    return start.length + 2 > column
      ? [start, `${margin}${first}`, ...below]
      : [`${start.padEnd(column)}${first}`, ...below];
  });
}

/**
 * A text that was written for 80 columns, for fewer: paragraphs and the cells of tables are broken anew. Lines with a
 * command to copy stay whole.
 */
export function reflow(text: string, width: number): string {
  return text
    .split('\n\n')
    .map((block) => reflowBlock(block.split('\n'), width).join('\n'))
    .join('\n\n');
}

function reflowBlock(lines: readonly string[], width: number): readonly string[] {
  if (lines.every((line) => line.length <= width)) return lines;
  return joined(lines).flatMap((line) => reflowLine(line, width));
}

/** A line goes on where the next one begins as far right as its text does. */
function joined(lines: readonly string[]): readonly string[] {
  const whole: string[] = [];
  for (const line of lines) {
    const last = whole.at(-1);
    if (last !== undefined && goesOn(last, line)) whole.splice(-1, 1, `${last} ${line.trim()}`);
    else whole.push(line);
  }
  return whole;
}

function goesOn(line: string, next: string): boolean {
  if (next === '' || isCommand(line) || isCommand(next)) return false;
  const { start } = partsOf(next);
  return start.trim() === '' && partsOf(line).start.length === start.length;
}

function reflowLine(line: string, width: number): readonly string[] {
  if (line.length <= width || isCommand(line)) return [line];
  const { start, text } = partsOf(line);
  const [first = '', ...rest] = wrap(text, Math.max(width - start.length, 1));
  return [`${start}${first}`, ...rest.map((each) => `${' '.repeat(start.length)}${each}`)];
}

/** A line of a table has its terms in the start, another one its indent alone. */
function partsOf(line: string) {
  const [, start = '', text = ''] = /^(\s*\S.*\s{2,})(\S.*)$/.exec(line) ?? /^(\s*)(.*)$/.exec(line) ?? [];
  return { start, text };
}

function isCommand(line: string): boolean {
  return /^\s+(\$ )?innctl /.test(line);
}

/** Fewer letters begin too many words. */
const SHORTEST_START = 3;

/** What is needed of a command: its names, and those of its children. */
interface Named {
  readonly commands: readonly Named[];
  name(): string;
  aliases(): readonly string[];
}

/** The words that lead to a command, the program's name first. */
export function wordsOf(command: CommandUnknownOpts): readonly string[] {
  return [...(command.parent === null ? [] : wordsOf(command.parent)), command.name()];
}

/** The child that answers to a word, by its name or by an alias. */
export function childOf<Child extends Named>(
  command: { readonly commands: readonly Child[] },
  word: string,
): Child | undefined {
  return command.commands.find((child) => child.name() === word || child.aliases().includes(word));
}

/** The names of the children that a misspelt word probably means; aliases work and are not shown. */
export function meantChildren(command: Named, word: string): readonly string[] {
  const words = command.commands.flatMap((child) => [child.name(), ...child.aliases()]);
  const meant = meantWords(word, words).map((name) => childOf(command, name)?.name() ?? name);
  return [...new Set(meant)];
}

/** The nearest word; where none is near, those that begin as was typed. */
export function meantWords(
  typed: string,
  words: readonly string[],
  pick: typeof nearest = nearest,
): readonly string[] {
  const near = pick(typed, words);
  if (near !== undefined) return [near];
  return typed.length < SHORTEST_START ? [] : words.filter((word) => word.startsWith(typed));
}

/**
 * The commands that words at the root mean although they name none: `list properties`, `property-list`, and a verb
 * alone, which may belong to several groups. Each as its words.
 */
export function meantPaths(words: readonly string[], root: Named): readonly (readonly string[])[] {
  const [first = '', ...others] = words;
  const parts = first.split(/[-:./\s]+/);
  const [left = '', right = ''] = parts;
  const joined = parts.length === 2 ? [pathOf(left, right, root), pathOf(right, left, root)] : [];
  const swapped = others.map((noun) => pathOf(noun, first, root));
  const [found] = [...swapped, ...joined].filter((path) => path !== undefined);
  if (found !== undefined) return [found];
  return root.commands.flatMap((group) => {
    const path = pathOf(group.name(), first, root);
    return path === undefined ? [] : [path];
  });
}

function pathOf(noun: string, verb: string, root: Named): readonly string[] | undefined {
  const group = childOf(root, noun);
  const child = group && childOf(group, verb);
  return group && child && [group.name(), child.name()];
}
