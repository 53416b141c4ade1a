import type { FlagReplacement } from '../../change/lines.ts';
import { type PatchFlags, patchWords, stepsFrom } from '../../change/patch.ts';
import { type Detail, detailsFor, refuseInvalid, usageError } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import { type UserChanges, writtenValue } from '../../model/access-change.ts';
import { userSteps } from '../../model/diff.ts';
import type { PatchStep } from '../../model/patch.ts';
import { withoutHoles } from '../../model/records.ts';
import { shortened, textProblem } from '../../model/text.ts';
import { listedIdProblem } from '../../service/property-names.ts';
import {
  entryProblems,
  idList,
  openIdCheck,
  refuseUnsupported,
  type TruthFlag,
  truthOf,
  truthProblem,
} from '../options.ts';

/** The flags for changes, as typed. */
export interface ChangeFlags extends PatchFlags {
  readonly enable?: true;
  readonly disable?: true;
  readonly addProperties?: readonly string[];
  readonly property?: readonly string[];
  readonly removeProperties?: readonly string[];
  readonly setProperties?: readonly string[];
  readonly firstName?: string;
  readonly lastName?: string;
  readonly isAccountAdmin?: TruthFlag;
  /** Of `users grant`: a user without a role at an added property is named before, and is not all that was wanted. */
  readonly needsRoles?: true;
}

/** What replaces a flag that only some dialects support. */
function patching(path: string, takes: 'value' | 'truth'): FlagReplacement {
  return {
    takes,
    as: (text) => patchWords({ op: 'replace', path, value: takes === 'value' ? text : text === 'true' }),
  };
}

/**
 * The checked changes from the flags.
 *
 * @param problems other problems of the command line, reported together.
 * @throws {CliError} exit 2 with all problems, or without changes.
 */
export async function changesFrom(flags: ChangeFlags, problems: readonly Detail[], session: Session) {
  const { api, context } = session;
  const { firstName, lastName, isAccountAdmin } = flags;
  const further = {
    ...(firstName !== undefined && { '--first-name': patching('/firstName', 'value') }),
    ...(lastName !== undefined && { '--last-name': patching('/lastName', 'value') }),
    ...(isAccountAdmin !== undefined && { '--is-account-admin': patching('/isAccountAdmin', 'truth') }),
  };
  const named = namedSteps(flags);
  // An empty list changes nothing.
  const addProperties = someIds(flags.addProperties, flags.property);
  const removeProperties = someIds(flags.removeProperties);
  const edits = addProperties ?? removeProperties;
  const paths = [
    ...new Set([...named.map(({ path }) => path), ...(edits === undefined ? [] : ['/properties'])]),
  ];
  const wrong = [...problems, ...(await flagProblems(flags, api))];
  if (wrong.length === 0) refuseUnsupported('updateUser', further, session);
  const steps = await stepsFrom(paths, flags, context.stdin, wrong);
  refuseInvalid(steps.flatMap(stepProblems));
  if (paths.length + steps.length === 0) {
    throw usageError('No changes given.', 'innctl users update --help');
  }
  return { addProperties, removeProperties, steps: [...named, ...steps] };
}

function someIds(...lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  const ids = idList(...lists);
  return ids?.length === 0 ? undefined : ids;
}

/** The steps of the flags that set one field each; `flagProblems` checks their values. */
function namedSteps(flags: ChangeFlags): readonly PatchStep[] {
  const { enable, disable, setProperties, firstName, lastName, isAccountAdmin } = flags;
  const wanted = {
    enabled: (enable ?? disable) === undefined ? undefined : enable === true,
    properties: idList(setProperties),
    first_name: firstName,
    last_name: lastName,
    is_account_admin: truthOf(isAccountAdmin),
  };
  return userSteps(withoutHoles(wanted));
}

async function flagProblems(flags: ChangeFlags, api: Session['api']): Promise<readonly Detail[]> {
  const { enable, disable, addProperties, property, removeProperties, setProperties } = flags;
  const lists = {
    '--add-properties': idList(addProperties),
    '--property': idList(property),
    '--remove-properties': idList(removeProperties),
  };
  const edited = idList(addProperties, property, removeProperties);
  const set = idList(setProperties);
  const check = await openIdCheck([...(edited ?? []), ...(set ?? [])], api);
  // An empty shell variable must not remove all access.
  const isBlank = set !== undefined && set.length > 0 && set.every((id) => id.trim() === '');
  const both = idList(addProperties, property)?.filter((id) => removeProperties?.includes(id)) ?? [];
  return [
    ...Object.entries(lists).flatMap(([field, ids]) => entryProblems(field, ids, check)),
    ...(isBlank
      ? detailsFor('--set-properties', 'must not be empty; for no properties at all write []')
      : entryProblems('--set-properties', set, check)),
    ...both.flatMap((id) => detailsFor('--remove-properties', `${id} is also given to --add-properties`)),
    ...entryProblems('--first-name', flags.firstName, textProblem),
    ...entryProblems('--last-name', flags.lastName, textProblem),
    ...detailsFor('--is-account-admin', truthProblem(flags.isAccountAdmin)),
    ...(enable && disable ? detailsFor('--disable', 'contradicts --enable: give one of them') : []),
    ...(set && edited ? detailsFor('--set-properties', SETS_ALL) : []),
  ];
}

const SETS_ALL = 'sets all properties: give it alone, or add to and remove from those that are there';

/** The problem with a value for a field of the contract. */
function stepProblems(step: PatchStep): readonly Detail[] {
  const field = `${step.op} ${step.path}`;
  const enabled = writtenValue(step, 'enabled');
  if (enabled !== undefined && typeof enabled !== 'boolean')
    return detailsFor(field, `${shortened(JSON.stringify(enabled))} is neither true nor false`);
  const properties = writtenValue(step, 'properties');
  if (properties === undefined) return [];
  if (!Array.isArray(properties))
    return detailsFor(
      field,
      `${shortened(JSON.stringify(properties))} is not a list of property ids such as ["BER","VIE"]`,
    );
  const problem = (id: unknown) =>
    typeof id === 'string'
      ? listedIdProblem(id)
      : `${shortened(JSON.stringify(id))} is not a property id, which is a text`;
  return properties.flatMap((id: unknown) => detailsFor(field, problem(id)));
}

/** Whether an `add` replaces all properties, although it looks like an addition. */
export function replacesByAdding({ steps }: UserChanges): boolean {
  return steps.some((step) => step.op === 'add' && writtenValue(step, 'properties') !== undefined);
}
