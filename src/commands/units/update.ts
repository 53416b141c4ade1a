import { idIn } from '../../change/listing.ts';
import { idsIn, withOtherLanguages } from '../../model/diff.ts';
import { invalidInput, usageError } from '../../model/errors.ts';
import { type Field, kindTable } from '../../model/kinds.ts';
import { type ServiceRecord, withoutHoles } from '../../model/records.ts';
import type { Session } from '../../session/session.ts';
import { referencesIn } from '../fields.ts';
import { idsCalled, type NamedRecord, unitAttributes, unitGroups } from '../inventory/kind.ts';
import { updating } from '../inventory/update.ts';

/** The fields that a patch sets, and attributes to add and to remove. */
const fields: readonly Field[] = kindTable.unit.fields.flatMap((field) => {
  if (field.name !== 'attributes') return field.isFixed ? [] : [field];
  return ['add', 'remove'].map((verb) => ({
    ...{ ...field, summary: 'unit attribute' },
    ...{ name: `${verb}_attribute`, flag: `${verb}-attribute` },
  }));
});

/**
 * `units update <id>`: PATCH /inventory/v1/units/{id}; for several PATCH /inventory/v1/units.
 *
 * The documents name what can be set, and that attributes are added and removed, but no paths. Texts are sent whole, because
 * nothing says that one language can be set.
 */
export const updateUnit = updating(
  'unit',
  {
    examples: [
      'units update --property BER 201 --condition Clean',
      'units update --property BER 201 202 203 --group DBL --yes',
      'units update --property BER 201 --add-attribute BALCONY --description de="Mit Balkon"',
    ],
    description:
      'Update units; what is not given stays. Property and connected units are fixed after creation.',
    unset: 'remove a language of the description: description.de',
  },
  fields,
  wanting,
);

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
