import {
  type Call,
  type Detail,
  type Handler,
  type Handlers,
  idIn,
  type Name,
  recordAt,
  refusal,
  unknownIds,
} from './call.ts';
import { withProperties } from './people.ts';
import {
  type Change,
  type Collections,
  gone,
  type PropertyRecord,
  put,
  type Records,
  recordsIn,
  type UnitRecord,
  unused,
} from './records.ts';

/** The operations that delete records, and those on properties and units that these must allow. */
export const actions = {
  deleteInvitation: remove('invitations'),
  /** Also deletes the property's unit groups and units, and its id from users and invitations. */
  deleteProperty: remove('properties', (property) => allowing('Delete', property), dependents),
  /** Cannot be undone. */
  setPropertyLive: change('properties', (property) => ({ ...allowing('SetLive', property), status: 'Live' })),
  /** Cannot be undone. */
  archiveProperty: change('properties', (property) => ({
    ...allowing('Archive', property),
    is_archived: true,
  })),
  /** What guests left in its units is gone. */
  resetProperty: (call) => {
    const { id } = allowing('Reset', recordAt('properties', call));
    const units = recordsIn('units', call.records, id);
    return { status: 204, changes: units.map((unit) => put('units', unit.id, unused(unit))) };
  },
  /** Refused while there are units in the group, archived ones too, or another group is made of it. */
  deleteUnitGroup: remove('unit_groups', ({ id }, { records }) => {
    const members = [...records.units.values()].filter(({ unit_group_id: group }) => group === id);
    const whole = [...records.unit_groups.values()].find(({ connected_unit_groups: parts = [] }) =>
      parts.some((part) => part.unit_group_id === id),
    );
    if (members.length === 0 && whole === undefined) return;
    const why = members.length > 0 ? `; units in it: ${members.length}.` : `: ${whole?.id} is made of it.`;
    throw refusal(422, 'group_in_use', `The unit group ${id} cannot be deleted${why}`);
  }),
  deleteUnit: remove('units', (unit, call) => requireAllowed(unitActions(unit, call).Delete)),
  archiveUnit: change('units', (unit, call) => {
    requireAllowed(unitActions(unit, call).Archive);
    return { ...unit, archived: new Date(call.now).toISOString() };
  }),
  /** It is not known whether the service deletes an attribute that units have. The sandbox refuses, so that none loses it unseen. */
  deleteUnitAttribute: remove('unit_attributes', ({ id }, { records }) => {
    const units = [...records.units.values()].filter(({ attributes }) => attributes.includes(id));
    if (units.length === 0) return;
    const message = `The unit attribute ${id} cannot be deleted; units that have it: ${units.length}.`;
    throw refusal(422, 'attribute_in_use', message);
  }),
} satisfies Partial<Handlers>;

/** A change of the record that the path names; answers 204, also if nothing is different. */
export function change<Of extends Name>(
  name: Of,
  changed: (record: Collections[Of], call: Call) => Collections[Of],
): Handler {
  return (call) => ({
    status: 204,
    changes: [put(name, idIn(name, call), changed(recordAt(name, call), call))],
  });
}

/** The deletion of the record that the path names. @param refuse throws if it is not possible. @param others changes besides. */
function remove<Of extends Name>(
  name: Of,
  refuse: (record: Collections[Of], call: Call) => void = () => {},
  others: (id: string, records: Records) => readonly Change[] = () => [],
): Handler {
  return (call) => {
    refuse(recordAt(name, call), call);
    const id = idIn(name, call);
    return { status: 204, changes: [gone(name, id), ...others(id, call.records)] };
  };
}

/** The property. @throws {Refusal} 422 with the reason why it does not allow the action. */
function allowing(
  action: keyof ReturnType<typeof propertyActions>,
  property: PropertyRecord,
): PropertyRecord {
  const { id, status, is_archived: isArchived } = property;
  requireAllowed(
    propertyActions(property)[action],
    `The property ${id} is ${isArchived ? 'archived' : status}.`,
  );
  return property;
}

function dependents(propertyId: string, records: Records): readonly Change[] {
  const isOther = (id: string) => id !== propertyId;
  const users = [...records.users.values()].filter(({ properties }) => properties.includes(propertyId));
  const invitations = [...records.invitations].filter(([, { properties }]) =>
    properties.includes(propertyId),
  );
  return [
    ...recordsIn('unit_groups', records, propertyId).map(({ id }) => gone('unit_groups', id)),
    ...recordsIn('units', records, propertyId).map(({ id }) => gone('units', id)),
    ...users.map((user) =>
      put('users', user.subject_id, withProperties(user, user.properties.filter(isOther))),
    ),
    ...invitations.map(([id, each]) =>
      put('invitations', id, { ...each, properties: each.properties.filter(isOther) }),
    ),
  ];
}

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
  const unknown = unknownIds('property_id', 'properties', [propertyId], records);
  if (unknown.length > 0) return unknown;
  const hasGroup = groupId === undefined || records.unit_groups.get(groupId)?.property_id === propertyId;
  return [
    ...(hasGroup
      ? []
      : [{ field: 'unit_group_id', reason: `${propertyId} has no unit group ${JSON.stringify(groupId)}` }]),
    ...unknownIds('attributes', 'unit_attributes', unit.attributes, records),
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
  const isTaken = taken.includes(id) || (wholeOf(id, records) ?? whole).id !== whole.id;
  return isTaken ? `${id} is part of another unit` : undefined;
}

/** Why an action is not allowed, as the service codes it. */
type Reason = readonly [code: string, message: string];

/** The actions on a property, each with the reasons why it is not allowed. */
export function propertyActions({
  status,
  is_archived: isArchived,
}: Pick<PropertyRecord, 'status' | 'is_archived'>) {
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
export function unitActions(unit: UnitRecord, { records, now }: Pick<Call, 'records' | 'now'>) {
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
function requireAllowed(reasons: readonly Reason[], ...what: readonly string[]): void {
  if (reasons.length === 0) return;
  throw refusal(422, 'not_allowed', [...what, ...reasons.map(([, message]) => message)].join(' '));
}
