import type { Call, Outcome } from './call.ts';
import { answerOnce } from './idempotency.ts';
import { countedTo, lettersOf, nextNumber } from './ids.ts';
import { newAttribute } from './inventory-schema.ts';
import type { UnitAttributeRecord } from './records.ts';
import { check, existing, INVENTORY_PAGE, pageOf, parsePatch, refusal, type Step, wrong } from './refusal.ts';

const ID_LENGTH = 8;

/** All attributes of the account. */
export function listUnitAttributes({ records, query }: Call<'listUnitAttributes'>): Outcome {
  const all = [...records.unit_attributes.values()];
  const items = pageOf(all, query, INVENTORY_PAGE).map(viewOf);
  return { status: 200, body: { count: all.length, items } };
}

/** 200 or 404, without a body. */
export function unitAttributeExists({ records, path }: Call<'unitAttributeExists'>): Outcome {
  existing(records.unit_attributes, 'unit attribute', path.id);
  return { status: 200 };
}

/** One attribute. */
export function getUnitAttribute({ records, path }: Call<'getUnitAttribute'>): Outcome {
  return { status: 200, body: viewOf(existing(records.unit_attributes, 'unit attribute', path.id)) };
}

/** It is not known whether the service refuses a name that exists; the sandbox takes it, and gives another id. */
export function createUnitAttribute(call: Call<'createUnitAttribute'>): Outcome {
  const fields = check(newAttribute, call.body);
  return answerOnce(call, fields, () => {
    const number = nextNumber(call.records);
    const id = attributeIdOf(number);
    const { name, description } = fields;
    const record: UnitAttributeRecord = {
      ...{ id, name },
      ...(typeof description === 'string' ? { description } : {}),
      created: new Date(call.now).toISOString(),
    };
    return {
      status: 201,
      body: { id },
      headers: { location: `/inventory/v1/unit-attributes/${id}` },
      changes: [{ put: ['unit_attributes', id, record] }, countedTo(number + 1)],
    };
  });
}

/** The description alone can be changed. */
export function updateUnitAttribute({ records, path, body }: Call<'updateUnitAttribute'>): Outcome {
  const attribute = existing(records.unit_attributes, 'unit attribute', path.id);
  const changed = parsePatch(body).reduce(patched, attribute);
  return { status: 204, changes: [{ put: ['unit_attributes', path.id, changed] }] };
}

/** It is not known whether the service deletes an attribute that units have. The sandbox refuses, so that none loses it unseen. */
export function deleteUnitAttribute({ records, path }: Call<'deleteUnitAttribute'>): Outcome {
  const { id } = existing(records.unit_attributes, 'unit attribute', path.id);
  const units = [...records.units.values()].filter(({ attributes }) => attributes.includes(id));
  if (units.length === 0) return { status: 204, changes: [{ delete: ['unit_attributes', id] }] };
  const message = `The unit attribute ${id} cannot be deleted; units that have it: ${units.length}.`;
  throw refusal(422, 'attribute_in_use', message);
}

/** The id of the attribute of a number, as `KQOSXHLS`. */
export function attributeIdOf(number: number): string {
  return lettersOf(number, ID_LENGTH);
}

function viewOf({ created: _, ...shown }: UnitAttributeRecord) {
  return shown;
}

/** @throws {Refusal} 422 of a step that the service does not document. */
function patched(attribute: UnitAttributeRecord, { op, path, value }: Step): UnitAttributeRecord {
  if (path !== '/description') throw wrong(path, 'cannot be changed');
  const { description: _, ...others } = attribute;
  if (op === 'remove') return others;
  if (op !== 'replace') throw wrong(path, `cannot be changed with ${op}`);
  if (typeof value !== 'string') throw wrong(path, 'must be a text');
  return { ...others, description: value };
}
