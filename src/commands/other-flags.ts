import { shellLine } from '../render/shell.ts';

/** A flag that a service does not have, and what says the same. */
export interface OtherFlag {
  /** `truth`: true or false may follow, and alone it means true. */
  readonly takes: 'value' | 'truth' | 'nothing';
  /** The words in its place. */
  readonly as: (value: string) => readonly string[];
}

/**
 * The command line that was typed, with other flags that say the same: for a hint, which keeps the values.
 *
 * @param argv the words after the program's name.
 * @param flags by their long names: `--first-name`.
 */
export function inOtherFlags(argv: readonly string[], flags: Readonly<Record<string, OtherFlag>>): string {
  const words: string[] = [];
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      words.push(word, ...rest);
      break;
    }
    const [name = '', attached] = word.split(/=(.*)/s);
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    const takesNext =
      attached === undefined &&
      (flag?.takes === 'value' || (flag?.takes === 'truth' && rest[0]?.startsWith('-') === false));
    const value = attached ?? (takesNext ? rest.shift() : undefined) ?? 'true';
    words.push(...(flag === undefined ? [word] : flag.as(value)));
  }
  return shellLine(['innctl', ...words]);
}
