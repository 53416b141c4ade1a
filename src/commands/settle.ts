import { shellLine } from '../render/shell.ts';

/**
 * The command line that was typed, as one line for the shell, with more flags at the end of it.
 *
 * @param argv the words after the program's name.
 */
export function sameCommand(argv: readonly string[], ...more: readonly string[]): string {
  const end = argv.indexOf('--');
  const flags = end === -1 ? argv : argv.slice(0, end);
  const rest = end === -1 ? [] : argv.slice(end);
  return shellLine(['innctl', ...flags, ...more, ...rest]);
}

/** The words of a command line that say which service is meant, for a hint that must not lead to another one. */
export function serviceFlags(globals: {
  readonly sandbox?: true;
  readonly profile?: string;
}): readonly string[] {
  if (globals.sandbox === true) return ['--sandbox'];
  return globals.profile === undefined ? [] : ['--profile', globals.profile];
}
