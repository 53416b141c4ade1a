import { changesShown, type FieldChange, type Item, itemFor } from '../../change/item.ts';
import { type PatchFlags, stepsFrom } from '../../change/patch.ts';
import { shownProperties } from '../../model/access.ts';
import {
  givesFullAccess,
  isDone,
  propertyChange,
  reductionBy,
  type UserChanges,
  writtenValue,
} from '../../model/access-change.ts';
import { userSteps } from '../../model/diff.ts';
import { type Detail, detailsFor, refuseInvalid, usageError } from '../../model/errors.ts';
import { isFurther, kindTable } from '../../model/kinds.ts';
import type { PatchStep } from '../../model/patch.ts';
import { type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { shortened, textProblem } from '../../model/text.ts';
import { listedIdProblem } from '../../service/property-names.ts';
import type { Session } from '../../session/session.ts';
import { typedValue } from '../fields.ts';
import {
  entryProblems,
  idList,
  openIdCheck,
  type TruthFlag,
  truthOf,
  truthProblem,
  unsupportedDetails,
} from '../options.ts';

/** The flags for changes, as typed. */
export interface ChangeFlags extends PatchFlags {
  readonly enable?: true;
  readonly disable?: true;
  readonly addProperties?: readonly string[];
  readonly property?: readonly string[];
  readonly removeProperties?: readonly string[];
  readonly setProperties?: readonly string[];
  /** Of `users grant`: a user without a role at an added property is named before, and is not all that was wanted. */
  readonly needsRoles?: true;
}

/** The fields of a user that only some dialects change, each with a flag. */
const further = kindTable.user.fields.filter(isFurther);

/**
 * The checked changes from the flags.
 *
 * @param problems other problems of the command line, reported together.
 * @throws {CliError} exit 2 with all problems, or without changes.
 */
export async function changesFrom(flags: ChangeFlags, problems: readonly Detail[], session: Session) {
  const { api, context } = session;
  const named = namedSteps(flags);
  // An empty list changes nothing.
  const addProperties = someIds(flags.addProperties, flags.property);
  const removeProperties = someIds(flags.removeProperties);
  const edits = addProperties ?? removeProperties;
  const paths = [
    ...new Set([...named.map(({ path }) => path), ...(edits === undefined ? [] : ['/properties'])]),
  ];
  const wrong = [...problems, ...(await flagProblems(flags, api))];
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
  const { enable, disable, setProperties } = flags;
  const others = furtherIn(flags).map(({ field: { name, type }, value }) => {
    return [name, type === 'truth' ? truthOf(value) : value] as const;
  });
  const wanted = {
    enabled: (enable ?? disable) === undefined ? undefined : enable === true,
    properties: idList(setProperties),
    ...Object.fromEntries(others),
  };
  return userSteps(withoutHoles(wanted));
}

/** The further fields that flags give, as typed: texts, and truths. */
function furtherIn(flags: ChangeFlags) {
  return further.flatMap((field) => {
    const value = typedValue(flags, field.flag);
    return value === undefined || Array.isArray(value) ? [] : [{ field, value: value as TruthFlag }];
  });
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
  const givenFlags = Object.fromEntries(
    furtherIn(flags).map(({ field, value }) => [`--${field.flag}`, value]),
  );
  const both = idList(addProperties, property)?.filter((id) => removeProperties?.includes(id)) ?? [];
  return [
    ...Object.entries(lists).flatMap(([field, ids]) => entryProblems(field, ids, check)),
    ...(isBlank
      ? detailsFor('--set-properties', 'must not be empty; for no properties at all write []')
      : entryProblems('--set-properties', set, check)),
    ...both.flatMap((id) => detailsFor('--remove-properties', `${id} is also given to --add-properties`)),
    ...furtherIn(flags).flatMap(({ field: { flag, type }, value }) =>
      detailsFor(`--${flag}`, type === 'truth' ? truthProblem(value) : textProblem(String(value))),
    ),
    ...unsupportedDetails(api.dialect, 'updateUser', givenFlags),
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

/** Whether an update may change access. */
export function changesAccess(changes: UserChanges): boolean {
  const { removed, isOpen } = propertyChange(undefined, changes);
  const { steps } = changes;
  return reductionBy(steps) !== undefined || givesFullAccess(steps) || removed.length > 0 || isOpen;
}

/** What changes make of a user: an item that sends them, or nothing if they are done already. */
export function userItem(
  name: string,
  { id, record }: { readonly id: string; readonly record: ServiceRecord | undefined },
  changes: UserChanges,
  isAlways = false,
): Item {
  if (!isAlways && record && isDone(record, changes))
    return itemFor({ kind: 'user', name }, 'same', { id, record });
  const { steps, ...edits } = changes;
  const shown = [...changesShown(record ?? {}, steps), ...propertiesShown(record, changes)];
  return itemFor({ kind: 'user', name }, 'change', { id, record, steps, edits, changes: shown });
}

/** What adding and removing changes of the properties. */
function propertiesShown(
  record: ServiceRecord | undefined,
  { addProperties, removeProperties }: UserChanges,
): readonly FieldChange[] {
  if (record === undefined) return [];
  const from = shownProperties(record);
  const { added, removed } = propertyChange(record, { addProperties, removeProperties, steps: [] });
  if (added.length + removed.length === 0) return [];
  const to = [...from.filter((id) => !removed.includes(id)), ...added];
  return [{ field: 'properties', from, to }];
}
