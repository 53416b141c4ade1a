import type { Command, CommanderError } from '@commander-js/extra-typings';
import { type CliError, usageError } from './errors.ts';

/** Commander's own complaint as a usage error (exit 2), with its suggestion or the right help page as the hint. */
export function parseFailure(error: CommanderError, argv: readonly string[], program: Command): CliError {
  const [sentence = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = rest.join(' ').replace(/^\(|\)$/g, '');
  const hint =
    suggestion === '' ? `innctl ${[...namedCommand(argv, program), '--help'].join(' ')}` : suggestion;
  return usageError(sentence, hint);
}

/** The words of argv that lead down the command tree. */
function namedCommand(argv: readonly string[], program: Command): readonly string[] {
  const path: string[] = [];
  let command: { readonly commands: readonly { name(): string; aliases(): string[] }[] } = program;
  for (const word of argv) {
    const next = command.commands.find((child) => child.name() === word || child.aliases().includes(word));
    if (next === undefined) continue;
    path.push(next.name());
    // Children of a command are commands.
    command = next as unknown as typeof command;
  }
  return path;
}
