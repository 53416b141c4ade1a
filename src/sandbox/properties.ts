import { withoutHoles } from '../model/records.ts';
import type { Call, Outcome } from './call.ts';
import { answerOnce } from './idempotency.ts';
import { patchProperty } from './property-patch.ts';
import { parseNewProperty } from './property-schema.ts';
import type { Change, PropertyRecord, Records } from './records.ts';
import { existing, flagParameter, listParameter, pageOf, refusal } from './refusal.ts';

const MOST_ON_A_PAGE = 500;

/** Filters: status, country_code (both lists), include_archived. */
export function listProperties({ records, query, bareLists }: Call<'listProperties'>): Outcome {
  const found = [...records.properties.values()].filter(filterOf(query));
  const withActions = listParameter(query, 'expand').includes('actions');
  const items = pageOf(found, query, MOST_ON_A_PAGE).map((property) => {
    if (bareLists === true) return { id: property.id, name: oneText(property.name) };
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
      ? { unit_groups: unitGroupsIn(records, property.id) }
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

/** The id is the code in capitals. With an `Idempotency-Key` a repetition creates nothing. */
export function createProperty(call: Call<'createProperty'>): Outcome {
  const fields = parseNewProperty(call.body, call.dialect);
  return answerOnce(call, fields, () => {
    const id = fields.code.toUpperCase();
    if (call.records.properties.has(id)) {
      throw refusal(409, 'already_exists', `There is a property with the code ${id} already.`, {
        details: [{ field: 'code', reason: 'is taken' }],
      });
    }
    const record: PropertyRecord = {
      id,
      ...fields,
      created: new Date(call.now).toISOString(),
      status: 'Test',
      is_archived: false,
      is_template: false,
    };
    return {
      status: 201,
      body: { id },
      headers: { location: `/inventory/v1/properties/${id}` },
      changes: [{ put: ['properties', id, record] }],
    };
  });
}

/** Answers 204 also when the operations change nothing. */
export function updateProperty({ records, path, body, dialect }: Call<'updateProperty'>): Outcome {
  const changed = patchProperty(existing(records.properties, 'property', path.id), body, dialect);
  return { status: 204, changes: [{ put: ['properties', path.id, changed] }] };
}

/** Also deletes the property's unit groups, and its id from users and invitations. */
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

function unitGroupsIn(records: Records, propertyId: string) {
  return [...records.unit_groups.values()].filter(({ property }) => property.id === propertyId);
}

function dependents(records: Records, propertyId: string): readonly Change[] {
  const groups = unitGroupsIn(records, propertyId).map(({ id }): Change => ({ delete: ['unit_groups', id] }));
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
  return [...groups, ...users, ...invitations];
}

type LanguageMap = Readonly<Record<string, string>>;

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
  if (languages.length === 0 || languages.includes('all')) return property;
  const { name, description, payment_terms } = property;
  const chosen = Object.entries(withoutHoles({ name, description, payment_terms }));
  return { ...property, ...Object.fromEntries(chosen.map(([field, map]) => [field, only(map, languages)])) };
}

/** The actions on a property: the status that they need, and the code of the reason why one is not allowed. */
const actions = [
  ['Delete', 'Test', 'DeleteNotAllowedForPropertyNotInStatusTest'],
  ['Archive', 'Live', 'ArchiveNotAllowedForPropertyNotInStatusLive'],
  ['SetLive', 'Test', 'SetToLiveNotAllowedForPropertyNotInStatusTest'],
  ['Reset', 'Test', 'ResetNotAllowedForPropertyNotInStatusTest'],
] as const;

function actionsOf({ status }: PropertyRecord) {
  return actions.map(([action, needed, code]) => {
    if (status === needed) return { action, is_allowed: true };
    const message = `Only a property in status ${needed} allows this.`;
    return { action, is_allowed: false, reasons: [{ code, message }] };
  });
}

function oneText(map: LanguageMap): string {
  return map['en'] ?? Object.values(map)[0] ?? '';
}

function only(map: LanguageMap, languages: readonly string[]): LanguageMap {
  return Object.fromEntries(Object.entries(map).filter(([language]) => languages.includes(language)));
}
