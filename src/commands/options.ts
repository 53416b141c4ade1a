import type { Api } from '../api/api.ts';
import { hasBlank, listedIdProblem } from '../api/property-names.ts';
import { type Detail, detailsFor, invalidInput } from '../errors.ts';

/** Collects a repeatable option whose values are taken as they are. */
export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

/**
 * What is wrong with the entries of a list.
 *
 * @param field how messages name the list.
 * @param problem says what is wrong with one entry, or `undefined`.
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

/** The entries of one or two list flags, each once; `[]` alone is the empty list. `undefined` when no flag was given. */
export function idList(...lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  const given = lists.filter((list) => list !== undefined);
  if (given.length === 0) return undefined;
  return [...new Set(given.flatMap((list) => (list.length === 1 && list[0] === '[]' ? [] : list)))];
}

/**
 * Property ids of one or two flags, each once, in the order given; `undefined` when no flag was given.
 *
 * @throws {CliError} exit 2 naming all that are none.
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
 * The check of property ids in lists. Only where one has a blank in it the service is asked whether that is a name.
 *
 * @param ids those that are to be checked.
 */
export async function openIdCheck(
  ids: readonly string[],
  api: Pick<Api, 'properties'>,
): Promise<(id: string) => string | undefined> {
  if (!ids.some(hasBlank)) return listedIdProblem;
  const { propertyNames } = await import('./meant.ts');
  const names = await propertyNames(api);
  return (id) => listedIdProblem(id, names.idsOf(id));
}
