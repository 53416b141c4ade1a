import type { Command, CommanderError } from '@commander-js/extra-typings';
import { type CliError, usageError } from './errors.ts';

/** What is needed of a command: its names, and those of its children. */
interface Named {
  readonly commands: readonly Named[];
  name(): string;
  aliases(): readonly string[];
}

/** Commander's own complaint as a usage error (exit 2), with its suggestion or the right help page as the hint. */
export function parseFailure(error: CommanderError, argv: readonly string[], program: Command): CliError {
  const [sentence = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = rest.join(' ').replace(/^\(|\)$/g, '');
  const path = namedCommands(argv, program);
  const hint =
    suggestion === ''
      ? ['innctl', ...path.map((command) => command.name()), '--help'].join(' ')
      : withoutAliases(suggestion, (path.at(-1) ?? program).commands);
  return usageError(sentence, hint);
}

/** The commands that argv leads through, the root left out. */
function namedCommands(argv: readonly string[], program: Named): readonly Named[] {
  const path: Named[] = [];
  for (const word of argv) {
    const next = (path.at(-1) ?? program).commands.find((child) => answersTo(child, word));
    if (next !== undefined) path.push(next);
  }
  return path;
}

/** Aliases work and are not shown: a suggestion says the name, once. */
function withoutAliases(suggestion: string, commands: readonly Named[]): string {
  const [, words] = /^Did you mean (?:one of )?(.+)\?$/.exec(suggestion) ?? [];
  if (words === undefined) return suggestion;
  const names = words
    .split(', ')
    .map((word) => commands.find((command) => answersTo(command, word))?.name() ?? word);
  const [first, ...others] = new Set(names);
  return others.length === 0
    ? `Did you mean ${first}?`
    : `Did you mean one of ${[first, ...others].join(', ')}?`;
}

function answersTo(command: Named, word: string): boolean {
  return command.name() === word || command.aliases().includes(word);
}
