import type { PropertyRecord, Records, UnitRecord } from './records.ts';
import { refusal } from './refusal.ts';
import { wholeOf } from './unit-rules.ts';

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
  const wasPart = [...records.units.values()].some(
    ({ connected_units: parts, archived: since }) => since !== undefined && parts.includes(id),
  );
  const isMaintained = maintenance !== undefined && Date.parse(maintenance.to) > now;
  const Delete = reasonsOf([
    [
      isOccupied || isReferenced,
      'DeleteNotAllowedBecauseUnitIsReferenced',
      `Reservations refer to the unit ${id}.`,
    ],
    [
      whole !== undefined,
      'DeleteNotAllowedBecauseUnitIsPartOfConnectingUnit',
      `The unit ${id} is part of the unit ${whole?.id}.`,
    ],
    [
      wasPart,
      'DeleteNotAllowedBecauseUnitWasPartOfArchivedCombinedUnit',
      `The unit ${id} was part of a unit that is archived.`,
    ],
  ]);
  const Archive = reasonsOf([
    [Delete.length === 0, 'ArchiveNotAllowedBecauseUnitCanBeDeleted', `The unit ${id} can be deleted.`],
    [
      isOccupied,
      'ArchiveNotAllowedBecauseAssignedToInHouseReservation',
      `A guest is staying in the unit ${id}.`,
    ],
    [
      isMaintained,
      'ArchiveNotAllowedBecauseLinkedToActiveOrFutureMaintenance',
      `A maintenance of the unit ${id} is not over.`,
    ],
    [
      whole !== undefined,
      'ArchiveNotAllowedBecausePartOfCombinedInventory',
      `The unit ${id} is part of another unit.`,
    ],
  ]);
  return { Delete, Archive };
}

function reasonsOf(rows: readonly (readonly [applies: boolean, ...Reason])[]): readonly Reason[] {
  return rows.filter(([applies]) => applies).map(([, ...reason]) => reason);
}

/** Actions as they are shown. */
export function actionsView(actions: Readonly<Record<string, readonly Reason[]>>) {
  return Object.entries(actions).map(([action, reasons]) => ({
    action,
    is_allowed: reasons.length === 0,
    ...(reasons.length === 0 ? {} : { reasons: reasons.map(([code, message]) => ({ code, message })) }),
  }));
}

/** @param what begins the message. @throws {Refusal} 422 if there is a reason against an action. */
export function requireAllowed(reasons: readonly Reason[], ...what: readonly string[]): void {
  if (reasons.length === 0) return;
  throw refusal(422, 'not_allowed', [...what, ...reasons.map(([, message]) => message)].join(' '));
}
