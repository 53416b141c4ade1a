import { Option } from '@commander-js/extra-typings';
import { misspeltProperties, ofListedProperties, suggest } from '../../change/suggest.ts';
import { type DescribedCommand, serviceCommand } from '../../cli/described-command.ts';
import { collectList } from '../../cli/flags.ts';
import type { Check, Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import {
  listedGroupTypes,
  maintenanceTypes,
  unitConditions,
  unitStatuses,
} from '../../model/inventory-fields.ts';
import { choiceProblem } from '../../model/names.ts';
import { onePage } from '../../model/records.ts';
import { entryReasons, textProblem } from '../../model/text.ts';
import type { Query } from '../../service/dialect.ts';
import { idProblem } from '../../service/path.ts';
import { type Filter, type ListFlags, listFrom, printList, withFilters, withListFlags } from '../list.ts';
import { type TruthFlag, truthOf, truthProblem } from '../options.ts';
import { type InventoryKind, idsCalled, refuseElsewhere, unitAttributes, unitGroups } from './kind.ts';

/** The flags of lists and counts, as typed. */
type Flags = Readonly<Record<string, TruthFlag | readonly string[]>>;

/** A filter of lists and counts. */
interface FilterFlag {
  readonly parameter: string;
  readonly flag: string;
  /** `names`: several; `true|false`: a truth. */
  readonly value: 'id' | 'name' | 'names' | 'text' | 'true|false' | 'type';
  readonly text: string;
  readonly choices?: readonly string[];
  /** Default: `textProblem`. */
  readonly problem?: Check;
}

const ofIds = { problem: idProblem };
const property: FilterFlag = {
  parameter: 'property_id',
  flag: 'property',
  value: 'id',
  text: 'property',
  ...ofIds,
};
const [names, name] = [{ value: 'names' }, { value: 'name' }] as const;
const [type, truth] = [{ value: 'type' }, { value: 'true|false' }] as const;

const filters: Readonly<Record<InventoryKind['words'], readonly FilterFlag[]>> = {
  'unit-groups': [
    property,
    { parameter: 'unit_group_types', flag: 'type', ...names, text: 'type', choices: listedGroupTypes },
  ],
  units: [
    property,
    { parameter: 'unit_group_ids', flag: 'group', ...names, text: 'unit group, by code or id', ...ofIds },
    { parameter: 'unit_attribute_ids', flag: 'attribute', ...names, text: 'unit attribute, by name or id' },
    {
      parameter: 'is_occupied',
      flag: 'occupied',
      ...truth,
      text: 'occupied units, or with false by vacant ones',
    },
    {
      parameter: 'maintenance_type',
      flag: 'maintenance',
      ...type,
      text: 'maintenance',
      choices: maintenanceTypes,
    },
    { parameter: 'condition', flag: 'condition', ...name, text: 'condition', choices: unitConditions },
    { parameter: 'text_search', flag: 'search', value: 'text', text: 'a part of the name' },
    { parameter: 'status', flag: 'status', ...name, text: 'status', choices: unitStatuses },
  ],
  'unit-attributes': [],
};

/**
 * `list`: GET /inventory/v1/..., page by page. A service shows only active units unless asked. The groups and attributes that
 * filter units are found by name.
 */
export function listing(kind: InventoryKind, examples: readonly string[]) {
  const { noun, ofProperty, expansions } = kind;
  return (context: Context) => {
    const command = serviceCommand('list ls', 'reads', examples)
      .exitsWith(kind.words === 'units' && 'ambiguous')
      .summary(`list ${noun[1]}`)
      .description(`List the ${noun[1]} of the account${ofProperty ? ', or of a property' : ''}.`);
    addFilters(command, kind);
    if (expansions.length > 0)
      command.option('--expand <names>', `include related data: ${expansions.join(', ')}`, collectList);
    return withListFlags(command).action(
      withSession(context, (session, options) => printInventory(kind, options, session)),
    );
  };
}

/** `count`: GET /inventory/v1/.../$count. */
export function counting(kind: InventoryKind, examples: readonly string[]) {
  const [, several] = kind.noun;
  return (context: Context) => {
    const command = serviceCommand('count', 'reads', examples)
      .exitsWith(kind.words === 'units' && 'ambiguous')
      .summary(`count ${several}`)
      .description(`Print the number of ${several} of the account, or of a property.`);
    addFilters(command, kind);
    return command.action(withSession(context, (session, options) => printCount(kind, options, session)));
  };
}

function addFilters(command: DescribedCommand, { words }: InventoryKind): void {
  for (const { flag, value, text, choices } of filters[words]) {
    const [isSeveral, isTruth] = [value === 'names', value === 'true|false'];
    const values = choices === undefined ? '' : `: ${choices.join(', ')}`;
    const more = isSeveral ? ' (repeatable)' : flag === 'status' ? ' (default: Active)' : '';
    const form = isTruth ? `[${value}]` : `<${value}>`;
    const option = new Option(`--${flag} ${form}`, `filter by ${text}${values}${more}`);
    command.addOption(isSeveral ? option.argParser(collectList) : option);
  }
}

/** Prints the list of a kind, filtered. */
async function printInventory(
  kind: InventoryKind,
  flags: Flags & ListFlags,
  session: Session,
): Promise<void> {
  refuseElsewhere(kind, session);
  const { filter: others, extent } = await listFrom(flags, kind.operations.list, session);
  const { filter, property } = await filterFrom(kind, flags, others, session);
  const listed = kind.resource(session.api).list(filter, extent);
  const pages = property === undefined ? listed : ofListedProperties(listed, [property], session);
  const printing = printList({ kind: kind.words, shape: kind.shape, filter, extent, pages }, session);
  await printing.catch(suggest(misspeltProperties(property === undefined ? [] : [property], session.api)));
}

/** Prints the number of records of a kind, filtered. */
async function printCount(kind: InventoryKind, flags: Flags, session: Session): Promise<void> {
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
async function filterFrom(kind: InventoryKind, flags: Flags, others: Query, session: Session) {
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
    ...(groups.size === 0 ? {} : { unit_group_ids: [...new Set(groups.values())] }),
    ...(attributes.size === 0 ? {} : { unit_attribute_ids: [...new Set(attributes.values())] }),
  };
  return { property, filter: { ...filter, ...ids } };
}

function filtersOf(flags: Flags, { words, expansions }: InventoryKind): Readonly<Record<string, Filter>> {
  const expand: FilterFlag = { parameter: 'expand', flag: 'expand', ...names, text: '', choices: expansions };
  const rows = [...filters[words], expand].map(({ parameter, flag, value: form, choices, problem }) => {
    const { [flag]: typed } = flags;
    return [parameter, { flag: `--${flag}`, typed, ...readFilter(typed, form, choices, problem) }] as const;
  });
  return Object.fromEntries(rows);
}

function readFilter(
  typed: Flags[string],
  form: FilterFlag['value'],
  choices: readonly string[] | undefined,
  check: Check = textProblem,
): Pick<Filter, 'value' | 'problems'> {
  if (form === 'true|false') {
    const given = typed === true || typeof typed === 'string' ? typed : undefined;
    return { value: truthOf(given), problems: [truthProblem(given)] };
  }
  const texts = typed === true ? undefined : typed;
  const problem = choices === undefined ? check : (text: string) => choiceProblem(text, choices);
  const value = Array.isArray(texts) ? [...new Set(texts)] : texts;
  return { value, problems: entryReasons(texts, problem) };
}

function wordsOf(value: Query[string]): readonly string[] {
  return value === undefined ? [] : [value].flat().map(String);
}
