import { idsIn } from '../../model/inventory-diff.ts';
import { type InventoryField, unitFields } from '../../model/inventory-fields.ts';
import { type ServiceRecord, valueAt } from '../../model/records.ts';
import { creating } from '../inventory/creating.ts';
import { units } from '../inventory/kind.ts';
import { createUnits, namesProblem } from './create-several.ts';

/** Names and ranges of names, in place of one name. */
const names: InventoryField = {
  name: 'names',
  flag: 'names',
  summary: 'names of several units, up to 1,000: 201..228,301 or A.101..A.110',
  kind: 'list',
  isOptional: true,
  check: namesProblem,
};

const fields = unitFields.flatMap((field) => (field.name === 'name' ? [field, names] : [field]));

/**
 * `units create`: POST /inventory/v1/units, or /inventory/v1/units/bulk with --names, always with an idempotency key.
 *
 * Whether the service refuses a name that exists already is not documented: the list is read first.
 */
export const createUnit = creating(
  { kind: units, fields, valuesLike, several: createUnits },
  [
    'units create --property BER --group DBL --name 301 --description en="Queen bed" --max-persons 2',
    'units create --property BER --group DBL --names 501..528 --description en="Queen bed" --max-persons 2',
    'units create --file unit.yaml --attribute BALCONY --dry-run',
  ],
  'Create a unit, or with --names several alike, from flags, a file, or both; flags override the file. Prompts for missing values on a terminal.',
);

/** Not its name, its condition, nor what it is made of. */
function valuesLike(unit: ServiceRecord): ServiceRecord {
  const { description, max_persons, attributes } = unit;
  const ids = idsIn(attributes);
  return {
    property: valueAt(unit, ['property', 'id']),
    ...{ description, max_persons },
    group: valueAt(unit, ['unit_group', 'id']),
    attributes: ids.length === 0 ? undefined : ids,
  };
}
