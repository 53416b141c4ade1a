import { fieldOf, isInLanguages, type Kind, namesOf, timeFields } from '../model/kinds.ts';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import { type Call, existing, type Handler, type Handlers, type Name, recordAt, refusal } from './call.ts';
import { listedUser, roles } from './people.ts';
import { found, listParameter, pageOf, sortedBy } from './query.ts';
import { type Collections, type Records, recordsIn } from './records.ts';
import { actionsView, propertyActions, unitActions, wholeOf } from './rules.ts';
import { inside, TERMS } from './seeds/names.ts';

const countryCodes = fieldOf('property', 'location.country_code')?.known?.() ?? [];

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

function list<Of extends keyof Views>(name: Of): Handler {
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
function get<Of extends keyof Views>(name: Of): Handler {
  return (call) => ({ status: 200, body: views[name](recordAt(name, call), call, false) });
}

type Views = {
  readonly [Of in Exclude<Name, 'invitations'>]: (
    record: Collections[Of],
    call: Call,
    isList: boolean,
  ) => unknown;
};

/** How records are shown, where JSON leaves out what is undefined. */
const views: Views = {
  users: (record, _call, isList) => (isList ? listedUser(record) : record),
  /** The times of day are stored and never shown, as in the real service. Unit groups are shown by the contract alone. */
  properties: (property, call, isList) => {
    const { id } = property;
    const { textsOf, expands } = viewer(call, isList);
    const withGroups = !isList && call.dialect === 'contract' && expands('unitGroups');
    const groupView = (group: Collections['unit_groups']) => ({
      ...embedded(counted(group, call.records), inside.ofProperty),
      property: { id },
    });
    return {
      ...textsOf('property', property, isList ? [TERMS] : []),
      ...Object.fromEntries(timeFields.map((name) => [name, undefined])),
      unit_groups: withGroups ? recordsIn('unit_groups', call.records, id).map(groupView) : undefined,
      actions: expands('actions') ? actionsView(propertyActions(property)) : undefined,
    };
  },
  unit_groups: (record, call, isList) => {
    const { records } = call;
    const { textsOf, expands } = viewer(call, isList);
    const { property_id: propertyId, connected_unit_groups: parts = [], created: _, ...group } = record;
    const partView = ({ unit_group_id: id, member_count }: (typeof parts)[number]) =>
      embedded({ ...existing(records, 'unit_groups', id), member_count }, inside.ofGroup);
    return {
      ...counted(textsOf('unit_group', group), records),
      property: reference(propertyId, records.properties, expands('property')),
      connected_unit_groups: expands('connectedUnitGroups') ? parts.map(partView) : undefined,
    };
  },
  units: (unit, call, isList) => {
    const { property_id: propertyId, unit_group_id: groupId, maintenance, archived } = unit;
    const { records } = call;
    const { textsOf, expands } = viewer(call, isList);
    const whole = wholeOf(unit.id, records);
    const partView = (part: string) => embedded(existing(records, 'units', part), inside.ofUnit);
    const shownOf = maintenance && isList ? { id: maintenance.id, type: maintenance.type } : maintenance;
    return {
      ...picked(textsOf('unit', unit), inside.unit),
      property: reference(propertyId, records.properties, expands('property')),
      unit_group: groupId && reference(groupId, records.unit_groups, expands('unitGroup'), 'type'),
      connecting_unit: whole && { id: whole.id },
      ...{ status: picked({ ...unit, maintenance: shownOf }, inside.status), archived },
      is_archived: archived !== undefined,
      // An attribute that is not visible yet is not shown.
      attributes: unit.attributes.flatMap((each) => {
        const attribute = records.unit_attributes.get(each);
        return attribute === undefined ? [] : [embedded(attribute, ['id', 'name', 'description'])];
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
  const inLanguages = (map: object) =>
    Object.fromEntries(Object.entries(map).filter(([language]) => isWhole || languages.includes(language)));
  const expand = listParameter(query, 'expand');
  return {
    expands: (name: string) => expand.includes(name),
    /** @param kept fields that stay as they are. */
    textsOf: (kind: Kind, record: ServiceRecord, kept: readonly string[] = []): ServiceRecord => {
      const maps = namesOf(kind, isInLanguages).filter(
        (name) => isRecord(record[name]) && !kept.includes(name),
      );
      const shown = (map: unknown) => (isRecord(map) ? (isList ? oneText(map) : inLanguages(map)) : map);
      return { ...record, ...Object.fromEntries(maps.map((name) => [name, shown(record[name])])) };
    },
  };
}

/** A record inside another one: its id alone, unless it is asked for and visible. */
function reference(
  id: string,
  all: ReadonlyMap<string, ServiceRecord>,
  isExpanded: boolean,
  ...more: readonly string[]
) {
  const record = isExpanded ? all.get(id) : undefined;
  return record === undefined
    ? { id }
    : { id, ...embedded(record, ['code', 'name', 'description', ...more]) };
}

/** Some fields of a record inside another one, each text in one language. */
function embedded(record: ServiceRecord, fields: readonly string[]) {
  const oneOf = (value: unknown) => (isRecord(value) ? oneText(value) : value);
  return Object.fromEntries(fields.map((field) => [field, oneOf(record[field])]));
}

function picked(record: ServiceRecord, fields: readonly string[]) {
  return Object.fromEntries(fields.map((field) => [field, record[field]]));
}

/** The English text if there is one. */
function oneText(map: ServiceRecord): unknown {
  return map['en'] ?? Object.values(map)[0] ?? '';
}

/** A group and how many units it has, without those that are archived. */
function counted(group: ServiceRecord, { units }: Records): ServiceRecord {
  const members = [...units.values()].filter((unit) => unit.unit_group_id === group['id'] && !unit.archived);
  return { ...group, member_count: members.length };
}
