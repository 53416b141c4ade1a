import { type Action, actionsIn } from '../../api/property-actions.ts';
import type { ServiceRecord } from '../../records.ts';

/** A property with its actions in words, a line for each; as it is where they are of another make. */
export function withActionsInWords(property: ServiceRecord): ServiceRecord {
  const actions = actionsIn(property);
  const names = new Set(actions.map(({ name }) => name));
  const isTold = Array.isArray(property['actions']) && names.size === property['actions'].length;
  if (!isTold || names.size === 0) return property;
  return { ...property, actions: Object.fromEntries(actions.map((each) => [each.name, inWords(each)])) };
}

function inWords({ isAllowed, reasons }: Action): string {
  if (isAllowed) return 'yes';
  return reasons.length === 0 ? 'no' : `no: ${reasons.map(({ reason }) => reason).join(' ')}`;
}
