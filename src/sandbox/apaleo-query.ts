import { camelCase } from '../model/fields.ts';
import { maintenanceTypes, unitConditions, unitGroupTypes, unitStatuses } from '../model/inventory-fields.ts';
import { type OperationId, operations } from '../service/operations.ts';
import { refusal } from './refusal.ts';
import { INVENTORY_PAGE } from './resource.ts';

/** What is wrong with the value of a parameter, after its name; `undefined` if it is accepted. */
type Problem = (value: string) => string | undefined;

interface Parameter {
  readonly problem: Problem;
  /** Several values: joined with commas in the inventory area, repeated in the identity area. */
  readonly isList?: true;
  readonly isRequired?: true;
}

const noProblem: Problem = () => undefined;
const flag = { problem: oneOf(['true', 'false']) };
const text = { problem: noProblem };
const list = { problem: noProblem, isList: true } as const;

const pages = {
  page_number: { problem: wholeUpTo(2 ** 31 - 1) },
  page_size: { problem: wholeUpTo(INVENTORY_PAGE) },
};
const expand = { expand: list };
/** The documents ask for two letters; what the service does with others is unknown. */
const languages = {
  languages: { problem: matching(/^([a-z]{2}|all)$/, 'a code of two letters'), isList: true },
} as const;
const groupFilters = {
  property_id: text,
  unit_group_types: { problem: oneOf([...unitGroupTypes, 'Other']), isList: true },
} as const;
const unitFilters = {
  property_id: text,
  // Still documented, though its end was announced.
  unit_group_id: text,
  unit_group_ids: list,
  unit_attribute_ids: list,
  is_occupied: flag,
  maintenance_type: { problem: oneOf(maintenanceTypes) },
  condition: { problem: oneOf(unitConditions) },
  text_search: text,
  status: { problem: oneOf(unitStatuses) },
} as const;

/** A page number or size that is not positive counts as not given. */
const ofUsers: Parameter = { problem: matching(/^-?\d{1,15}$/, 'a whole number') };
const orders = ['firstname', 'lastname', 'email'].flatMap((name) => [`${name}:asc`, `${name}:desc`]);

/** The query parameters of each operation, under the names that operations read. */
const parameters: { readonly [Id in OperationId]?: Readonly<Record<string, Parameter>> } = {
  listInvitations: { property_id: text },
  listUsers: {
    property_ids: list,
    ...{ email: text, enabled: flag, page_number: ofUsers, page_size: ofUsers },
    sort: { problem: oneOf(orders), isList: true },
  },
  listProperties: {
    status: { problem: oneOf(['Test', 'Live']), isList: true },
    ...{ include_archived: flag, country_code: list, ...pages, ...expand },
  },
  getProperty: { ...languages, ...expand },
  listUnitGroups: { ...groupFilters, ...pages, ...expand },
  countUnitGroups: groupFilters,
  getUnitGroup: { ...languages, ...expand },
  listUnits: { ...unitFilters, ...pages, ...expand },
  countUnits: unitFilters,
  getUnit: { ...languages, ...expand },
  updateUnits: { unit_ids: { ...list, isRequired: true } },
  listUnitAttributes: pages,
};

/**
 * The query under the names that operations read. A page of users that is not positive is left out. Values of `expand` that
 * are unknown are ignored; every other unknown value, and every unknown parameter, is refused.
 *
 * @throws {Refusal} 422 with all that is wrong.
 */
export function readQuery(id: OperationId, query: URLSearchParams): URLSearchParams {
  const known = Object.entries(parameters[id] ?? {});
  const nameOf = new Map(known.map(([name, parameter]) => [camelCase(name), { name, parameter }]));
  const problems: string[] = [];
  const read = new URLSearchParams();
  for (const spelt of new Set(query.keys())) {
    const found = nameOf.get(spelt);
    const reasons =
      found === undefined
        ? ['is not a known parameter']
        : problemsIn(query.getAll(spelt), found.parameter, operations[id].area === 'identity');
    problems.push(...reasons.map((reason) => `${spelt} ${reason}.`));
    for (const value of query.getAll(spelt)) {
      const isUnset = found?.parameter === ofUsers && Number(value) <= 0;
      if (found !== undefined && !isUnset) read.append(found.name, value);
    }
  }
  for (const [name, { isRequired }] of known) {
    if (isRequired === true && !query.has(camelCase(name))) problems.push(`${camelCase(name)} is missing.`);
  }
  if (problems.length > 0) throw refusal(422, 'bad_query', problems.join(' '));
  return read;
}

/**
 * The service would take a list in the other spelling for one value, and find nothing. The sandbox refuses it, so that the
 * mistake is seen.
 */
function problemsIn(values: readonly string[], parameter: Parameter, isRepeated: boolean): readonly string[] {
  const { problem, isList } = parameter;
  if (isList === true && isRepeated && values.some((value) => value.includes(',')))
    return ['is repeated for several values, not joined with commas'];
  if (values.length > 1 && !(isList === true && isRepeated))
    return [
      isList === true ? 'takes several values joined with commas, and is not repeated' : 'is given twice',
    ];
  const each = isList === true && !isRepeated ? values.flatMap((value) => value.split(',')) : values;
  return each.flatMap((value) => problem(value) ?? []);
}

function oneOf(names: readonly string[]): Problem {
  return (value) =>
    names.includes(value) ? undefined : `${JSON.stringify(value)} is not one of ${names.join(', ')}`;
}

function matching(pattern: RegExp, wanted: string): Problem {
  return (value) => (pattern.test(value) ? undefined : `${JSON.stringify(value)} is not ${wanted}`);
}

function wholeUpTo(most: number): Problem {
  return (value) =>
    /^\d{1,15}$/.test(value) && Number(value) >= 1 && Number(value) <= most
      ? undefined
      : `${JSON.stringify(value)} is not a whole number from 1 to ${most}`;
}
