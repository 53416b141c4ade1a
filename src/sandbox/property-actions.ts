import type { PropertyRecord } from './records.ts';
import { refusal } from './refusal.ts';

/** The status that an action needs, and the code of the reason why it is not allowed. */
const needs = {
  Delete: ['Test', 'DeleteNotAllowedForPropertyNotInStatusTest'],
  Archive: ['Live', 'ArchiveNotAllowedForPropertyNotInStatusLive'],
  SetLive: ['Test', 'SetToLiveNotAllowedForPropertyNotInStatusTest'],
  Reset: ['Test', 'ResetNotAllowedForPropertyNotInStatusTest'],
} as const;

type Action = keyof typeof needs;

/** The actions on a property, each with the reason why it is not allowed. */
export function actionsOf(property: PropertyRecord) {
  // The keys of the table are the actions by definition.
  return (Object.keys(needs) as Action[]).map((action) => {
    const reason = reasonAgainst(action, property);
    return reason === undefined
      ? { action, is_allowed: true }
      : { action, is_allowed: false, reasons: [reason] };
  });
}

/** @throws {Refusal} 422 with the reason why the action is not allowed. */
export function requireAction(action: Action, property: PropertyRecord): void {
  const reason = reasonAgainst(action, property);
  if (reason === undefined) return;
  const { id, status } = property;
  const state = property.is_archived ? 'archived' : status;
  throw refusal(422, 'not_allowed', `The property ${id} is ${state}. ${reason.message}`);
}

function reasonAgainst(action: Action, { status, is_archived: isArchived }: PropertyRecord) {
  if (action === 'Archive' && isArchived)
    return {
      code: 'ArchiveNotAllowedForPropertyWhichIsAlreadyArchived',
      message: 'It is archived already.',
    };
  const [needed, code] = needs[action];
  if (status === needed) return undefined;
  return { code, message: `Only a property in status ${needed} allows this.` };
}
