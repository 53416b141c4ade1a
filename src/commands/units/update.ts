import { serviceCommand } from '../../cli/described-command.ts';
import { invalidInput } from '../../cli/errors.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { idsIn, unitSteps } from '../../model/inventory-diff.ts';
import { type InventoryField, unitFields } from '../../model/inventory-fields.ts';
import type { PatchStep } from '../../model/patch.ts';
import { type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { textProblem } from '../../model/text.ts';
import { aboutWrite } from '../../seed/item.ts';
import { idIn } from '../../seed/stock.ts';
import { type Changes, mergedTexts, type Updating, updating } from '../inventory/changing.ts';
import { referencesIn, withFieldFlags } from '../inventory/fields.ts';
import { idsCalled, unitAttributes, unitGroups, units } from '../inventory/kind.ts';
import { argumentFor } from '../inventory/reading.ts';

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
  const several: Several = async (...given) => (await import('./update-several.ts')).updateUnits(...given);
  return withFieldFlags(command, fields).action(updating(context, patching, several));
}

type Several = Parameters<typeof updating>[2];

/** How one unit is changed. */
export const patching: Updating = {
  kind: units,
  operation: 'updateUnit',
  fields,
  removable: [],
  read: (id, api) => api.units.readAll(id),
  send: async (id, unit, changes, { verify, property }, session) => {
    const stepsFor = await stepsOf(changes, propertyOf(unit) ?? property, session);
    const steps = stepsFor(unit);
    if (steps.length === 0) return undefined;
    const { api } = session;
    const about = aboutWrite('unit', id, unit, steps);
    return api.kept.one(() => api.units.update(id, steps, { verify, stepsFor }), about);
  },
};

/**
 * Finds the ids of names in changes, and makes what derives the steps that a unit lacks.
 *
 * @param property of the unit, whose groups are looked for.
 * @throws {CliError} exit 3 and 12 for names that are not one record.
 */
export async function stepsOf(changes: Changes, property: string | undefined, session: Session) {
  const { add_attribute, remove_attribute, group, description: _, ...others } = changes.values;
  const [groupId] = await idsCalled(unitGroups, referencesIn(group), property, session);
  const [adding, removing] = [referencesIn(add_attribute), referencesIn(remove_attribute)];
  const ids = await idsCalled(unitAttributes, [...adding, ...removing], undefined, session);
  const [added, removed] = [ids.slice(0, adding.length), ids.slice(adding.length)];
  const both = added.filter((id) => removed.includes(id));
  if (both.length > 0)
    throw invalidInput(both.map((id) => ({ field: '--remove-attribute', reason: `${id} is added too` })));
  return (unit: ServiceRecord): readonly PatchStep[] => {
    const kept = idsIn(unit['attributes']).filter((id) => !removed.some((each) => each === id));
    return unitSteps(unit, {
      ...withoutHoles({ ...others, unit_group_id: groupId }),
      description: mergedTexts('description', unit, changes),
      attributes: [...new Set([...kept, ...added])].map((id) => ({ id })),
    });
  };
}

/** The property of a unit; `undefined` if it is not shown. */
export function propertyOf({ property }: ServiceRecord): string | undefined {
  return idIn(property);
}
