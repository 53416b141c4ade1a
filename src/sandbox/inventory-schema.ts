import * as v from 'valibot';
import { unitConditions, unitGroupTypes } from '../model/inventory-fields.ts';
import { languageMap, publicCode, text } from './property-schema.ts';
import { oneOf } from './refusal.ts';

const string = v.string('must be a text');

/** A whole number as the public service takes it. */
const whole = v.pipe(
  v.number('must be a whole number'),
  v.integer('must be a whole number'),
  v.minValue(1, 'must be at least 1'),
  v.maxValue(2_147_483_647, 'must be at most 2147483647'),
);

const list = 'must be an array';
const object = 'must be an object';

const connectedGroups = v.nullish(
  v.array(v.strictObject({ unit_group_id: string, member_count: whole }, object), list),
);

/** The body of create unit group. */
export const newGroup = v.strictObject(
  {
    property_id: string,
    code: publicCode,
    name: languageMap,
    description: languageMap,
    max_persons: whole,
    rank: v.nullish(whole),
    type: v.nullish(oneOf(unitGroupTypes)),
    connected_unit_groups: connectedGroups,
  },
  object,
);

/** The body of replace unit group. */
export const replacedGroup = v.strictObject(
  {
    name: languageMap,
    description: languageMap,
    max_persons: v.exactOptional(whole),
    rank: v.nullish(whole),
    connected_unit_groups: connectedGroups,
  },
  object,
);

/** The fields of a unit that a patch sets. */
export const unitPatch = {
  condition: oneOf(unitConditions),
  description: languageMap,
  name: text,
  unit_group_id: string,
  max_persons: whole,
};

/** A reference to a unit attribute. */
export const attributeOfUnit = v.strictObject({ id: string }, object);

/** The body of create unit. */
export const newUnit = v.strictObject(
  {
    ...unitPatch,
    property_id: string,
    unit_group_id: v.nullish(string),
    condition: v.nullish(unitPatch.condition),
    attributes: v.nullish(v.array(attributeOfUnit, list)),
    connected_units: v.nullish(v.array(v.strictObject({ unit_id: string }, object), list)),
  },
  object,
);

/** The body of create several units. The service does not say how many it takes. */
export const newUnits = v.strictObject(
  { units: v.pipe(v.array(newUnit, list), v.minLength(1, 'must have at least one unit')) },
  object,
);

/** The body of create unit attribute. */
export const newAttribute = v.strictObject(
  {
    name: v.pipe(text, v.maxLength(50, 'must have at most 50 characters')),
    description: v.nullish(string),
  },
  object,
);
