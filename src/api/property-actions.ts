import { type Detail, detailsFor } from '../errors.ts';
import { isRecord, type ServiceRecord } from '../records.ts';

/** More reasons nobody reads. */
const MOST_REASONS = 20;

/** What may be done with a property now, as a service says it beside the record. */
export interface Action {
  readonly name: string;
  readonly isAllowed: boolean;
  /** Why not, by the service's codes; nothing where it does not say. */
  readonly reasons: readonly Detail[];
}

/**
 * The actions that a property shows; an entry that is none is left out.
 *
 * @param property as `normalise` gives it.
 */
export function actionsIn({ actions }: ServiceRecord): readonly Action[] {
  return recordsIn(actions).flatMap(({ action: name, is_allowed: isAllowed, reasons }) =>
    typeof name === 'string' && typeof isAllowed === 'boolean'
      ? [{ name, isAllowed, reasons: recordsIn(reasons).flatMap((reason) => reasonIn(reason, name)) }]
      : [],
  );
}

/**
 * Why the service would not delete a property, with 20 reasons at most and each as long as it came; `undefined` where it
 * would, or does not say.
 */
export function reasonsAgainstDeletion(property: ServiceRecord): readonly Detail[] | undefined {
  const deletion = actionsIn(property).find(({ name }) => name.toLowerCase() === 'delete');
  return deletion?.isAllowed === false ? deletion.reasons.slice(0, MOST_REASONS) : undefined;
}

/** A code alone says something too. */
function reasonIn({ code, message }: ServiceRecord, action: string): readonly Detail[] {
  const [name, text] = [code, message].map((each) => (typeof each === 'string' ? each : undefined));
  return text === undefined ? detailsFor(action, name) : [{ field: name ?? action, reason: text }];
}

function recordsIn(value: unknown): readonly ServiceRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
