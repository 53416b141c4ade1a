/** Words as one line that a POSIX shell reads back as the same words. */
export function shellLine(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}

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
