import { hashOf } from '../model/json-text.ts';
import { withoutHoles } from '../model/records.ts';
import {
  type Call,
  type Handler,
  type Handlers,
  type Outcome,
  recordAt,
  refusal,
  requireNone,
  unknownIds,
  wrong,
} from './call.ts';
import { invitationOf } from './people.ts';
import {
  attributeIdOf,
  type Change,
  type Collections,
  countedTo,
  groupIdOf,
  type NewProperty,
  nextNumber,
  type PropertyRecord,
  put,
  type Records,
  type ReplyRecord,
  recordsIn,
  type UnitRecord,
  unitIdOf,
  unused,
} from './records.ts';
import { problemsOf } from './rules.ts';
import { type Bodies, type NewUnit, newRecord, newUnitsIn } from './schemas.ts';
import { vacant } from './seeds/names.ts';

/** The operations that create records. With an `Idempotency-Key` a repetition of those with a safe one creates nothing. */
export const creations = {
  /** Sends no mail. An address that is invited or has a user is refused, in any case of its letters. */
  createInvitation: create('invitation', (fields, { records, caller, now }) => {
    const { email, properties = [] } = fields;
    requireNone(unknownIds('properties', 'properties', properties, records));
    const id = email.toLowerCase();
    const hasUser = [...records.users.values()].some((user) => user.email.toLowerCase() === id);
    if (records.invitations.has(id)) throw taken('email', `${email} is already invited.`);
    if (hasUser) throw taken('email', `${email} has a user in this account already.`);
    const callerId = caller.kind === 'client' ? caller.clientId : caller.subjectId;
    const invitedBy = records.users.get(callerId)?.email ?? callerId;
    const record = invitationOf(fields, invitedBy, dateOf(now));
    return { status: 200, body: { email }, changes: [put('invitations', id, record)] };
  }),
  createProperty: create('property', (fields, call) => created('properties', propertyOf(fields, call))),
  /** A new property in status Test with the groups and units of another one, but for archived units. */
  cloneProperty: (call) => {
    const source = recordAt('properties', call).id;
    const fields = newRecord('property', call);
    return answerOnce(call, { source, ...fields }, () => {
      const record = { ...propertyOf(fields, call), property_template_id: source };
      return created('properties', record, copied(source, record, call.records));
    });
  },
  /** The id is that of the property and the code. */
  createUnitGroup: create('unit_group', (fields, { records, now }) => {
    const { property_id: propertyId, code, connected_unit_groups: parts = [] } = fields;
    requireNone(unknownIds('property_id', 'properties', [propertyId], records));
    const id = groupIdOf(propertyId, code);
    if (records.unit_groups.has(id)) throw taken('code', `There is a unit group ${id} already.`);
    for (const [index, { unit_group_id: part }] of parts.entries()) {
      if (records.unit_groups.get(part)?.property_id !== propertyId)
        throw wrong('connected_unit_groups', `${propertyId} has no unit group ${JSON.stringify(part)}`);
      if (parts.findIndex((each) => each.unit_group_id === part) !== index)
        throw wrong('connected_unit_groups', `${part} is named twice`);
    }
    const { rank, type = 'BedRoom', connected_unit_groups: made, ...given } = fields;
    const more = withoutHoles({ rank, connected_unit_groups: made });
    return created('unit_groups', { id, ...given, type, ...more, created: dateOf(now) });
  }),
  /** It is not known whether names are unique; the sandbox takes one twice. */
  createUnit: create('unit', (fields, call) => {
    const { units, counted } = unitsOf([fields], '', call);
    // As many as were given.
    return created('units', units[0] as UnitRecord, [counted]);
  }),
  /** All of them or none. A unit cannot be made of another one of the same call, which has no id yet. */
  createUnits: (call) => {
    const bodies = newUnitsIn(call.body);
    return answerOnce(call, bodies, () => {
      const { units, counted } = unitsOf(bodies, 'units.', call);
      const changes = [...units.map((unit) => put('units', unit.id, unit)), counted];
      return { status: 200, body: { ids: units.map(({ id }) => id) }, changes };
    });
  },
  /** It is not known whether the service refuses a name that exists; the sandbox takes it, and gives another id. */
  createUnitAttribute: create('unit_attribute', (fields, { records, now }) => {
    const number = nextNumber(records);
    const record = { id: attributeIdOf(number), ...fields, created: dateOf(now) };
    return created('unit_attributes', record, [countedTo(number + 1)]);
  }),
} satisfies Partial<Handlers>;

/** A creation, which is carried out once for each idempotency key. */
function create<Of extends keyof Bodies>(
  kind: Of,
  make: (fields: Bodies[Of], call: Call) => Outcome,
): Handler {
  return (call) => {
    const fields = newRecord(kind, call);
    return answerOnce(call, fields, () => make(fields, call));
  };
}

function dateOf(now: number): string {
  return new Date(now).toISOString();
}

const KEY_LIFE_MS = 86_400_000;

/** @throws {Refusal} 400 when the text cannot be a key. */
export function parseIdempotencyKey(text: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(text)) return text;
  throw refusal(400, 'bad_idempotency_key', 'An Idempotency-Key has 1 to 255 visible ASCII characters.');
}

/**
 * Repeats the stored answer when the call's key was used within 24 hours; otherwise carries the call out and stores its
 * answer together with its changes. Refusals are not stored: the next try may succeed.
 *
 * @param body must be the same in a repetition.
 * @throws {Refusal} 422 `idempotency_key_reused` when the key was used with another body.
 */
function answerOnce(call: Call, body: unknown, carryOut: () => Outcome): Outcome {
  const { idempotencyKey, records, now } = call;
  if (idempotencyKey === undefined) return carryOut();
  const hash = hashOf(body);
  const before = records.replies.get(idempotencyKey);
  if (before !== undefined && before.expires > now) return repeat(before, hash);
  const { changes = [], ...answer } = carryOut();
  const reply: ReplyRecord = { hash, headers: {}, body: undefined, ...answer, expires: now + KEY_LIFE_MS };
  return { ...answer, changes: [...changes, put('replies', idempotencyKey, reply)] };
}

function repeat({ hash, status, headers, body }: ReplyRecord, hashNow: string): Outcome {
  if (hash === hashNow) return { status, body, headers: { ...headers, 'idempotent-replayed': 'true' } };
  const message =
    'This Idempotency-Key was used before, with another body. Take a new key for a new request.';
  throw refusal(422, 'idempotency_key_reused', message);
}

/** A record was created. @param more changes besides. */
function created<Name extends 'properties' | 'unit_groups' | 'units' | 'unit_attributes'>(
  name: Name,
  record: Collections[Name],
  more: readonly Change[] = [],
): Outcome {
  const { id } = record;
  const location = `/inventory/v1/${name.replace('_', '-')}/${id}`;
  return { status: 201, body: { id }, headers: { location }, changes: [put(name, id, record), ...more] };
}

/**
 * A new property. Its id is the code in capitals, or a number where the others have one. @throws {Refusal} 409 when there
 * is one with the code.
 */
function propertyOf(fields: NewProperty, { records, now }: Call): PropertyRecord {
  const code = fields.code.toUpperCase();
  const all = [...records.properties.values()];
  if (all.some((each) => each.code.toUpperCase() === code))
    throw taken('code', `There is a property with the code ${code} already.`);
  const [first] = all;
  const isNumbered = first !== undefined && first.id !== first.code.toUpperCase();
  const id = isNumbered ? `H${1 + Math.max(...all.map((each) => Number(each.id.slice(1))))}` : code;
  return { id, ...fields, created: dateOf(now), status: 'Test', is_archived: false, is_template: false };
}

/** Copies of what a property rents out for another one, with new ids. Attributes belong to the account. */
function copied(from: string, to: PropertyRecord, records: Records): readonly Change[] {
  const groups = recordsIn('unit_groups', records, from);
  const units = recordsIn('units', records, from).filter(({ archived }) => archived === undefined);
  const first = nextNumber(records);
  const ids = new Map([
    ...groups.map(({ id, code }) => [id, groupIdOf(to.id, code)] as const),
    ...units.map(({ id }, index) => [id, unitIdOf(to.id, first + index)] as const),
  ]);
  const idOf = (id: string) => ids.get(id) ?? id;
  const its = { property_id: to.id, created: to.created };
  return [
    ...groups.map(({ connected_unit_groups: parts, ...group }) => {
      const id = idOf(group.id);
      const ofCopy = parts?.map((part) => ({ ...part, unit_group_id: idOf(part.unit_group_id) }));
      return put('unit_groups', id, {
        ...{ ...group, ...its, id },
        ...withoutHoles({ connected_unit_groups: ofCopy }),
      });
    }),
    ...units.map((unit) => {
      const { unit_group_id: group, connected_units: parts } = unit;
      const id = idOf(unit.id);
      return put('units', id, {
        ...{ ...unused(unit), ...its, id },
        ...withoutHoles({ unit_group_id: group && idOf(group) }),
        connected_units: parts.map(idOf),
      });
    }),
    countedTo(first + units.length),
  ];
}

function unitsOf(all: readonly NewUnit[], place: string, { records, now }: Call) {
  const first = nextNumber(records);
  const units = all.map(
    ({ attributes = [], connected_units: parts = [], ...given }, index): UnitRecord => ({
      ...{ id: unitIdOf(given.property_id, first + index), ...vacant, ...given },
      attributes: [...new Set(attributes.map(({ id }) => id))],
      connected_units: parts.map(({ unit_id: id }) => id),
      created: dateOf(now),
    }),
  );
  const problems = units.flatMap((unit, index) => {
    const others = units.slice(0, index).flatMap(({ connected_units: ids }) => ids);
    return problemsOf(unit, records, others).map(({ field, reason }) => ({
      field: place === '' ? field : `${place}${index}.${field}`,
      reason,
    }));
  });
  requireNone(problems);
  return { units, counted: countedTo(first + units.length) };
}

/** 409, which the public service does not document: the dialect maps it to 422. */
function taken(field: string, message: string) {
  return refusal(409, 'already_exists', message, { details: [{ field, reason: 'is taken' }] });
}
