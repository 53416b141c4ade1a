import { serviceCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { type InventoryField, unitFields } from '../../model/inventory-fields.ts';
import { recordsIn, type ServiceRecord, valueAt, withoutHoles } from '../../model/records.ts';
import { createInventory, type Making } from '../inventory/creating.ts';
import { referencesIn, withFieldFlags } from '../inventory/fields.ts';
import { withCreateFlags } from '../inventory/flags.ts';
import { idsCalled, unitAttributes, unitGroups, units } from '../inventory/kind.ts';
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
export function createUnit(context: Context) {
  const command = serviceCommand(
    'create new',
    'writes',
    [
      'units create --property BER --group DBL --name 301 --description en="Queen bed" --max-persons 2',
      'units create --property BER --group DBL --names 501..528 --description en="Queen bed" --max-persons 2',
      'units create --file unit.yaml --attribute BALCONY --dry-run',
    ],
    ['ambiguous', 'partlyDone'],
  )
    .summary('create units')
    .description(
      'Create a unit, or with --names several alike, from flags, a file, or both; flags override the file. Prompts for missing values on a terminal.',
    );
  return withFieldFlags(withCreateFlags(command, 'unit with the name'), fields).action(
    withSession(context, (session, options) => createInventory(options, making, session)),
  );
}

const making: Making = {
  kind: units,
  fields,
  bodyOf,
  valuesLike,
  several: (values, flags, session) => createUnits(values, flags, bodyOf, session),
};

async function bodyOf(values: ServiceRecord, session: Session): Promise<ServiceRecord> {
  const { property, name, names: _, group, attributes, connects, ...others } = values;
  const at = String(property);
  const [groupId] = await idsCalled(unitGroups, referencesIn(group), at, session);
  const attributeIds = await idsCalled(unitAttributes, referencesIn(attributes), undefined, session);
  const unitIds = await idsCalled(units, referencesIn(connects), at, session);
  return withoutHoles({
    ...{ property_id: property, name, ...others, unit_group_id: groupId },
    attributes: attributeIds.length === 0 ? undefined : attributeIds.map((id) => ({ id })),
    connected_units: unitIds.length === 0 ? undefined : unitIds.map((id) => ({ unit_id: id })),
  });
}

/** Not its name, its condition, nor what it is made of. */
function valuesLike(unit: ServiceRecord): ServiceRecord {
  const { description, max_persons, attributes } = unit;
  const ids = recordsIn(attributes).map(({ id }) => id);
  return {
    property: valueAt(unit, ['property', 'id']),
    ...{ description, max_persons },
    group: valueAt(unit, ['unit_group', 'id']),
    attributes: ids.length === 0 ? undefined : ids,
  };
}
