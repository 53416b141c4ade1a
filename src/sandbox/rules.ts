import * as v from 'valibot';
import { snakeCaseName } from '../model/fields.ts';
import { isIndex } from '../model/records.ts';
import type { PropertyRecord, Records, UnitRecord } from './records.ts';
import { check, type Detail, invalid, parsePatch, refusal, type Step, segmentsOf, wrong } from './refusal.ts';
import { attributeOfUnit, unitPatch } from './schemas.ts';

/** The unit, not archived, that another one is part of. */
export function wholeOf(id: string, { units }: Records): UnitRecord | undefined {
  return [...units.values()].find(
    ({ connected_units: parts, archived }) => archived === undefined && parts.includes(id),
  );
}

/**
 * What is wrong with the records that a unit refers to.
 *
 * @param taken ids of units that others of the same request are made of.
 */
export function problemsOf(
  unit: UnitRecord,
  records: Records,
  taken: readonly string[] = [],
): readonly Detail[] {
  const { property_id: propertyId, unit_group_id: groupId } = unit;
  if (!records.properties.has(propertyId))
    return [{ field: 'property_id', reason: `there is no property ${JSON.stringify(propertyId)}` }];
  const hasGroup = groupId === undefined || records.unit_groups.get(groupId)?.property_id === propertyId;
  return [
    ...(hasGroup
      ? []
      : [{ field: 'unit_group_id', reason: `${propertyId} has no unit group ${JSON.stringify(groupId)}` }]),
    ...unit.attributes
      .filter((id) => !records.unit_attributes.has(id))
      .map((id) => ({ field: 'attributes', reason: `there is no unit attribute ${JSON.stringify(id)}` })),
    ...unit.connected_units.flatMap((id, index) => {
      const before = [...taken, ...unit.connected_units.slice(0, index)];
      const reason = partProblem(id, unit, records, before);
      return reason === undefined ? [] : [{ field: 'connected_units', reason }];
    }),
  ];
}

/** Why a unit cannot be part of another one. A part is shown with its group, so it needs one. */
function partProblem(id: string, whole: UnitRecord, records: Records, taken: readonly string[]) {
  const part = records.units.get(id);
  if (part?.property_id !== whole.property_id)
    return `${whole.property_id} has no unit ${JSON.stringify(id)}`;
  if (part.archived !== undefined) return `${id} is archived`;
  if (part.unit_group_id === undefined) return `${id} is in no unit group`;
  const other = wholeOf(id, records);
  if (taken.includes(id) || (other !== undefined && other.id !== whole.id))
    return `${id} is part of another unit`;
  return undefined;
}

/**
 * Applies what the public service documents: its fields are set, attributes are added (`/attributes/-`) and removed
 * (`/attributes/0`). A single text is set like a field (`/description/de`), which the documents leave open.
 *
 * @throws {Refusal} 422 of every other operation, of a wrong value, and of a unit that is archived.
 */
export function patchUnit(unit: UnitRecord, body: unknown, records: Records): UnitRecord {
  const steps = parsePatch(body);
  if (unit.archived !== undefined)
    throw refusal(422, 'archived', `The unit ${unit.id} is archived and cannot be changed.`);
  const changed = steps.reduce(patched, unit);
  const problems = problemsOf(changed, records);
  if (problems.length > 0) throw invalid(problems);
  return changed;
}

function patched(unit: UnitRecord, step: Step): UnitRecord {
  const { op, path, value } = step;
  const [first = '', inner, ...deeper] = segmentsOf(path);
  const field = snakeCaseName(first);
  if (field === 'attributes' && inner !== undefined && deeper.length === 0)
    return { ...unit, attributes: withAttribute(unit.attributes, inner, step) };
  const isText = field === 'description' && inner !== undefined && deeper.length === 0;
  if (!isSettable(field) || (inner !== undefined && !isText)) throw wrong(path, 'cannot be changed');
  if (op !== 'add' && op !== 'replace') throw wrong(path, `cannot be changed with ${op}`);
  const whole = isText ? { ...unit.description, [inner]: value } : value;
  return { ...unit, ...check(v.strictObject({ [field]: unitPatch[field] }), { [field]: whole }) };
}

function isSettable(field: string): field is keyof typeof unitPatch {
  return Object.hasOwn(unitPatch, field);
}

function withAttribute(ids: readonly string[], at: string, { op, path, value }: Step): readonly string[] {
  if (op === 'add' && at === '-') return [...new Set([...ids, check(attributeOfUnit, value).id])];
  if (op !== 'remove' || !isIndex(at)) throw wrong(path, `cannot be changed with ${op}`);
  if (Number(at) >= ids.length) throw wrong(path, 'does not exist');
  return ids.filter((_, index) => index !== Number(at));
}

/** Why an action is not allowed, as the service codes it. */
type Reason = readonly [code: string, message: string];

/** The actions on a property, each with the reasons why it is not allowed. */
export function propertyActions({ status, is_archived: isArchived }: PropertyRecord) {
  const inStatus = (needed: PropertyRecord['status'], code: string): readonly Reason[] =>
    status === needed ? [] : [[code, `Only a property in status ${needed} allows this.`]];
  const archived: Reason = ['ArchiveNotAllowedForPropertyWhichIsAlreadyArchived', 'It is archived already.'];
  return {
    Delete: inStatus('Test', 'DeleteNotAllowedForPropertyNotInStatusTest'),
    Archive: isArchived ? [archived] : inStatus('Live', 'ArchiveNotAllowedForPropertyNotInStatusLive'),
    SetLive: inStatus('Test', 'SetToLiveNotAllowedForPropertyNotInStatusTest'),
    Reset: inStatus('Test', 'ResetNotAllowedForPropertyNotInStatusTest'),
  };
}

/** The actions on a unit, each with the reasons why it is not allowed. */
export function unitActions(unit: UnitRecord, records: Records, now: number) {
  const { id, archived, is_occupied: isOccupied, is_referenced: isReferenced, maintenance } = unit;
  if (archived !== undefined)
    return {
      Delete: [['DeleteNotAllowedOnArchivedUnit', `The unit ${id} is archived.`]] satisfies Reason[],
      Archive: [['UnitAlreadyArchived', `The unit ${id} is archived already.`]] satisfies Reason[],
    };
  const whole = wholeOf(id, records);
  const isPart = whole !== undefined;
  const wasPart = [...records.units.values()].some(
    ({ connected_units: parts, archived: since }) => since !== undefined && parts.includes(id),
  );
  const isMaintained = maintenance !== undefined && Date.parse(maintenance.to) > now;
  const Delete = reasonsOf('DeleteNotAllowedBecause', [
    [isOccupied || isReferenced, 'UnitIsReferenced', `Reservations refer to the unit ${id}.`],
    [isPart, 'UnitIsPartOfConnectingUnit', `The unit ${id} is part of the unit ${whole?.id}.`],
    [wasPart, 'UnitWasPartOfArchivedCombinedUnit', `The unit ${id} was part of a unit that is archived.`],
  ]);
  const Archive = reasonsOf('ArchiveNotAllowedBecause', [
    [Delete.length === 0, 'UnitCanBeDeleted', `The unit ${id} can be deleted.`],
    [isOccupied, 'AssignedToInHouseReservation', `A guest is staying in the unit ${id}.`],
    [isMaintained, 'LinkedToActiveOrFutureMaintenance', `A maintenance of the unit ${id} is not over.`],
    [isPart, 'PartOfCombinedInventory', `The unit ${id} is part of another unit.`],
  ]);
  return { Delete, Archive };
}

/** The reasons that apply. @param prefix begins their codes. */
function reasonsOf(
  prefix: string,
  rows: readonly (readonly [applies: boolean, code: string, message: string])[],
): readonly Reason[] {
  return rows.filter(([applies]) => applies).map(([, code, message]) => [prefix + code, message]);
}

/** Actions as they are shown. */
export function actionsView(actions: Readonly<Record<string, readonly Reason[]>>) {
  return Object.entries(actions).map(([action, reasons]) => ({
    action,
    is_allowed: reasons.length === 0,
    reasons: reasons.length === 0 ? undefined : reasons.map(([code, message]) => ({ code, message })),
  }));
}

/** @param what begins the message. @throws {Refusal} 422 if there is a reason against an action. */
export function requireAllowed(reasons: readonly Reason[], ...what: readonly string[]): void {
  if (reasons.length === 0) return;
  throw refusal(422, 'not_allowed', [...what, ...reasons.map(([, message]) => message)].join(' '));
}
