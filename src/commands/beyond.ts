import { type Detail, invalidInput } from '../cli/errors.ts';
import { shellLine } from '../out/text.ts';
import { notInContract } from '../service/dialect-names.ts';
import type { Api } from '../service/service.ts';

/**
 * Returns where the service has what these flags are about, or none of them is given.
 *
 * @param flags every flag by its value; `undefined` where it is not given.
 * @param hint something to type instead.
 * @throws {CliError} exit 2 naming those that are given.
 */
export function refuseBeyond(
  { dialect }: Pick<Api, 'dialect'>,
  flags: Readonly<Record<`--${string}`, unknown>>,
  hint = 'innctl config explain dialect',
): void {
  const details = beyondDetails(dialect, flags);
  if (details.length > 0) throw invalidInput(details, hint);
}

/** The same as details, to be told together with what else is wrong. */
export function beyondDetails(
  { goesBeyond }: Pick<Api['dialect'], 'goesBeyond'>,
  flags: Readonly<Record<`--${string}`, unknown>>,
): readonly Detail[] {
  if (goesBeyond) return [];
  return Object.entries(flags).flatMap(([field, value]) =>
    value === undefined ? [] : [{ field, reason: notInContract }],
  );
}

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

/** Said of a user who was given properties, and has no role there. */
export function roleless(who: string, ids: readonly string[]): string {
  return `${who} has no role at ${ids.join(', ')} and will see nothing there; roles of users are given in the service's own pages.`;
}
