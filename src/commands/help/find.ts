import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { nearest } from '../../model/names.ts';

/** Shorter words match too many names. */
const SHORTEST_PREFIX = 3;

/** The words of a command, starting with the name of the program. */
export function wordsOf(command: CommandUnknownOpts): readonly string[] {
  return [...(command.parent === null ? [] : wordsOf(command.parent)), command.name()];
}

/** The subcommand with this name or alias. */
export function childOf(command: CommandUnknownOpts, word: string): CommandUnknownOpts | undefined {
  return command.commands.find((child) => child.name() === word || child.aliases().includes(word));
}

/** The names of the subcommands that a misspelt word may mean. Aliases are matched, names are returned. */
export function similarChildren(command: CommandUnknownOpts, word: string): readonly string[] {
  const words = command.commands.flatMap((child) => [child.name(), ...child.aliases()]);
  const similar = similarWords(word, words).map((name) => childOf(command, name)?.name() ?? name);
  return [...new Set(similar)];
}

/** The nearest candidate, otherwise those that begin with the word. */
export function similarWords(
  word: string,
  candidates: readonly string[],
  pick: typeof nearest = nearest,
): readonly string[] {
  const near = pick(word, candidates);
  if (near !== undefined) return [near];
  return word.length < SHORTEST_PREFIX ? [] : candidates.filter((each) => each.startsWith(word));
}

/**
 * Commands similar to words that match none: `list properties`, `property-list`, or a verb without its group. Each as a
 * path of words.
 */
export function similarPaths(
  words: readonly string[],
  root: CommandUnknownOpts,
): readonly (readonly string[])[] {
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

function pathOf(noun: string, verb: string, root: CommandUnknownOpts): readonly string[] | undefined {
  const group = childOf(root, noun);
  const child = group && childOf(group, verb);
  return group && child && [group.name(), child.name()];
}
