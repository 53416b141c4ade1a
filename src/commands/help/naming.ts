import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { nearest } from '../../checks/nearest.ts';

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
