import { type Detail, invalidInput } from '../cli/errors.ts';
import { shellLine } from '../out/text.ts';
import { type Dialect, takes } from '../service/dialect.ts';
import { notInContract } from '../service/dialect-names.ts';
import type { OperationId } from '../service/operations.ts';
import type { Api } from '../service/service.ts';

/** Flags with their values, `undefined` where one is not given. */
type Flags = Readonly<Record<`--${string}`, unknown>>;

/**
 * Refuses flags that an operation of this dialect does not take.
 *
 * @param hint something to type instead.
 * @throws {CliError} exit 2 naming those that are given.
 */
export function refuseBeyond({ dialect }: Pick<Api, 'dialect'>, id: OperationId, flags: Flags, hint: string) {
  const details = beyondDetails(dialect, id, flags);
  if (details.length > 0) throw invalidInput(details, hint);
}

/** The same as details, to be reported with what else is wrong. */
export function beyondDetails(
  dialect: Pick<Dialect, 'further'>,
  id: OperationId,
  flags: Flags,
): readonly Detail[] {
  return Object.entries(flags).flatMap(([field, value]) =>
    value === undefined || takes(dialect, id, field.slice(2).replaceAll('-', '_'))
      ? []
      : [{ field, reason: notInContract }],
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
  return `${who} has no role at ${ids.join(', ')} and will see nothing there; roles of users are set in the pages of the service.`;
}
