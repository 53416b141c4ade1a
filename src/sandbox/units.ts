import type * as v from 'valibot';
import type { Call, Outcome } from './call.ts';
import { answerOnce } from './idempotency.ts';
import { countedTo, lettersOf, nextNumber } from './ids.ts';
import { newUnit, newUnits } from './inventory-schema.ts';
import type { Change, Records, UnitRecord } from './records.ts';
import { check, existing, flagParameter, INVENTORY_PAGE, invalid, listParameter, pageOf } from './refusal.ts';
import { inLanguages, oneText } from './texts.ts';
import { requireAction } from './unit-actions.ts';
import { patchUnit } from './unit-patch.ts';
import { problemsOf } from './unit-rules.ts';
import { viewOf } from './unit-view.ts';

const ID_LENGTH = 3;

type NewUnit = v.InferOutput<typeof newUnit>;

/** Filters: property_id, unit_group_id(s), unit_attribute_ids (any of them), is_occupied, maintenance_type, condition, text_search, status. */
export function listUnits({ records, query, now }: Call<'listUnits'>): Outcome {
  const found = [...records.units.values()].filter(filterOf(query));
  const expand = listParameter(query, 'expand');
  const items = pageOf(found, query, INVENTORY_PAGE).map((unit) => {
    const maintenance = unit.maintenance && { id: unit.maintenance.id, type: unit.maintenance.type };
    return viewOf(unit, oneText(unit.description), maintenance, { records, now, expand });
  });
  return { status: 200, body: { count: found.length, items } };
}

/** The same filters as the list. */
export function countUnits({ records, query }: Call<'countUnits'>): Outcome {
  return { status: 200, body: [...records.units.values()].filter(filterOf(query)).length };
}

/** 200 or 404, without a body; archived units are there. */
export function unitExists({ records, path }: Call<'unitExists'>): Outcome {
  existing(records.units, 'unit', path.id);
  return { status: 200 };
}

/** One unit with its texts in the languages asked for. */
export function getUnit({ records, path, query, now }: Call<'getUnit'>): Outcome {
  const unit = existing(records.units, 'unit', path.id);
  const description = inLanguages(unit.description, listParameter(query, 'languages'));
  const looking = { records, now, expand: listParameter(query, 'expand') };
  return { status: 200, body: viewOf(unit, description, unit.maintenance, looking) };
}

/** With an `Idempotency-Key` a repetition creates nothing. It is not known whether names are unique; the sandbox takes one twice. */
export function createUnit(call: Call<'createUnit'>): Outcome {
  const fields = check(newUnit, call.body);
  return answerOnce(call, fields, () => {
    const { units, changes } = created([fields], '', call);
    const [{ id } = { id: '' }] = units;
    return { status: 201, body: { id }, headers: { location: `/inventory/v1/units/${id}` }, changes };
  });
}

/** All of them or none. A unit cannot be made of another one of the same call, which has no id yet. */
export function createUnits(call: Call<'createUnits'>): Outcome {
  const fields = check(newUnits, call.body);
  return answerOnce(call, fields, () => {
    const { units, changes } = created(fields.units, 'units.', call);
    return { status: 200, body: { ids: units.map(({ id }) => id) }, changes };
  });
}

/** Answers 204 also when the operations change nothing. */
export function updateUnit({ records, path, body }: Call<'updateUnit'>): Outcome {
  const changed = patchUnit(existing(records.units, 'unit', path.id), body, records);
  return { status: 204, changes: [{ put: ['units', changed.id, changed] }] };
}

/** The same operations for all of unit_ids, or for none of them. */
export function updateUnits({ records, query, body }: Call<'updateUnits'>): Outcome {
  const ids = [...new Set(listParameter(query, 'unit_ids'))];
  const unknown = ids.filter((id) => !records.units.has(id));
  if (unknown.length > 0)
    throw invalid(
      unknown.map((id) => ({ field: 'unitIds', reason: `there is no unit ${JSON.stringify(id)}` })),
    );
  const changes = ids.map((id): Change => {
    const changed = patchUnit(existing(records.units, 'unit', id), body, records);
    return { put: ['units', id, changed] };
  });
  return { status: 204, changes };
}

/** Only of a unit whose actions allow it. */
export function deleteUnit({ records, path, now }: Call<'deleteUnit'>): Outcome {
  const unit = existing(records.units, 'unit', path.id);
  requireAction('Delete', unit, records, now);
  return { status: 204, changes: [{ delete: ['units', unit.id] }] };
}

/** As `deleteUnit`. */
export function archiveUnit({ records, path, now }: Call<'archiveUnit'>): Outcome {
  const unit = existing(records.units, 'unit', path.id);
  requireAction('Archive', unit, records, now);
  const archived = { ...unit, archived: new Date(now).toISOString() };
  return { status: 204, changes: [{ put: ['units', unit.id, archived] }] };
}

/** The id of the unit of a number, as `BER-XYZ`. */
export function unitIdOf(propertyId: string, number: number): string {
  return `${propertyId}-${lettersOf(number, ID_LENGTH)}`;
}

function created(all: readonly NewUnit[], place: string, { records, now }: Pick<Call, 'records' | 'now'>) {
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
  const changes = [
    ...units.map((unit): Change => ({ put: ['units', unit.id, unit] })),
    countedTo(first + units.length),
  ];
  return { units, changes };
}

function filterOf(query: URLSearchParams): (unit: UnitRecord) => boolean {
  const text = (name: string) => query.get(name) ?? undefined;
  const isAmong = (wanted: readonly string[], ids: readonly string[]) =>
    wanted.length === 0 || ids.some((id) => wanted.includes(id));
  const isSame = (wanted: unknown, value: unknown) => wanted === undefined || wanted === value;
  const propertyId = text('property_id');
  const groups = [...listParameter(query, 'unit_group_ids'), ...listParameter(query, 'unit_group_id')];
  const attributes = listParameter(query, 'unit_attribute_ids');
  const [isOccupied, type] = [flagParameter(query, 'is_occupied'), text('maintenance_type')];
  const [condition, search] = [text('condition'), text('text_search')?.toLowerCase() ?? ''];
  const status = text('status') ?? 'Active';
  return (unit) =>
    isSame(propertyId, unit.property_id) &&
    isAmong(groups, unit.unit_group_id === undefined ? [] : [unit.unit_group_id]) &&
    isAmong(attributes, unit.attributes) &&
    isSame(isOccupied, unit.is_occupied) &&
    isSame(type, unit.maintenance?.type) &&
    isSame(condition, unit.condition) &&
    unit.name.toLowerCase().includes(search) &&
    (status === 'All' || (status === 'Archived') === (unit.archived !== undefined));
}

/** The units of a property, archived ones too, oldest first. */
export function unitsIn({ units }: Records, propertyId: string): readonly UnitRecord[] {
  return [...units.values()].filter((unit) => unit.property_id === propertyId);
}
