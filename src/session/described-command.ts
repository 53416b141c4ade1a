import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { ExitCode, type ExitCodeName } from '../model/exit-codes.ts';
import { isBeyond } from '../service/operations.ts';

/** What a command does to what it works on: nothing, a change, or one that cannot be undone. */
export type Effect = 'reads' | 'writes' | 'destroys';

/** The topics of `innctl help`, in order. */
export const topicNames = ['environment', 'exit-codes', 'faults', 'flags', 'formatting', 'safety'] as const;

/** What help, completions and the reference show of a command beyond what commander knows. */
export interface About {
  /** Command lines without the program's name; the first is the plainest. */
  readonly examples: readonly string[];
  /** `undefined` for a group of commands. */
  readonly effect?: Effect;
  /** What the effect is on: the service, otherwise this machine. */
  readonly on?: 'service';
  /** Exit codes beyond those of every command with this effect. */
  readonly exits?: readonly ExitCodeName[];
}

/** A command with its examples and its effect. */
export class DescribedCommand extends Command {
  about: About;

  /** @param names its name, then its aliases: `list ls`. */
  constructor(names: string, about: About) {
    const [name, ...aliases] = names.split(' ');
    super(name);
    this.aliases(aliases);
    this.about = about;
  }

  /** Says which exit codes it has beyond those of every command with its effect. */
  exitsWith(...exits: readonly (ExitCodeName | false)[]): this {
    this.about = { ...this.about, exits: exits.filter((exit) => exit !== false) };
    return this;
  }
}

/** A command that uses the service. @param names as of `DescribedCommand`. */
export function serviceCommand(names: string, effect: Effect, examples: readonly string[]): DescribedCommand {
  return new DescribedCommand(names, { effect, on: 'service', examples });
}

/** A command that works on this machine alone. @param names as of `DescribedCommand`. */
export function localCommand(names: string, effect: Effect, examples: readonly string[]): DescribedCommand {
  return new DescribedCommand(names, { effect, examples });
}

const everywhere: readonly ExitCodeName[] = ['done', 'failed', 'usage', 'interrupted', 'terminated'];
/** What a service may answer to any request. */
const atTheService: readonly ExitCodeName[] = [
  'notFound',
  'notLoggedIn',
  'forbidden',
  'refused',
  'unavailable',
];
const whenWriting: readonly ExitCodeName[] = ['unknown', 'blocked'];

/** The exit codes of a command, in their order. */
export function exitCodesOf({ effect, on, exits = [] }: About): readonly ExitCode[] {
  const names = [
    ...everywhere,
    ...(on === 'service' ? atTheService : []),
    ...(on === 'service' && effect !== 'reads' ? whenWriting : []),
    ...exits,
  ];
  return [...new Set(names.map((name) => ExitCode[name]))].sort((a, b) => a - b);
}

const effects = {
  service: {
    reads: 'Read-only.',
    writes: 'Changes data at the service.',
    destroys: 'Destructive: can delete data at the service or lock users out.',
  },
  machine: {
    reads: 'Read-only.',
    writes: 'Changes local data.',
    destroys: 'Deletes local data permanently.',
  },
} as const;

/** The effect of a command as a sentence; `undefined` for a group. */
export function effectSentence({ effect, on }: About): string | undefined {
  return effect && effects[on ?? 'machine'][effect];
}

/** The words of a command, starting with the name of the program. */
export function wordsOf(command: CommandUnknownOpts): readonly string[] {
  return [...(command.parent === null ? [] : wordsOf(command.parent)), command.name()];
}

/** What lists of commands say behind one that needs the dialect apaleo. */
export function markOf(command: CommandUnknownOpts): string {
  return isBeyond(wordsOf(command).slice(1).join(' ')) ? ' (apaleo)' : '';
}

/** The root of the tree of a command. */
export function rootOf(command: CommandUnknownOpts): CommandUnknownOpts {
  return command.parent === null ? command : rootOf(command.parent);
}

/** The subcommand with this name or alias. */
export function childOf(command: CommandUnknownOpts, word: string): CommandUnknownOpts | undefined {
  return command.commands.find((child) => child.name() === word || child.aliases().includes(word));
}
