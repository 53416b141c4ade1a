import { idIn } from '../../change/listing.ts';
import { serviceCommand } from '../../cli/described-command.ts';
import { invalidInput, usageError } from '../../cli/errors.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { idsIn, withOtherLanguages } from '../../model/inventory-diff.ts';
import { type InventoryField, unitFields } from '../../model/inventory-fields.ts';
import { type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { textProblem } from '../../model/text.ts';
import { referencesIn, withFieldFlags } from '../inventory/fields.ts';
import { idsCalled, type NamedRecord, unitAttributes, unitGroups, units } from '../inventory/kind.ts';
import { argumentFor } from '../inventory/reading.ts';
import { updating } from '../inventory/update.ts';

const attribute = { kind: 'list', summary: 'unit attribute', isOptional: true, check: textProblem } as const;

/** The fields that a patch sets, and attributes to add and to remove. */
const fields: readonly InventoryField[] = [
  ...unitFields.filter(({ name, isFixed }) => isFixed !== true && name !== 'attributes'),
  { ...attribute, name: 'add_attribute', flag: 'add-attribute', example: 'BALCONY' },
  { ...attribute, name: 'remove_attribute', flag: 'remove-attribute', example: 'BALCONY' },
];

/**
 * `units update <id>`: PATCH /inventory/v1/units/{id}; for several PATCH /inventory/v1/units.
 *
 * The documents name what can be set, and that attributes are added and removed, but no paths. Texts are sent whole, because
 * nothing says that one language can be set.
 */
export function updateUnit(context: Context) {
  const command = serviceCommand('update', 'writes', [
    'units update --property BER 201 --condition Clean',
    'units update --property BER 201 202 203 --group DBL --yes',
    'units update --property BER 201 --add-attribute BALCONY --description de="Mit Balkon"',
  ])
    .exitsWith('ambiguous', 'partlyDone')
    .summary('update units')
    .description(
      'Update units; what is not given stays. Property and connected units are fixed after creation.',
    )
    .argument(...argumentFor(units))
    .option('--property <id>', 'find units, and the group, by name at this property')
    .option('--unset <fields>', 'remove a language of the description: description.de', collectList)
    .option('--no-verify', 'do not verify by reading the units back');
  const how = { kind: units, fields, removable: [], wanting };
  return withFieldFlags(command, fields).action(updating(context, how));
}

/**
 * Looks up the group and attributes in changes.
 *
 * @throws {CliError} exit 3 and 12 for names that are not one record.
 */
async function wanting(
  changes: ServiceRecord,
  found: readonly NamedRecord[],
  given: string | undefined,
  session: Session,
) {
  const { add_attribute, remove_attribute, group, description, ...others } = changes;
  const [property = given, ...further] = new Set(found.map(({ record }) => idIn(record['property'])));
  if (group !== undefined && further.length > 0)
    throw usageError('--group is for units of one property at a time.');
  const groups = await idsCalled(unitGroups, referencesIn(group), property, session);
  const [adding, removing] = [referencesIn(add_attribute), referencesIn(remove_attribute)];
  const ids = await idsCalled(unitAttributes, [...adding, ...removing], undefined, session);
  const [added, removed] = [adding, removing].map((words) => words.map((word) => ids.get(word)));
  const both = added?.filter((id) => removed?.includes(id)) ?? [];
  if (both.length > 0)
    throw invalidInput(both.map((id) => ({ field: '--remove-attribute', reason: `${id} is added too` })));
  const set = withoutHoles({ ...others, unit_group_id: [...groups.values()][0], description });
  return (now: ServiceRecord): ServiceRecord => {
    const kept = idsIn(now['attributes']).filter((id) => !removed?.some((each) => each === id));
    return {
      ...withOtherLanguages(now, set),
      attributes: [...new Set([...kept, ...(added ?? [])])].map((id) => ({ id })),
    };
  };
}
