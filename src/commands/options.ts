import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Referred } from '../change/resolve.ts';
import { propertyNames, suggest } from '../change/suggest.ts';
import type { IdsNamed } from '../files/judge.ts';
import { type Detail, invalidInput, usageError } from '../model/errors.ts';
import type { Check, Context } from '../model/ports.ts';
import { entryReasons, quote } from '../model/text.ts';
import { type Dialect, takes } from '../service/dialect.ts';
import { needsApaleo, type OperationId } from '../service/operations.ts';
import { hasBlank, listedIdProblem } from '../service/property-names.ts';
import type { Api } from '../service/service.ts';
import { DescribedCommand } from '../session/command-line.ts';

/** The problems with a value, or with the entries of a list; `field` is its name in messages. */
export function entryProblems(field: string, value: string | readonly string[] | undefined, problem: Check) {
  return entryReasons(value, problem).map((reason) => ({ field, reason }));
}

/** The entries of list flags without duplicates; `[]` alone is the empty list. `undefined` if no flag is given. */
export function idList(...lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  const given = lists.filter((list) => list !== undefined);
  if (given.length === 0) return undefined;
  return [...new Set(given.flatMap((list) => (list.length === 1 && list[0] === '[]' ? [] : list)))];
}

/**
 * The property ids of some flags and arguments without duplicates, in order; `undefined` if none is given.
 *
 * @throws {CliError} exit 2 with all invalid ids.
 */
export async function propertyIds(
  given: Readonly<Record<string, readonly string[] | undefined>>,
  api: Api,
): Promise<readonly string[] | undefined> {
  const lists = Object.entries(given).filter(([, ids]) => ids !== undefined);
  const all = lists.flatMap(([, ids = []]) => ids);
  const check = await openIdCheck(all, api);
  const details = lists.flatMap(([field, ids]) => entryProblems(field, ids, check));
  if (details.length > 0) throw invalidInput(details);
  return lists.length === 0 ? undefined : [...new Set(all)];
}

/** Makes the check of property ids in lists. */
export async function openIdCheck(ids: readonly string[], api: Api): Promise<Check> {
  const named = await openNames(ids, api);
  return (id) => listedIdProblem(id, named(id));
}

/** Finds the ids of properties by name. Requests the list only if one of the texts may be a name: it has a blank. */
export async function openNames(texts: readonly unknown[], api: Api): Promise<IdsNamed> {
  if (!texts.some((text) => typeof text === 'string' && hasBlank(text))) return () => [];
  return (await propertyNames(api)).idsOf;
}

/** For `catch`: suggests a similar reference from the list. */
export function suggestReference({ misspelt }: Pick<Referred, 'misspelt'>, word: string, api: Api) {
  return suggest({ ...misspelt([word], api), inPath: true });
}

/** The given flags that this dialect does not support. */
export function unsupportedDetails(
  dialect: Dialect,
  id: OperationId,
  flags: Readonly<Record<`--${string}`, unknown>>,
): readonly Detail[] {
  return Object.entries(flags).flatMap(([field, value]) =>
    value === undefined || takes(dialect, id, field.slice(2).replaceAll('-', '_'))
      ? []
      : [{ field, reason: needsApaleo }],
  );
}

/** A group of verbs. */
interface Group {
  /** Its name, then its aliases. */
  readonly names: string;
  readonly summary: string;
  readonly description: string;
  readonly examples: readonly string[];
  /** In the order of help: names, and what loads the function that builds the verb. */
  readonly verbs: Readonly<
    Record<string, () => Promise<(context: Context) => CommandUnknownOpts | Promise<CommandUnknownOpts>>>
  >;
}

/** Builds a group with the verb of the command line, or all verbs. */
export function groupOf({ names, summary, description, examples, verbs }: Group) {
  return async (context: Context, verb: string | undefined) => {
    const group = new DescribedCommand(names, { examples });
    const named = Object.keys(verbs).filter((each) => verb !== undefined && each.split(' ').includes(verb));
    for (const [each, load] of Object.entries(verbs))
      if (named.length === 0 || named.includes(each)) group.addCommand(await (await load())(context));
    return group.summary(summary).description(description);
  };
}

/** A flag with an optional true or false; the default is true. */
export type TruthFlag = string | true | undefined;

/** The problem with the value of such a flag, or `undefined`. */
export function truthProblem(given: TruthFlag): string | undefined {
  const isKnown = given === undefined || given === true || given === 'true' || given === 'false';
  return isKnown ? undefined : `${quote(given)} is neither true nor false`;
}

/** The value of such a flag, after `truthProblem`. */
export function truthOf(given: TruthFlag): boolean | undefined {
  return given === undefined ? undefined : given !== 'false';
}

/**
 * Refuses what needs an operation that only the dialect apaleo has.
 *
 * @param words that were typed: `properties archive`.
 * @throws {CliError} exit 2; nothing was sent.
 */
export function refuseBeyond(operation: OperationId, words: string, { dialect }: Pick<Api, 'dialect'>): void {
  if (dialect.further[operation] === undefined) throw usageError(`${words} ${needsApaleo}.`);
}
