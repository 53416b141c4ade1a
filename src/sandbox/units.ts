import type { Call, Handlers } from './call.ts';
import { countedTo, lettersOf, nextNumber, put, type Records, type UnitRecord } from './records.ts';
import { check, flagParameter, invalid, isAmong, listParameter, requireKnown } from './refusal.ts';
import { answerOnce, changed, created, deleted, existsIn, listed, recordAt } from './resource.ts';
import { patchUnit, problemsOf, requireAllowed, unitActions } from './rules.ts';
import { type NewUnit, newUnit, newUnits } from './schemas.ts';
import { inLanguages, oneText, viewOf } from './views.ts';

const ID_LENGTH = 3;

/** The operations on units. */
export const unitHandlers = {
  /** Filters: property_id, unit_group_id(s), unit_attribute_ids (any of them), is_occupied, maintenance_type, condition, text_search, status. */
  listUnits: (call) =>
    listed(found(call.records, call.query), call.query, (unit) => {
      const maintenance = unit.maintenance && { id: unit.maintenance.id, type: unit.maintenance.type };
      return viewOf(unit, oneText(unit.description), maintenance, call);
    }),
  /** The same filters as the list. */
  countUnits: ({ records, query }) => ({ status: 200, body: found(records, query).length }),
  /** Archived units are there. */
  unitExists: existsIn('units'),
  /** One unit with its texts in the languages asked for. */
  getUnit: (call) => {
    const unit = recordAt('units', call);
    const description = inLanguages(unit.description, listParameter(call.query, 'languages'));
    return { status: 200, body: viewOf(unit, description, unit.maintenance, call) };
  },
  /** With an `Idempotency-Key` a repetition creates nothing. It is not known whether names are unique; the sandbox takes one twice. */
  createUnit: (call) => {
    const fields = check(newUnit, call.body);
    return answerOnce(call, fields, () => {
      const { units, counted } = newUnitsOf([fields], '', call);
      // As many as were given.
      return created('units', units[0] as UnitRecord, [counted]);
    });
  },
  /** All of them or none. A unit cannot be made of another one of the same call, which has no id yet. */
  createUnits: (call) => {
    const fields = check(newUnits, call.body);
    return answerOnce(call, fields, () => {
      const { units, counted } = newUnitsOf(fields.units, 'units.', call);
      const changes = [...units.map((unit) => put('units', unit.id, unit)), counted];
      return { status: 200, body: { ids: units.map(({ id }) => id) }, changes };
    });
  },
  /** Answers 204 also when the operations change nothing. */
  updateUnit: (call) => changed('units', patchUnit(recordAt('units', call), call.body, call.records)),
  /** The same operations for all of unit_ids, or for none of them. */
  updateUnits: ({ records, query, body }) => {
    const ids = [...new Set(listParameter(query, 'unit_ids'))];
    requireKnown('unitIds', 'unit', ids, records.units);
    const units = ids.flatMap((id) => records.units.get(id) ?? []);
    return {
      status: 204,
      changes: units.map((unit) => put('units', unit.id, patchUnit(unit, body, records))),
    };
  },
  deleteUnit: (call) => {
    const unit = recordAt('units', call);
    requireAllowed(unitActions(unit, call.records, call.now).Delete);
    return deleted('units', unit.id);
  },
  archiveUnit: (call) => {
    const unit = recordAt('units', call);
    requireAllowed(unitActions(unit, call.records, call.now).Archive);
    return changed('units', { ...unit, archived: new Date(call.now).toISOString() });
  },
} satisfies Partial<Handlers>;

/** The id of the unit of a number, as `BER-XYZ`. */
export function unitIdOf(propertyId: string, number: number): string {
  return `${propertyId}-${lettersOf(number, ID_LENGTH)}`;
}

function newUnitsOf(all: readonly NewUnit[], place: string, { records, now }: Pick<Call, 'records' | 'now'>) {
  const first = nextNumber(records);
  const units = all.map((fields, index): UnitRecord => {
    const { unit_group_id, condition, attributes, connected_units, ...given } = fields;
    return {
      id: unitIdOf(given.property_id, first + index),
      ...given,
      ...(typeof unit_group_id === 'string' ? { unit_group_id } : {}),
      condition: condition ?? 'Clean',
      ...{ is_occupied: false, is_referenced: false },
      attributes: [...new Set((attributes ?? []).map(({ id }) => id))],
      connected_units: (connected_units ?? []).map(({ unit_id: id }) => id),
      created: new Date(now).toISOString(),
    };
  });
  const problems = units.flatMap((unit, index) => {
    const others = units.slice(0, index).flatMap(({ connected_units: ids }) => ids);
    return problemsOf(unit, records, others).map(({ field, reason }) => ({
      field: place === '' ? field : `${place}${index}.${field}`,
      reason,
    }));
  });
  if (problems.length > 0) throw invalid(problems);
  return { units, counted: countedTo(first + units.length) };
}

function found(records: Records, query: URLSearchParams): readonly UnitRecord[] {
  const text = (name: string) => query.get(name) ?? undefined;
  const isSame = (wanted: unknown, value: unknown) => wanted === undefined || wanted === value;
  const propertyId = text('property_id');
  const groups = [...listParameter(query, 'unit_group_ids'), ...listParameter(query, 'unit_group_id')];
  const attributes = listParameter(query, 'unit_attribute_ids');
  const [isOccupied, type] = [flagParameter(query, 'is_occupied'), text('maintenance_type')];
  const [condition, search] = [text('condition'), text('text_search')?.toLowerCase() ?? ''];
  const status = text('status') ?? 'Active';
  return [...records.units.values()].filter(
    (unit) =>
      isSame(propertyId, unit.property_id) &&
      isAmong(groups, unit.unit_group_id) &&
      isAmong(attributes, ...unit.attributes) &&
      isSame(isOccupied, unit.is_occupied) &&
      isSame(type, unit.maintenance?.type) &&
      isSame(condition, unit.condition) &&
      unit.name.toLowerCase().includes(search) &&
      (status === 'All' || (status === 'Archived') === (unit.archived !== undefined)),
  );
}
