import { type Detail, detailsFor } from '../../errors.ts';
import { isRecord, type ServiceRecord } from '../../records.ts';

/** What may be done with a property now, as a service says it beside the record. */
interface Action {
  readonly name: string;
  readonly isAllowed: boolean;
  /** Why not, by the service's codes; nothing where it does not say. */
  readonly reasons: readonly Detail[];
}

/** The actions that a property shows; an entry that is none is left out. */
export function actionsIn({ actions }: ServiceRecord): readonly Action[] {
  return recordsIn(actions).flatMap(({ action: name, is_allowed: isAllowed, reasons }) =>
    typeof name === 'string' && typeof isAllowed === 'boolean'
      ? [{ name, isAllowed, reasons: recordsIn(reasons).flatMap((reason) => reasonIn(reason, name)) }]
      : [],
  );
}

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

/** A code alone says something too. */
function reasonIn({ code, message }: ServiceRecord, action: string): readonly Detail[] {
  const [name, text] = [code, message].map((each) => (typeof each === 'string' ? each : undefined));
  return text === undefined ? detailsFor(action, name) : [{ field: name ?? action, reason: text }];
}

function recordsIn(value: unknown): readonly ServiceRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
