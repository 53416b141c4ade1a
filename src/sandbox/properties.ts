import { withoutHoles } from '../model/records.ts';
import type { Call, Handlers } from './call.ts';
import { patchProperty } from './property-patch.ts';
import {
  type Change,
  countedTo,
  nextNumber,
  type PropertyRecord,
  put,
  type Records,
  type UnitGroupRecord,
  type UnitRecord,
} from './records.ts';
import { flagParameter, isAmong, listParameter, taken } from './refusal.ts';
import { answerOnce, changed, created, deleted, existsIn, listed, recordAt, recordsIn } from './resource.ts';
import { actionsView, propertyActions, requireAllowed } from './rules.ts';
import { type NewProperty, parseNewProperty } from './schemas.ts';
import { groupIdOf, memberCountOf } from './unit-groups.ts';
import { unitIdOf } from './units.ts';
import { inLanguages, oneText } from './views.ts';

/** The operations on properties. */
export const propertyHandlers = {
  /** Filters: status, country_code (both lists), include_archived. */
  listProperties: ({ records, query }) => {
    const withActions = listParameter(query, 'expand').includes('actions');
    return listed(found(records, query), query, (property) =>
      withActions ? { ...listView(property), ...actionsOf(property) } : listView(property),
    );
  },
  /** The same filters as the list; without any, what the list counts. */
  countProperties: ({ records, query }) => ({ status: 200, body: found(records, query).length }),
  /** Other values of `expand` than unitGroups and actions are ignored, as in the real service. */
  getProperty: (call) => {
    const { records, query, dialect } = call;
    const property = recordAt('properties', call);
    const expand = listParameter(query, 'expand');
    const groups = () =>
      recordsIn('unit_groups', records, property.id).map((group) => groupView(group, records));
    const body = {
      ...singleView(property, listParameter(query, 'languages')),
      ...(dialect === 'contract' && expand.includes('unitGroups') ? { unit_groups: groups() } : {}),
      ...(expand.includes('actions') ? actionsOf(property) : {}),
    };
    return { status: 200, body };
  },
  propertyExists: existsIn('properties'),
  /** With an `Idempotency-Key` a repetition creates nothing. */
  createProperty: (call) => {
    const fields = parseNewProperty(call.body, call.dialect);
    return answerOnce(call, fields, () => created('properties', newRecord(fields, call)));
  },
  /** A new property in status Test with the groups and units of another one, but for archived units. Keys as for `createProperty`. */
  cloneProperty: (call) => {
    const { id: source } = recordAt('properties', call);
    const fields = parseNewProperty(call.body, call.dialect);
    return answerOnce(call, { source, ...fields }, () => {
      const record = { ...newRecord(fields, call), property_template_id: source };
      return created('properties', record, copied(source, record, call.records));
    });
  },
  /** Answers 204 also when the operations change nothing. */
  updateProperty: (call) =>
    changed('properties', patchProperty(recordAt('properties', call), call.body, call.dialect)),
  /** Also deletes the property's unit groups and units, and its id from users and invitations. */
  deleteProperty: (call) => {
    const { id } = allowing('Delete', call);
    return deleted('properties', id, dependents(call.records, id));
  },
  /** Cannot be undone. */
  setPropertyLive: (call) => changed('properties', { ...allowing('SetLive', call), status: 'Live' }),
  /** Cannot be undone. */
  archiveProperty: (call) => changed('properties', { ...allowing('Archive', call), is_archived: true }),
  /** What guests left in its units is gone. */
  resetProperty: (call) => {
    const { id } = allowing('Reset', call);
    const changes = recordsIn('units', call.records, id).map((unit) => put('units', unit.id, fresh(unit)));
    return { status: 204, changes };
  },
} satisfies Partial<Handlers>;

/** The property that the path names. @throws {Refusal} 404; 422 with the reason why it does not allow the action. */
function allowing(
  action: keyof ReturnType<typeof propertyActions>,
  call: Parameters<typeof recordAt>[1],
): PropertyRecord {
  const property = recordAt('properties', call);
  const { id, status, is_archived: isArchived } = property;
  requireAllowed(
    propertyActions(property)[action],
    `The property ${id} is ${isArchived ? 'archived' : status}.`,
  );
  return property;
}

/** A new property. Its id is the code in capitals. @throws {Refusal} 409 when there is one. */
function newRecord(fields: NewProperty, { records, now }: Pick<Call, 'records' | 'now'>): PropertyRecord {
  const id = fields.code.toUpperCase();
  if (records.properties.has(id)) throw taken('code', `There is a property with the code ${id} already.`);
  const date = new Date(now).toISOString();
  return { id, ...fields, created: date, status: 'Test', is_archived: false, is_template: false };
}

function found({ properties }: Records, query: URLSearchParams): readonly PropertyRecord[] {
  const statuses = listParameter(query, 'status').map((status) => status.toLowerCase());
  const countries = listParameter(query, 'country_code');
  const withArchived = flagParameter(query, 'include_archived') ?? false;
  return [...properties.values()].filter(
    ({ status, location, is_archived: isArchived }) =>
      (withArchived || !isArchived) &&
      isAmong(statuses, status.toLowerCase()) &&
      isAmong(countries, location.country_code),
  );
}

function dependents(records: Records, propertyId: string): readonly Change[] {
  const isOther = (id: string) => id !== propertyId;
  const users = [...records.users.values()].filter(({ properties }) => properties.includes(propertyId));
  const invitations = [...records.invitations].filter(([, { properties }]) =>
    properties.includes(propertyId),
  );
  return [
    ...recordsIn('unit_groups', records, propertyId).map(
      ({ id }): Change => ({ delete: ['unit_groups', id] }),
    ),
    ...recordsIn('units', records, propertyId).map(({ id }): Change => ({ delete: ['units', id] })),
    ...users.map((user) =>
      put('users', user.subject_id, {
        ...user,
        properties: user.properties.filter(isOther),
        property_roles: user.property_roles.filter(({ id }) => isOther(id)),
      }),
    ),
    ...invitations.map(([id, each]) =>
      put('invitations', id, { ...each, properties: each.properties.filter(isOther) }),
    ),
  ];
}

/** Copies of what a property rents out for another one, with new ids. Attributes belong to the account. */
function copied(from: string, to: PropertyRecord, records: Records): readonly Change[] {
  const groups = recordsIn('unit_groups', records, from);
  const units = recordsIn('units', records, from).filter(({ archived }) => archived === undefined);
  const first = nextNumber(records);
  const groupIds = new Map(groups.map(({ id, code }) => [id, groupIdOf(to.id, code)]));
  const unitIds = new Map(units.map(({ id }, index) => [id, unitIdOf(to.id, first + index)]));
  const groupId = (id: string) => groupIds.get(id) ?? id;
  const unitId = (id: string) => unitIds.get(id) ?? id;
  const its = { property_id: to.id, created: to.created };
  return [
    ...groups.map(({ connected_unit_groups: parts, ...group }) => {
      const connected = parts?.map((part) => ({ ...part, unit_group_id: groupId(part.unit_group_id) }));
      const record = {
        ...group,
        ...its,
        id: groupId(group.id),
        ...withoutHoles({ connected_unit_groups: connected }),
      };
      return put('unit_groups', record.id, record);
    }),
    ...units.map((unit) => {
      const { unit_group_id: group, connected_units: parts } = unit;
      const record: UnitRecord = {
        ...fresh(unit),
        ...its,
        id: unitId(unit.id),
        ...(group === undefined ? {} : { unit_group_id: groupId(group) }),
        connected_units: parts.map(unitId),
      };
      return put('units', record.id, record);
    }),
    countedTo(first + units.length),
  ];
}

/** A unit that no guest has used. */
function fresh({ maintenance: _, ...unit }: UnitRecord): UnitRecord {
  return { ...unit, condition: 'Clean', is_occupied: false, is_referenced: false };
}

function actionsOf(property: PropertyRecord) {
  return { actions: actionsView(propertyActions(property)) };
}

/** A unit group as the contract shows it inside a property. */
function groupView(group: UnitGroupRecord, records: Records) {
  const { id, code, name, type, property_id, max_persons } = group;
  return {
    ...{ id, code, name: oneText(name), type },
    member_count: memberCountOf(group, records),
    ...{ max_persons, property: { id: property_id } },
  };
}

/** A property in a list: the name and the description in one language. */
function listView({ default_check_in_time: _in, default_check_out_time: _out, ...property }: PropertyRecord) {
  const { name, description } = property;
  return { ...property, name: oneText(name), description: description && oneText(description) };
}

/**
 * A single property. The times of day are stored and never shown, as in the real service.
 *
 * @param languages which texts to show; empty or with `all`: all of them.
 */
function singleView(
  { default_check_in_time: _in, default_check_out_time: _out, ...property }: PropertyRecord,
  languages: readonly string[],
) {
  const { name, description, payment_terms } = property;
  const texts = Object.entries(withoutHoles({ name, description, payment_terms }));
  const chosen = texts.map(([field, map]) => [field, inLanguages(map, languages)]);
  return { ...property, ...Object.fromEntries(chosen) };
}
