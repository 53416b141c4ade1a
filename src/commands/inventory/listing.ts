import type { Command } from '@commander-js/extra-typings';
import { collectList } from '../../cli/flags.ts';
import type { Check } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import {
  listedGroupTypes,
  maintenanceTypes,
  unitConditions,
  unitStatuses,
} from '../../model/inventory-fields.ts';
import { choiceProblem } from '../../model/names.ts';
import { onePage } from '../../model/records.ts';
import { textProblem } from '../../model/text.ts';
import type { Query } from '../../service/dialect.ts';
import { idProblem } from '../../service/path.ts';
import { type Filter, type ListFlags, listFrom, printList, withFilters } from '../list.ts';
import { entryReasons, type TruthFlag, truthOf, truthProblem } from '../options.ts';
import { misspeltProperties, ofListedProperties, suggest } from '../suggest.ts';
import { type InventoryKind, idsCalled, refuseElsewhere, unitAttributes, unitGroups } from './kind.ts';

type Flags = Record<string, unknown>;

/** The flags that filter lists and counts, as typed. */
export interface FilterFlags {
  readonly property?: string;
  readonly type?: readonly string[];
  readonly group?: readonly string[];
  readonly attribute?: readonly string[];
  readonly occupied?: TruthFlag;
  readonly maintenance?: string;
  readonly condition?: string;
  readonly search?: string;
  readonly status?: string;
  readonly expand?: readonly string[];
}

/** Adds the filters of lists and counts of unit groups. */
export function withGroupFilters<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
) {
  return command
    .option('--property <id>', 'filter by property')
    .option('--type <names>', `filter by type: ${listedGroupTypes.join(', ')} (repeatable)`, collectList);
}

/** Adds the filters of lists and counts of units. */
export function withUnitFilters<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
) {
  return command
    .option('--property <id>', 'filter by property')
    .option('--group <names>', 'filter by unit group, by code or id (repeatable)', collectList)
    .option('--attribute <names>', 'filter by unit attribute, by name or id (repeatable)', collectList)
    .option('--occupied [true|false]', 'filter by occupied units, or with false by vacant ones')
    .option('--maintenance <type>', `filter by maintenance: ${maintenanceTypes.join(', ')}`)
    .option('--condition <name>', `filter by condition: ${unitConditions.join(', ')}`)
    .option('--search <text>', 'filter by a part of the name')
    .option('--status <name>', `filter by status: ${unitStatuses.join(', ')} (default: Active)`);
}

/** Prints the list of a kind, filtered. */
export async function printInventory(
  kind: InventoryKind,
  flags: FilterFlags & ListFlags,
  session: Session,
): Promise<void> {
  refuseElsewhere(kind, session);
  const { filter: others, extent } = listFrom(flags, kind.operations.list);
  const { filter, property } = await filterFrom(kind, flags, others, session);
  const listed = kind.resource(session.api).list(filter, extent);
  const pages = property === undefined ? listed : ofListedProperties(listed, [property], session);
  const printing = printList({ kind: kind.words, shape: kind.shape, filter, extent, pages }, session);
  await printing.catch(suggest(misspeltProperties(property === undefined ? [] : [property], session.api)));
}

/** Prints the number of records of a kind, filtered. */
export async function printCount(kind: InventoryKind, flags: FilterFlags, session: Session): Promise<void> {
  refuseElsewhere(kind, session);
  const { api, out } = session;
  const { filter, property } = await filterFrom(kind, flags, {}, session);
  const words = property === undefined ? [] : [property];
  const count =
    (await kind
      .resource(api)
      .count(filter)
      .catch(suggest(misspeltProperties(words, api)))) ?? 0;
  // No units of a property that does not exist are no answer.
  if (count === 0 && words.length > 0)
    for await (const _ of ofListedProperties(onePage([]), words, session)) break;
  await out.line(String(count), { count });
}

/**
 * The query of filter flags and --param.
 *
 * @returns `property` is the one that the list is limited to.
 * @throws {CliError} exit 2 with all invalid values; exit 3 and 12 for groups and attributes that are not one record.
 */
async function filterFrom(kind: InventoryKind, flags: FilterFlags, others: Query, session: Session) {
  const filter = withFilters(kind.operations.list, filtersOf(flags, kind), others, session);
  const [property] = wordsOf(filter['property_id']);
  const groups = await idsCalled(unitGroups, wordsOf(filter['unit_group_ids']), property, session);
  const attributes = await idsCalled(
    unitAttributes,
    wordsOf(filter['unit_attribute_ids']),
    undefined,
    session,
  );
  const ids = {
    ...(groups.length === 0 ? {} : { unit_group_ids: [...new Set(groups)] }),
    ...(attributes.length === 0 ? {} : { unit_attribute_ids: [...new Set(attributes)] }),
  };
  return { property, filter: { ...filter, ...ids } };
}

function filtersOf(flags: FilterFlags, { expansions }: InventoryKind): Readonly<Record<string, Filter>> {
  const { property, type, group, attribute, occupied, maintenance, condition, search, status, expand } =
    flags;
  const one = (flag: `--${string}`, typed: string | undefined, problem: Check): Filter => ({
    ...{ flag, typed, takes: 'value', value: typed },
    problems: entryReasons(typed, problem),
  });
  const several = (flag: `--${string}`, typed: readonly string[] | undefined, problem: Check): Filter => ({
    ...{ flag, typed, takes: 'value', value: [...new Set(typed)] },
    problems: entryReasons(typed, problem),
  });
  const among = (choices: readonly string[]) => (text: string) => choiceProblem(text, choices);
  return {
    property_id: one('--property', property, idProblem),
    unit_group_types: several('--type', type, among(listedGroupTypes)),
    unit_group_ids: several('--group', group, textProblem),
    unit_attribute_ids: several('--attribute', attribute, textProblem),
    is_occupied: {
      ...{ flag: '--occupied', typed: occupied, takes: 'truth', value: truthOf(occupied) },
      problems: [truthProblem(occupied)],
    },
    maintenance_type: one('--maintenance', maintenance, among(maintenanceTypes)),
    condition: one('--condition', condition, among(unitConditions)),
    text_search: one('--search', search, textProblem),
    status: one('--status', status, among(unitStatuses)),
    expand: several('--expand', expand, among(expansions)),
  };
}

function wordsOf(value: Query[string]): readonly string[] {
  return value === undefined ? [] : [value].flat().map(String);
}
