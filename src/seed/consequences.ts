import { invitesAdmin } from '../model/access.ts';
import { givesFullAccess, type PropertyChange, propertyChange, reductionBy } from '../model/access-change.ts';
import type { PatchStep } from '../model/patch.ts';
import { emailOf } from '../service/find-user.ts';
import type { Item } from './item.ts';

/** The items of a plan that need consent, each list in the order of the plan. */
export interface Consequences {
  readonly deletes: readonly Item[];
  readonly disables: readonly Item[];
  readonly givesFullAccess: readonly Item[];
  readonly takesFullAccess: readonly Item[];
  readonly takesProperties: readonly Item[];
}

export function consequencesOf(items: readonly Item[]): Consequences {
  const reducing = items.filter(({ kind }) => kind === 'user');
  return {
    deletes: items.filter(({ action }) => action === 'delete'),
    disables: reducing.filter(({ steps }) => reductionBy(steps)?.disables !== undefined),
    givesFullAccess: items.filter(makesAdmin),
    takesFullAccess: reducing.filter(({ steps }) => reductionBy(steps)?.demotes !== undefined),
    takesProperties: reducing.filter((item) => takesAway(accessChangeOf(item))),
  };
}

/** How many rows --max-deletes has to allow. */
export function deletesIn({ deletes, disables }: Consequences): number {
  return deletes.length + disables.length;
}

/** Whether an item makes or invites an account admin. */
export function makesAdmin({ kind, action, body = {}, steps }: Item): boolean {
  if (kind === 'invitation') return action === 'create' && invitesAdmin(body);
  return kind === 'user' && givesFullAccess(steps);
}

/**
 * How an item changes the properties of a user; `undefined` if it does not.
 *
 * @param steps as they are sent, with ids instead of codes.
 */
export function accessChangeOf(
  { kind, record, ...item }: Pick<Item, 'kind' | 'record' | 'steps'>,
  steps: readonly PatchStep[] = item.steps,
): PropertyChange | undefined {
  if (kind !== 'user' || !steps.some(({ path }) => path === '/properties')) return undefined;
  return propertyChange(record, { steps });
}

/** The person of an item: the e-mail address, if the service shows one. */
export function titleOfPerson({ name, record = {} }: Item): string {
  return emailOf(record) ?? name;
}

function takesAway(change: PropertyChange | undefined): boolean {
  return change !== undefined && (change.removed.length > 0 || change.isOpen);
}
