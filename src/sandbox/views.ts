import type { Call } from './call.ts';
import type { LanguageMap, PropertyRecord, Records, UnitRecord } from './records.ts';
import { existing, listParameter } from './refusal.ts';
import { actionsView, unitActions, wholeOf } from './rules.ts';

/** The text that lists and embedded records show: the English one if there is one. */
export function oneText(map: LanguageMap): string {
  return map['en'] ?? Object.values(map)[0] ?? '';
}

/** The texts in some languages; in all of them if none is named, or `all`. */
export function inLanguages(map: LanguageMap, languages: readonly string[]): LanguageMap {
  if (languages.length === 0 || languages.includes('all')) return map;
  return Object.fromEntries(Object.entries(map).filter(([language]) => languages.includes(language)));
}

/** A property inside another record. */
export function embeddedProperty({ id, code, name, description }: PropertyRecord) {
  return { id, code, name: oneText(name), description: description && oneText(description) };
}

/**
 * A unit as it is shown, where JSON leaves out what is undefined. Of `expand` it knows property, unitGroup, connectedUnits and
 * actions; without it embedded records are their ids alone.
 *
 * @param description one text, or several by language.
 * @param maintenance the part of it that is shown.
 */
export function viewOf<Description>(
  unit: UnitRecord,
  description: Description,
  maintenance: Partial<UnitRecord['maintenance']>,
  { records, now, query }: Pick<Call, 'records' | 'now' | 'query'>,
) {
  const expand = listParameter(query, 'expand');
  const { id, name, property_id: propertyId, unit_group_id: groupId, max_persons, created, archived } = unit;
  const property = expand.includes('property') ? records.properties.get(propertyId) : undefined;
  const whole = wholeOf(id, records);
  const withParts = expand.includes('connectedUnits');
  const parts = withParts ? unit.connected_units.map((each) => partView(each, records)) : undefined;
  return {
    ...{ id, name, description, max_persons, created },
    property: property === undefined ? { id: propertyId } : embeddedProperty(property),
    unit_group: groupId && groupView(groupId, records, expand),
    connecting_unit: whole && { id: whole.id },
    status: { is_occupied: unit.is_occupied, condition: unit.condition, maintenance },
    archived,
    is_archived: archived !== undefined,
    attributes: unit.attributes.flatMap((each) => attributeView(each, records)),
    connected_units: parts,
    actions: expand.includes('actions') ? actionsView(unitActions(unit, records, now)) : undefined,
  };
}

/** A group or an attribute that is not visible yet is not shown. */
function groupView(id: string, { unit_groups: groups }: Records, expand: readonly string[]) {
  const group = expand.includes('unitGroup') ? groups.get(id) : undefined;
  if (group === undefined) return { id };
  const { code, name, description, type } = group;
  return { id, code, name: oneText(name), description: oneText(description), type };
}

function attributeView(id: string, { unit_attributes: attributes }: Records) {
  const { created: _, ...shown } = attributes.get(id) ?? {};
  return 'id' in shown ? [shown] : [];
}

function partView(id: string, { units }: Records) {
  const { name, description, unit_group_id, condition, max_persons } = existing(units, 'unit', id);
  return { id, name, description: oneText(description), unit_group_id, condition, max_persons };
}
