import type { CommandUnknownOpts } from '@commander-js/extra-typings';

/** docs/surface.txt: every command with its aliases and arguments, and every flag, one per line. */
export function surfaceOf(command: CommandUnknownOpts, above: readonly string[] = []): string {
  const path = [...above, command.name()];
  const aliases = command.aliases().length === 0 ? '' : ` (${command.aliases().join(', ')})`;
  const words = [...path, ...command.registeredArguments.map(argumentOf)].join(' ');
  const flags = command.options.map(({ flags }) => `${path.join(' ')} ${flags}`);
  const own = [`${words}${aliases}`, ...flags].map((line) => `${line}\n`);
  return [...own, ...command.commands.map((child) => surfaceOf(child, path))].join('');
}

/** `<id>`, or `[id]` for an optional argument. */
export function argumentOf(argument: CommandUnknownOpts['registeredArguments'][number]): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}
