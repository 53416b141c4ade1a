import { isDeepStrictEqual } from 'node:util';
import { serviceCommand } from '../../cli/described-command.ts';
import { invalidInput } from '../../cli/errors.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { type InventoryField, unitFields } from '../../model/inventory-fields.ts';
import type { PatchStep } from '../../model/patch.ts';
import { isRecord, recordsIn, type ServiceRecord, valueAt } from '../../model/records.ts';
import { textProblem } from '../../model/text.ts';
import { type ChangeFlags, type Changes, changesFrom, mergedTexts } from '../inventory/changing.ts';
import { referencesIn, withFieldFlags } from '../inventory/fields.ts';
import { idsCalled, idsMeant, unitAttributes, unitGroups, units } from '../inventory/kind.ts';
import { argumentFor, suggestId } from '../inventory/reading.ts';
import { settleBy, settledByRepeating } from '../lines.ts';
import { withReferences } from '../references.ts';
import { reportWrite } from '../write.ts';

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
  const command = serviceCommand(
    'update',
    'writes',
    [
      'units update --property BER 201 --condition Clean',
      'units update --property BER 201 202 203 --group DBL --yes',
      'units update --property BER 201 --add-attribute BALCONY --description de="Mit Balkon"',
    ],
    ['ambiguous'],
  )
    .summary('update units')
    .description(
      'Update units; what is not given stays. Property and connected units are fixed after creation.',
    )
    .argument(...argumentFor(units))
    .option('--property <id>', 'find units, and the group, by name at this property')
    .option('--unset <fields>', 'remove a language of the description: description.de', collectList)
    .option('--no-verify', 'do not verify by reading the units back');
  return withFieldFlags(command, fields).action(
    withReferences<ChangeFlags>(context, units.referred, {
      named: 'writes',
      one: updateOne,
      several: async (...given) => (await import('./update-several.ts')).updateUnits(...given),
      choosesSeveral: () => true,
    }),
  );
}

async function updateOne(word: string, flags: ChangeFlags, session: Session): Promise<void> {
  const { api, context, out } = session;
  api.permit('updateUnit', word);
  const changes = changesOfUnits(flags);
  const [id = word] = await idsMeant(units, [word], flags.property, session);
  api.permit('updateUnit', id);
  const unit = await api.units.readAll(id).catch(suggestId(id, units, session));
  const wanted = await wantedOf(changes, propertyOf(unit) ?? flags.property, session);
  const stepsFor = (record: ServiceRecord) => stepsTo(wanted, record);
  const steps = stepsFor(unit);
  if (steps.length === 0) return out.done('Nothing was changed.', { id, updated: false });
  const done = await api.units
    .update(id, steps, { verify: flags.verify, stepsFor })
    .catch(settleBy(settledByRepeating(context.argv, false)));
  await reportWrite(out, `Updated unit ${id}`, { id, updated: true }, done);
}

/** The changes of a command line, with ids in place of names. */
export interface WantedUnit {
  /** By the name of the path; without texts. */
  readonly fields: ServiceRecord;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly texts: Changes;
}

/** The changes of a command line. @throws {CliError} exit 2 with all problems. */
export function changesOfUnits(flags: ChangeFlags): Changes {
  return changesFrom(flags, fields, units, []);
}

/** @param property of the unit, whose groups are looked for. */
export async function wantedOf(
  changes: Changes,
  property: string | undefined,
  session: Session,
): Promise<WantedUnit> {
  const { name, max_persons, condition, group, add_attribute, remove_attribute } = changes.values;
  const [unitGroupId] = await idsCalled(unitGroups, referencesIn(group), property, session);
  const adding = referencesIn(add_attribute);
  const ids = await idsCalled(
    unitAttributes,
    [...adding, ...referencesIn(remove_attribute)],
    undefined,
    session,
  );
  const [added, removed] = [ids.slice(0, adding.length), ids.slice(adding.length)];
  const both = added.filter((id) => removed.includes(id));
  if (both.length > 0)
    throw invalidInput(both.map((id) => ({ field: '--remove-attribute', reason: `${id} is added too` })));
  return {
    fields: { name, maxPersons: max_persons, condition, unitGroupId },
    added,
    removed,
    texts: changes,
  };
}

/**
 * The steps that a unit lacks. An attribute is added at the end of the list, and removed by its place in it (RFC 6902).
 *
 * @param unit with its description in all languages.
 */
export function stepsTo({ fields: wanted, added, removed, texts }: WantedUnit, unit: ServiceRecord) {
  const shown: ServiceRecord = {
    name: unit['name'],
    maxPersons: unit['max_persons'],
    condition: valueAt(unit, ['status', 'condition']),
    unitGroupId: valueAt(unit, ['unit_group', 'id']),
  };
  const { description } = unit;
  const merged = mergedTexts('description', description, texts.values['description'], texts);
  const attributes = recordsIn(unit['attributes']).map(({ id }) => id);
  const steps: readonly PatchStep[] = [
    ...Object.entries(wanted)
      .filter(([name, value]) => value !== undefined && value !== shown[name])
      .map(([name, value]) => ({ op: 'replace', path: `/${name}`, value }) as const),
    ...(isDeepStrictEqual(merged, description)
      ? []
      : [{ op: 'replace', path: '/description', value: merged } as const]),
    // The last one first: a removal moves those behind it.
    ...attributes
      .flatMap((id, place) => (removed.some((each) => each === id) ? [place] : []))
      .reverse()
      .map((place) => ({ op: 'remove', path: `/attributes/${place}` }) as const),
    ...added
      .filter((id) => !attributes.includes(id))
      .map((id) => ({ op: 'add', path: '/attributes/-', value: { id } }) as const),
  ];
  return steps;
}

/** The property of a unit; `undefined` if it is not shown. */
export function propertyOf({ property }: ServiceRecord): string | undefined {
  const id = isRecord(property) ? property['id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}
