import { isRecord } from '../model/records.ts';
import type { Call, Handler, Handlers } from './call.ts';
import { found, listParameter, pageOf, sortedBy } from './query.ts';
import {
  type Collections,
  countryCodes,
  type LanguageMap,
  type Records,
  recordsIn,
  roles,
} from './records.ts';
import { existing, recordAt, refusal } from './refusal.ts';
import { actionsView, propertyActions, unitActions, wholeOf } from './rules.ts';

/** The operations that change nothing. A count takes the filters of its list. */
export const reads = {
  /** No count and no pages, as in the real service. */
  listInvitations: (call) => ({ status: 200, body: { invitations: found('invitations', call) } }),
  listRoles: () => ({ status: 200, body: { roles } }),
  /** `sort` orders; of several orders the first counts most. The public service pages only with a page size. */
  listUsers: (call) => {
    const { query, dialect } = call;
    const all = query.getAll('sort').reduceRight(sortedBy, [...found('users', call)]);
    const isWhole = dialect === 'apaleo' && !query.has('page_size');
    const users = (isWhole ? all : pageOf(all, query, 100)).map((user) => views.users(user, call, true));
    return { status: 200, body: { users, count: all.length } };
  },
  getUser: get('users'),
  /** The caller, who must be a person. */
  getCurrentUser: ({ records, caller }) => {
    if (caller.kind === 'user') return { status: 200, body: existing(records, 'users', caller.subjectId) };
    const message = `The caller ${caller.clientId} authenticated with client credentials, which belong to no user.`;
    throw refusal(403, 'no_user', message);
  },
  listCountries: () => ({ status: 200, body: { count: countryCodes.length, items: countryCodes } }),
  listProperties: list('properties'),
  countProperties: count('properties'),
  getProperty: get('properties'),
  propertyExists: get('properties'),
  listUnitGroups: list('unit_groups'),
  countUnitGroups: count('unit_groups'),
  getUnitGroup: get('unit_groups'),
  unitGroupExists: get('unit_groups'),
  listUnits: list('units'),
  countUnits: count('units'),
  getUnit: get('units'),
  unitExists: get('units'),
  listUnitAttributes: list('unit_attributes'),
  getUnitAttribute: get('unit_attributes'),
  unitAttributeExists: get('unit_attributes'),
} satisfies Partial<Handlers>;

function list<Name extends keyof Views>(name: Name): Handler {
  return (call) => {
    const all = found(name, call);
    const items = pageOf(all, call.query, 500).map((record) => views[name](record, call, true));
    return { status: 200, body: { count: all.length, items } };
  };
}

function count(name: keyof Views): Handler {
  return (call) => ({ status: 200, body: found(name, call).length });
}

/** An answer to HEAD is sent without its body. */
function get<Name extends keyof Views>(name: Name): Handler {
  return (call) => ({ status: 200, body: views[name](recordAt(name, call), call, false) });
}

type Views = {
  readonly [Name in 'users' | 'properties' | 'unit_groups' | 'units' | 'unit_attributes']: (
    record: Collections[Name],
    call: Call,
    isList: boolean,
  ) => unknown;
};

/** How records are shown, where JSON leaves out what is undefined. */
const views: Views = {
  /** In a list `properties` has the roles; otherwise it has ids, and `property_roles` the roles. */
  users: (record, _call, isList) => {
    const { properties, property_roles: given, ...user } = record;
    const rolesAt = (id: string) => given.find((entry) => entry.id === id)?.roles ?? [];
    return isList ? { ...user, properties: properties.map((id) => ({ id, roles: rolesAt(id) })) } : record;
  },
  /** The times of day are stored and never shown, as in the real service. Unit groups are shown by the contract alone. */
  properties: ({ default_check_in_time: _in, default_check_out_time: _out, ...property }, call, isList) => {
    const { id, name, description, payment_terms: terms } = property;
    const { textOf, expands } = viewer(call, isList);
    const withGroups = !isList && call.dialect === 'contract' && expands('unitGroups');
    const groupView = (group: Collections['unit_groups']) => ({
      ...embedded(group, 'id', 'code', 'name', 'type'),
      member_count: memberCountOf(group.id, call.records),
      ...{ max_persons: group.max_persons, property: { id } },
    });
    return {
      ...{ ...property, name: textOf(name), description: description && textOf(description) },
      payment_terms: terms && !isList ? textOf(terms) : terms,
      unit_groups: withGroups ? recordsIn('unit_groups', call.records, id).map(groupView) : undefined,
      actions: expands('actions') ? actionsView(propertyActions(property)) : undefined,
    };
  },
  unit_groups: ({ property_id, connected_unit_groups: parts = [], created: _, ...group }, call, isList) => {
    const { records } = call;
    const { textOf, expands } = viewer(call, isList);
    const partView = ({ unit_group_id, member_count }: (typeof parts)[number]) => {
      const part = existing(records, 'unit_groups', unit_group_id);
      return { ...embedded(part, 'id', 'name', 'description'), member_count, max_persons: part.max_persons };
    };
    return {
      ...{ ...group, name: textOf(group.name), description: textOf(group.description) },
      member_count: memberCountOf(group.id, records),
      property: reference(
        property_id,
        records.properties,
        expands('property'),
        'code',
        'name',
        'description',
      ),
      connected_unit_groups: expands('connectedUnitGroups') ? parts.map(partView) : undefined,
    };
  },
  units: (unit, call, isList) => {
    const { id, name, max_persons, created, archived, maintenance, is_occupied, condition } = unit;
    const { property_id: propertyId, unit_group_id: groupId } = unit;
    const { records } = call;
    const { textOf, expands } = viewer(call, isList);
    const whole = wholeOf(id, records);
    const partView = (part: string) =>
      embedded(
        existing(records, 'units', part),
        ...(['id', 'name', 'description', 'unit_group_id', 'condition', 'max_persons'] as const),
      );
    const shownOf = maintenance && isList ? { id: maintenance.id, type: maintenance.type } : maintenance;
    const texts = ['code', 'name', 'description'] as const;
    return {
      ...{ id, name, description: textOf(unit.description), max_persons, created },
      property: reference(propertyId, records.properties, expands('property'), ...texts),
      unit_group: groupId && reference(groupId, records.unit_groups, expands('unitGroup'), ...texts, 'type'),
      connecting_unit: whole && { id: whole.id },
      ...{ status: { is_occupied, condition, maintenance: shownOf }, archived },
      is_archived: archived !== undefined,
      // An attribute that is not visible yet is not shown.
      attributes: unit.attributes.flatMap((each) => {
        const attribute = records.unit_attributes.get(each);
        return attribute === undefined ? [] : [embedded(attribute, 'id', 'name', 'description')];
      }),
      connected_units: expands('connectedUnits') ? unit.connected_units.map(partView) : undefined,
      actions: expands('actions') ? actionsView(unitActions(unit, call)) : undefined,
    };
  },
  unit_attributes: ({ created: _, ...shown }) => shown,
};

/** What a query asks for: in a list each text is in one language, otherwise in all of them, or those that are named. */
function viewer({ query }: Call, isList: boolean) {
  const languages = listParameter(query, 'languages');
  const isWhole = languages.length === 0 || languages.includes('all');
  const inLanguages = (map: LanguageMap) =>
    Object.fromEntries(Object.entries(map).filter(([language]) => isWhole || languages.includes(language)));
  const expand = listParameter(query, 'expand');
  return { textOf: isList ? oneText : inLanguages, expands: (name: string) => expand.includes(name) };
}

/** A record inside another one: its id alone, unless it is asked for and visible. */
function reference<Kept extends object>(
  id: string,
  all: ReadonlyMap<string, Kept>,
  isExpanded: boolean,
  ...fields: readonly (keyof Kept & string)[]
) {
  const record = isExpanded ? all.get(id) : undefined;
  return record === undefined ? { id } : { id, ...embedded(record, ...fields) };
}

/** Some fields of a record inside another one, each text in one language. */
function embedded<Kept extends object>(record: Kept, ...fields: readonly (keyof Kept & string)[]) {
  return Object.fromEntries(
    fields.map((field): [string, unknown] => {
      const value: unknown = record[field];
      return [field, isRecord(value) ? oneText(value) : value];
    }),
  );
}

/** The English text if there is one. */
function oneText(map: Readonly<Record<string, unknown>>): unknown {
  return map['en'] ?? Object.values(map)[0] ?? '';
}

/** How many units a group has, without those that are archived. */
function memberCountOf(groupId: string, { units }: Records): number {
  return [...units.values()].filter((unit) => unit.unit_group_id === groupId && unit.archived === undefined)
    .length;
}
