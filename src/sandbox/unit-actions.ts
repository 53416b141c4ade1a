import type { Records, UnitRecord } from './records.ts';
import { refusal } from './refusal.ts';
import { wholeOf } from './unit-rules.ts';

/** Why an action is not allowed, as the service codes it. */
type Reason = readonly [code: string, message: string];

type Action = 'Delete' | 'Archive';

/** The actions on a unit, each with the reasons why it is not allowed. */
export function actionsOfUnit(unit: UnitRecord, records: Records, now: number) {
  return (['Delete', 'Archive'] as const).map((action) => {
    const reasons = reasonsAgainst(action, unit, records, now);
    return {
      action,
      is_allowed: reasons.length === 0,
      ...(reasons.length === 0 ? {} : { reasons: reasons.map(([code, message]) => ({ code, message })) }),
    };
  });
}

/** @throws {Refusal} 422 with the reasons why the action is not allowed. */
export function requireAction(action: Action, unit: UnitRecord, records: Records, now: number): void {
  const reasons = reasonsAgainst(action, unit, records, now);
  if (reasons.length === 0) return;
  throw refusal(422, 'not_allowed', reasons.map(([, message]) => message).join(' '));
}

function reasonsAgainst(action: Action, unit: UnitRecord, records: Records, now: number) {
  const ofDeletion = reasonsAgainstDelete(unit, records);
  return action === 'Delete'
    ? ofDeletion
    : reasonsAgainstArchive(unit, records, now, ofDeletion.length === 0);
}

function reasonsAgainstDelete(unit: UnitRecord, records: Records): readonly Reason[] {
  const { id, archived, is_occupied, is_referenced } = unit;
  if (archived !== undefined) return [['DeleteNotAllowedOnArchivedUnit', `The unit ${id} is archived.`]];
  const reasons: Reason[] = [];
  if (is_occupied || is_referenced)
    reasons.push(['DeleteNotAllowedBecauseUnitIsReferenced', `Reservations refer to the unit ${id}.`]);
  const whole = wholeOf(id, records);
  if (whole !== undefined)
    reasons.push([
      'DeleteNotAllowedBecauseUnitIsPartOfConnectingUnit',
      `The unit ${id} is part of the unit ${whole.id}.`,
    ]);
  if (wasPartOfArchived(id, records))
    reasons.push([
      'DeleteNotAllowedBecauseUnitWasPartOfArchivedCombinedUnit',
      `The unit ${id} was part of a unit that is archived.`,
    ]);
  return reasons;
}

function reasonsAgainstArchive(
  { id, archived, is_occupied, maintenance }: UnitRecord,
  records: Records,
  now: number,
  canBeDeleted: boolean,
): readonly Reason[] {
  if (archived !== undefined) return [['UnitAlreadyArchived', `The unit ${id} is archived already.`]];
  const reasons: Reason[] = [];
  if (canBeDeleted)
    reasons.push(['ArchiveNotAllowedBecauseUnitCanBeDeleted', `The unit ${id} can be deleted.`]);
  if (is_occupied)
    reasons.push([
      'ArchiveNotAllowedBecauseAssignedToInHouseReservation',
      `A guest is staying in the unit ${id}.`,
    ]);
  if (maintenance !== undefined && Date.parse(maintenance.to) > now)
    reasons.push([
      'ArchiveNotAllowedBecauseLinkedToActiveOrFutureMaintenance',
      `A maintenance of the unit ${id} is not over.`,
    ]);
  if (wholeOf(id, records) !== undefined)
    reasons.push([
      'ArchiveNotAllowedBecausePartOfCombinedInventory',
      `The unit ${id} is part of another unit.`,
    ]);
  return reasons;
}

function wasPartOfArchived(id: string, { units }: Records): boolean {
  return [...units.values()].some(
    ({ connected_units: parts, archived }) => archived !== undefined && parts.includes(id),
  );
}
