import { withoutHoles } from '../model/records.ts';
import type { Call, Outcome } from './call.ts';
import { answerOnce } from './idempotency.ts';
import { actionsOf } from './property-actions.ts';
import { patchProperty } from './property-patch.ts';
import { type NewProperty, parseNewProperty } from './property-schema.ts';
import type { Change, PropertyRecord, Records, UnitGroupRecord } from './records.ts';
import { existing, flagParameter, INVENTORY_PAGE, listParameter, pageOf, refusal, taken } from './refusal.ts';
import { inLanguages, oneText } from './texts.ts';
import { groupsIn, memberCountOf } from './unit-groups.ts';
import { unitsIn } from './units.ts';

/** Filters: status, country_code (both lists), include_archived. */
export function listProperties({ records, query }: Call<'listProperties'>): Outcome {
  const found = [...records.properties.values()].filter(filterOf(query));
  const withActions = listParameter(query, 'expand').includes('actions');
  const items = pageOf(found, query, INVENTORY_PAGE).map((property) => {
    return withActions ? { ...listView(property), actions: actionsOf(property) } : listView(property);
  });
  return { status: 200, body: { count: found.length, items } };
}

/** The same filters as the list; without any, what the list counts. */
export function countProperties({ records, query }: Call<'countProperties'>): Outcome {
  return { status: 200, body: [...records.properties.values()].filter(filterOf(query)).length };
}

/** Other values of `expand` than unitGroups and actions are ignored, as in the real service. */
export function getProperty({ records, path, query, dialect }: Call<'getProperty'>): Outcome {
  const property = existing(records.properties, 'property', path.id);
  const expand = listParameter(query, 'expand');
  const body = {
    ...singleView(property, listParameter(query, 'languages')),
    ...(dialect === 'contract' && expand.includes('unitGroups')
      ? { unit_groups: groupsIn(records, property.id).map((group) => groupView(group, records)) }
      : {}),
    ...(expand.includes('actions') ? { actions: actionsOf(property) } : {}),
  };
  return { status: 200, body };
}

/** 200 or 404, without a body. */
export function propertyExists({ records, path }: Call<'propertyExists'>): Outcome {
  existing(records.properties, 'property', path.id);
  return { status: 200 };
}

/** With an `Idempotency-Key` a repetition creates nothing. */
export function createProperty(call: Call<'createProperty'>): Outcome {
  const fields = parseNewProperty(call.body, call.dialect);
  return answerOnce(call, fields, () => {
    const record = newRecord(fields, call);
    const { id } = record;
    return {
      status: 201,
      body: { id },
      headers: { location: `/inventory/v1/properties/${id}` },
      changes: [{ put: ['properties', id, record] }],
    };
  });
}

/** A new property. Its id is the code in capitals. @throws {Refusal} 409 when there is one. */
export function newRecord(
  fields: NewProperty,
  { records, now }: Pick<Call, 'records' | 'now'>,
): PropertyRecord {
  const id = fields.code.toUpperCase();
  if (records.properties.has(id)) throw taken('code', `There is a property with the code ${id} already.`);
  const created = new Date(now).toISOString();
  return { id, ...fields, created, status: 'Test', is_archived: false, is_template: false };
}

/** Answers 204 also when the operations change nothing. */
export function updateProperty({ records, path, body, dialect }: Call<'updateProperty'>): Outcome {
  const changed = patchProperty(existing(records.properties, 'property', path.id), body, dialect);
  return { status: 204, changes: [{ put: ['properties', path.id, changed] }] };
}

/** Also deletes the property's unit groups and units, and its id from users and invitations. */
export function deleteProperty({ records, path }: Call<'deleteProperty'>): Outcome {
  const property = existing(records.properties, 'property', path.id);
  if (property.status !== 'Test') {
    throw refusal(
      422,
      'not_deletable',
      `The property ${property.id} is ${property.status}; only a property in status Test can be deleted.`,
      { details: [{ field: 'status', reason: `is ${property.status}` }] },
    );
  }
  return {
    status: 204,
    changes: [{ delete: ['properties', property.id] }, ...dependents(records, property.id)],
  };
}

function filterOf(query: URLSearchParams): (property: PropertyRecord) => boolean {
  const statuses = listParameter(query, 'status').map((status) => status.toLowerCase());
  const countries = listParameter(query, 'country_code');
  const withArchived = flagParameter(query, 'include_archived') ?? false;
  return ({ status, location, is_archived: isArchived }) =>
    (withArchived || !isArchived) &&
    (statuses.length === 0 || statuses.includes(status.toLowerCase())) &&
    (countries.length === 0 || countries.includes(location.country_code));
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

function dependents(records: Records, propertyId: string): readonly Change[] {
  const groups = groupsIn(records, propertyId).map(({ id }): Change => ({ delete: ['unit_groups', id] }));
  const units = unitsIn(records, propertyId).map(({ id }): Change => ({ delete: ['units', id] }));
  const without = (ids: readonly string[]) => ids.filter((id) => id !== propertyId);
  const users = [...records.users.values()]
    .filter(({ properties }) => properties.includes(propertyId))
    .map((user): Change => {
      const property_roles = user.property_roles.filter(({ id }) => id !== propertyId);
      return {
        put: ['users', user.subject_id, { ...user, properties: without(user.properties), property_roles }],
      };
    });
  const invitations = [...records.invitations]
    .filter(([, { properties }]) => properties.includes(propertyId))
    .map(
      ([id, invitation]): Change => ({
        put: ['invitations', id, { ...invitation, properties: without(invitation.properties) }],
      }),
    );
  return [...groups, ...units, ...users, ...invitations];
}

/** A property in a list: the name and the description in one language. */
function listView({ default_check_in_time: _in, default_check_out_time: _out, ...property }: PropertyRecord) {
  const { name, description } = property;
  return {
    ...property,
    name: oneText(name),
    ...(description === undefined ? {} : { description: oneText(description) }),
  };
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
