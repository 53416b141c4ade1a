import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { DescribedCommand } from '../cli/described-command.ts';
import { type Detail, detailsFor, invalidInput } from '../cli/errors.ts';
import type { Context } from '../cli/ports.ts';
import { quote } from '../model/text.ts';
import { type Dialect, takes } from '../service/dialect.ts';
import { notInContract, type OperationId } from '../service/operations.ts';
import { hasBlank, listedIdProblem } from '../service/property-names.ts';
import type { Api } from '../service/service.ts';

/** Collects the values of a repeatable option as they are. */
export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

/**
 * What is wrong with the entries of a list.
 *
 * @param field the name of the list in messages.
 * @param problem what is wrong with one entry, or `undefined`.
 */
export function entryProblems(
  field: string,
  entries: readonly string[],
  problem: (entry: string) => string | undefined,
): readonly Detail[] {
  return entries.flatMap((entry) =>
    detailsFor(field, entry === '' && entries.length > 1 ? 'has an empty entry' : problem(entry)),
  );
}

/** The entries of list flags, each once; `[]` alone is the empty list. `undefined` if no flag is given. */
export function idList(...lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  const given = lists.filter((list) => list !== undefined);
  if (given.length === 0) return undefined;
  return [...new Set(given.flatMap((list) => (list.length === 1 && list[0] === '[]' ? [] : list)))];
}

/**
 * The property ids of some flags, each once, in their order; `undefined` if no flag is given.
 *
 * @throws {CliError} exit 2 naming all that are invalid.
 */
export async function propertyIds(
  given: Readonly<Record<`--${string}`, readonly string[] | undefined>>,
  api: Pick<Api, 'properties'>,
): Promise<readonly string[] | undefined> {
  const lists = Object.entries(given).filter((entry) => entry[1] !== undefined);
  const check = await openIdCheck(
    lists.flatMap(([, ids = []]) => ids),
    api,
  );
  const details = lists.flatMap(([field, ids = []]) => entryProblems(field, ids, check));
  if (details.length > 0) throw invalidInput(details);
  return lists.length === 0 ? undefined : [...new Set(lists.flatMap(([, ids = []]) => ids))];
}

/**
 * The check of property ids in lists. If one has a blank in it, the service is asked whether it is a name.
 *
 * @param ids the ids to be checked.
 */
export async function openIdCheck(
  ids: readonly string[],
  api: Pick<Api, 'properties'>,
): Promise<(id: string) => string | undefined> {
  if (!ids.some(hasBlank)) return listedIdProblem;
  const { propertyNames } = await import('./suggest.ts');
  const names = await propertyNames(api);
  return (id) => listedIdProblem(id, names.idsOf(id));
}

/** Flags with their values; `undefined` if one is not given. */
type Flags = Readonly<Record<`--${string}`, unknown>>;

/**
 * Refuses flags that an operation of this dialect does not take.
 *
 * @param hint something to type instead.
 * @throws {CliError} exit 2 naming them.
 */
export function refuseUntaken(
  { dialect }: Pick<Api, 'dialect'>,
  id: OperationId,
  flags: Flags,
  hint: string,
) {
  const details = untakenDetails(dialect, id, flags);
  if (details.length > 0) throw invalidInput(details, hint);
}

/** The same as details, to be reported with what else is wrong. */
export function untakenDetails(
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

/** A command of a group with all its names. It is loaded when a command line names it. */
export interface Verb {
  readonly names: readonly string[];
  build(context: Context): Promise<CommandUnknownOpts>;
}

/**
 * Adds to a group the one verb that a command line names, or all of them.
 *
 * @param verbs in the order of help.
 * @param word the word after the name of the group.
 */
export async function withVerbs(
  group: DescribedCommand,
  verbs: readonly Verb[],
  context: Context,
  word: string | undefined,
): Promise<DescribedCommand> {
  const named = verbs.filter(({ names }) => word !== undefined && names.includes(word));
  const wanted = named.length > 0 ? named : verbs;
  for (const command of await Promise.all(wanted.map(({ build }) => build(context))))
    group.addCommand(command);
  return group;
}

/** A flag that may be followed by true or false, and alone means true. */
export type TruthFlag = string | true | undefined;

/** What is wrong with the word after such a flag, or `undefined`. */
export function truthProblem(given: TruthFlag): string | undefined {
  const isKnown = given === undefined || given === true || given === 'true' || given === 'false';
  return isKnown ? undefined : `${quote(given)} is neither true nor false`;
}

/** The value of such a flag, after `truthProblem`. */
export function truthOf(given: TruthFlag): boolean | undefined {
  return given === undefined ? undefined : given !== 'false';
}
