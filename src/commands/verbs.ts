import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Context } from '../context.ts';
import type { DescribedCommand } from '../described-command.ts';

/** A command of a group, by all names that it answers to. It is read and built when a command line names it. */
export interface Verb {
  readonly names: readonly string[];
  build(context: Context): Promise<CommandUnknownOpts>;
}

/**
 * Adds to a group the verb that a command line names, and no other; all of them where it names none.
 *
 * @param verbs in the order of help.
 * @param word behind the name of the group.
 */
export async function withVerbs(
  group: DescribedCommand,
  verbs: readonly Verb[],
  context: Context,
  word: string | undefined,
): Promise<DescribedCommand> {
  const named = verbs.filter(({ names }) => word !== undefined && names.includes(word));
  const wanted = named.length > 0 ? named : verbs;
  for (const command of await Promise.all(wanted.map(({ build }) => build(context))))
    group.addCommand(command);
  return group;
}
