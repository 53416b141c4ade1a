import { camelCase } from '../model/fields.ts';
import { type Filter as KnownFilter, kindTable, namesOf } from '../model/kinds.ts';
import { fieldAt } from '../model/records.ts';
import { type OperationId, operations } from '../service/operations.ts';
import { type Call, kindOf, type Name, refusal, wrong } from './call.ts';
import type { UserRecord } from './people.ts';
import type { Collections } from './records.ts';

/** What is wrong with the value of a parameter, after its name; `undefined` if it is accepted. */
type Problem = (value: string) => string | undefined;

interface Parameter {
  /** The values that a query gives it. @throws {Refusal} 422 */
  readonly read: (query: URLSearchParams, name: string) => readonly string[];
  /** The public service refuses some values. */
  readonly problem?: Problem;
  /** Several values: joined with commas in the inventory area, repeated in the identity area. */
  readonly isList?: true;
  readonly isRequired?: true;
  /** The parameter that operations read instead. */
  readonly meant?: string;
}

/** Whether a record has one of the values that were given, which are not none. */
type Passes = (record: unknown, wanted: readonly string[]) => boolean;

/** A parameter that says which records a list has. */
interface Filter extends Parameter {
  readonly passes: Passes;
  /** What is wanted where nothing is given. Default: every record. */
  readonly usual?: readonly string[];
}

const text = { read: (query: URLSearchParams, name: string) => query.getAll(name).slice(0, 1) };
const flag = { read: flagParameter, problem: oneOf(['true', 'false']) };
const list = { read: listParameter, isList: true } as const;

/** What filters do otherwise than to look for a value in the field of their name. */
const special: Readonly<Record<string, Partial<Filter>>> = {
  'invitation.property_id': { read: listParameter, passes: among('properties') },
  // Account admins are found under no property.
  'user.property_ids': { passes: among('properties') },
  'user.email': { passes: inAnyCase('email') },
  'property.status': { passes: inAnyCase('status') },
  'property.country_code': { passes: among('location.country_code') },
  'property.include_archived': {
    usual: ['false'],
    passes: (property, wanted) => wanted.includes('true') || !fieldAt(property, 'is_archived'),
  },
  'unit_group.unit_group_types': { passes: among('type') },
  'unit.unit_group_ids': { passes: among('unit_group_id') },
  'unit.unit_attribute_ids': { passes: among('attributes') },
  'unit.maintenance_type': { passes: among('maintenance.type') },
  'unit.text_search': {
    passes: (unit, [search = '']) =>
      String(fieldAt(unit, 'name')).toLowerCase().includes(search.toLowerCase()),
  },
  'unit.status': {
    usual: ['Active'],
    passes: (unit, [status]) =>
      status === 'All' || (status === 'Archived') === (fieldAt(unit, 'archived') !== undefined),
  },
};

/** What the list and the count of a collection can be filtered by, under the names that the contract has. */
function filtersOf(name: Name): Readonly<Record<string, Filter>> {
  const kind = kindOf[name];
  const filterOf = ({ parameter, value, choices }: KnownFilter): Filter => ({
    ...(value === 'names' ? list : value === 'true|false' ? flag : text),
    ...(choices === undefined ? {} : { problem: oneOf(choices) }),
    ...{ passes: among(parameter), ...special[`${kind}.${parameter}`] },
  });
  return Object.fromEntries(kindTable[kind].filters.map((each) => [each.parameter, filterOf(each)]));
}

const pages = {
  page_number: { ...text, problem: wholeUpTo(2 ** 31 - 1) },
  page_size: { ...text, problem: wholeUpTo(500) },
};
const expand = { expand: list };
/** The documents ask for two letters; what the service does with others is unknown. */
const languages = {
  languages: { ...list, problem: matching(/^([a-z]{2}|all)$/, 'a code of two letters') },
} as const;
const groupFilters = filtersOf('unit_groups');
// Still documented, though its end was announced.
const unitFilters = { ...filtersOf('units'), unit_group_id: { ...text, meant: 'unit_group_ids' } };
/** A page number or size that is not positive counts as not given. */
const ofUsers: Parameter = { ...text, problem: matching(/^-?\d{1,15}$/, 'a whole number') };
const orders = ['firstname', 'lastname', 'email'].flatMap((name) => [`${name}:asc`, `${name}:desc`]);

/** The query parameters of each operation in the public service, under the names that operations read. */
const parameters: { readonly [Id in OperationId]?: Readonly<Record<string, Parameter>> } = {
  listInvitations: filtersOf('invitations'),
  listUsers: {
    ...{ ...filtersOf('users'), page_number: ofUsers, page_size: ofUsers },
    sort: { ...list, problem: oneOf(orders) },
  },
  listProperties: { ...filtersOf('properties'), ...pages, ...expand },
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
 * A query of the public service under the names that operations read. A page of users that is not positive is left out. Values
 * of `expand` that are unknown are ignored; every other unknown value, and every unknown parameter, is refused.
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
      if (found !== undefined && !isUnset) read.append(found.parameter.meant ?? found.name, value);
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
  const { problem, isList = false } = parameter;
  if (isList && isRepeated && values.some((value) => value.includes(',')))
    return ['is repeated for several values, not joined with commas'];
  if (isList && !isRepeated && values.length > 1)
    return ['takes several values joined with commas, and is not repeated'];
  if (!isList && values.length > 1) return ['is given twice'];
  const each = isList ? values.flatMap((value) => value.split(',')) : values;
  return each.flatMap((value) => problem?.(value) ?? []);
}

/** The records of a kind that pass all filters of a query, oldest first. */
export function found<Of extends Name>(name: Of, { records, query }: Call): readonly Collections[Of][] {
  const asked = Object.entries(filtersOf(name)).map(([parameter, { read, passes, usual = [] }]) => {
    const given = read(query, parameter);
    return { passes, wanted: given.length > 0 ? given : usual };
  });
  return [...records[name].values()].filter((record) =>
    asked.every(({ passes, wanted }) => wanted.length === 0 || passes(record, wanted)),
  );
}

/** The requested page of the items. A larger size than the maximum is reduced silently, as in the real service. */
export function pageOf<T>(items: readonly T[], query: URLSearchParams, most: number): readonly T[] {
  const size = Math.min(countParameter(query, 'page_size') ?? most, most);
  const number = countParameter(query, 'page_number') ?? 1;
  return items.slice((number - 1) * size, number * size);
}

/** Sorts by `firstname|lastname|email`, then `:asc` or `:desc`. @throws {Refusal} 422 when the order is none of these. */
export function sortedBy(users: UserRecord[], order: string): UserRecord[] {
  const [, name, direction] = /^(firstname|lastname|email)(?::(asc|desc))?$/.exec(order.toLowerCase()) ?? [];
  const field = namesOf('user').find((each) => each.replace('_', '') === name);
  if (field === undefined)
    throw wrong('sort', `${JSON.stringify(order)} is not firstname, lastname or email with :asc or :desc`);
  const sign = direction === 'desc' ? -1 : 1;
  return users.toSorted((a, b) => sign * String(a[field]).localeCompare(String(b[field]), 'en'));
}

/** The values of a list parameter, given repeatedly, comma-separated or both. */
export function listParameter(query: URLSearchParams, name: string): readonly string[] {
  return query
    .getAll(name)
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

function flagParameter(query: URLSearchParams, name: string): readonly string[] {
  const value = query.get(name);
  if (value === null) return [];
  if (value === 'true' || value === 'false') return [value];
  throw wrong(name, `${JSON.stringify(value)} is neither true nor false`);
}

function countParameter(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  const count = Number(value);
  if (/^\d+$/.test(value) && Number.isSafeInteger(count) && count >= 1) return count;
  throw wrong(name, `${JSON.stringify(value)} is not a whole number of at least 1`);
}

/** Whether the value of a field, or one of its values, is wanted. */
function among(field: string): Filter['passes'] {
  const isWanted = (value: unknown, wanted: readonly string[]) =>
    value !== undefined && wanted.includes(String(value));
  return (record, wanted) => [fieldAt(record, field)].flat().some((value) => isWanted(value, wanted));
}

function inAnyCase(field: string): Filter['passes'] {
  return (record, wanted) =>
    wanted.some((each) => each.toLowerCase() === String(fieldAt(record, field)).toLowerCase());
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
