import type { Handlers } from './call.ts';
import { countedTo, lettersOf, nextNumber, type UnitAttributeRecord } from './records.ts';
import { check, parsePatch, refusal, type Step, wrong } from './refusal.ts';
import { answerOnce, changed, created, deleted, existsIn, listed, recordAt } from './resource.ts';
import { newAttribute } from './schemas.ts';

const ID_LENGTH = 8;

/** The operations on unit attributes, which belong to the account. */
export const unitAttributeHandlers = {
  listUnitAttributes: ({ records, query }) => listed([...records.unit_attributes.values()], query, viewOf),
  unitAttributeExists: existsIn('unit_attributes'),
  getUnitAttribute: (call) => ({ status: 200, body: viewOf(recordAt('unit_attributes', call)) }),
  /** It is not known whether the service refuses a name that exists; the sandbox takes it, and gives another id. */
  createUnitAttribute: (call) => {
    const fields = check(newAttribute, call.body);
    return answerOnce(call, fields, () => {
      const number = nextNumber(call.records);
      const { name, description } = fields;
      const record: UnitAttributeRecord = {
        ...{ id: attributeIdOf(number), name },
        ...(typeof description === 'string' ? { description } : {}),
        created: new Date(call.now).toISOString(),
      };
      return created('unit_attributes', record, [countedTo(number + 1)]);
    });
  },
  /** The description alone can be changed. */
  updateUnitAttribute: (call) =>
    changed('unit_attributes', parsePatch(call.body).reduce(patched, recordAt('unit_attributes', call))),
  /** It is not known whether the service deletes an attribute that units have. The sandbox refuses, so that none loses it unseen. */
  deleteUnitAttribute: (call) => {
    const { id } = recordAt('unit_attributes', call);
    const units = [...call.records.units.values()].filter(({ attributes }) => attributes.includes(id));
    if (units.length === 0) return deleted('unit_attributes', id);
    const message = `The unit attribute ${id} cannot be deleted; units that have it: ${units.length}.`;
    throw refusal(422, 'attribute_in_use', message);
  },
} satisfies Partial<Handlers>;

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
