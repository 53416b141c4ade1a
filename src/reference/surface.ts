import type { CommandUnknownOpts } from '@commander-js/extra-typings';

/** docs/surface.txt: every command with its aliases and arguments, and every flag, one per line. */
export function surfaceOf(root: CommandUnknownOpts): string {
  return `${linesOf(root, []).join('\n')}\n`;
}

function linesOf(command: CommandUnknownOpts, above: readonly string[]): readonly string[] {
  const path = [...above, command.name()];
  const aliases = command.aliases().length === 0 ? '' : ` (${command.aliases().join(', ')})`;
  const words = [...path, ...command.registeredArguments.map(argumentOf)].join(' ');
  const flags = command.options.map(({ flags }) => `${path.join(' ')} ${flags}`);
  return [`${words}${aliases}`, ...flags, ...command.commands.flatMap((child) => linesOf(child, path))];
}

/** `<id>`, or `[id]` for an optional argument. */
export function argumentOf(argument: CommandUnknownOpts['registeredArguments'][number]): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}
