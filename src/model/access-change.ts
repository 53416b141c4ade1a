import {
  adminFlag,
  isAdminFlag,
  isGiving,
  placedRoles,
  plain,
  rolesByProperty,
  shownProperties,
} from './access.ts';
import { changesNothing, type PatchStep, pathsChangedBy, segmentsOf } from './patch.ts';
import { isRecord, type ServiceRecord } from './records.ts';

/** What an update of a user changes. */
export interface UserChanges {
  /** Properties the user gains; those the user has stay. */
  readonly addProperties?: readonly string[] | undefined;
  /** Properties the user loses; the others stay. */
  readonly removeProperties?: readonly string[] | undefined;
  /** Everything else, as a patch: `add` at /properties sets all of them. */
  readonly steps: readonly PatchStep[];
}

/** Fields of a user that decide about access. */
export type AccessField = 'enabled' | 'isaccountadmin' | 'properties';

/** What an update does to the properties of a user. */
export type PropertyChange = ReturnType<typeof propertyChange>;

/**
 * What steps may take away: they disable or demote if they set the field to false, and may do so if they touch it with
 * anything but a plain `replace true`. Services differ in how they read letter case, underscores and extra slashes, so every
 * spelling of the path counts.
 *
 * @returns `undefined` if nothing is reduced.
 */
export function reductionBy(steps: readonly PatchStep[]) {
  const [disables, demotes] = [certaintyOf(steps, 'enabled'), certaintyOf(steps, 'isaccountadmin')];
  return disables === undefined && demotes === undefined ? undefined : { disables, demotes };
}

/** Whether steps may make the user an account admin. */
export function givesFullAccess(steps: readonly PatchStep[]): boolean {
  return steps.some((step) => {
    const isTouched = pathsOf(step).some((place) => leadsTo(place, 'isaccountadmin'));
    if (!isTouched || step.op === 'remove') return false;
    if (!('value' in step)) return leadsTo(placeOf(step.path), 'isaccountadmin');
    const { value } = step;
    if (placeOf(step.path).length > 0) return isGiving(value);
    return (
      isRecord(value) && Object.entries(value).some(([name, each]) => isAdminFlag(name) && isGiving(each))
    );
  });
}

/** Whether an update changes properties. */
export function touchesProperties(changes: UserChanges): boolean {
  const { addProperties, removeProperties, steps } = changes;
  return (addProperties ?? removeProperties) !== undefined || steps.some(isAtProperties);
}

/**
 * What an update adds to and removes from the properties that a record shows.
 *
 * @param record the user, alone or as listed, its known fields in snake_case; `undefined` if it was not read.
 */
export function propertyChange(record: ServiceRecord | undefined, changes: UserChanges) {
  const { addProperties = [], removeProperties = [] } = changes;
  const before = record && shownProperties(record);
  const set = changes.steps.reduce<Ids>(afterStep, before);
  const after = set && [...set.filter((id) => !removeProperties.includes(id)), ...addProperties];
  const isTouched = changes.steps.some(isAtProperties);
  const added = (after ?? addProperties).filter((id) => before !== undefined && !before.includes(id));
  const removed = before?.filter((id) => after !== undefined && !after.includes(id)) ?? removeProperties;
  return {
    added: [...new Set(added)],
    removed: [...new Set(removed)],
    /** The roles at removed properties, as far as shown. The API cannot restore them. */
    removedRoles: removed.flatMap((id) => {
      const roles = (record && rolesAt(record, id)) ?? [];
      return roles.length === 0 ? [] : [{ id, roles }];
    }),
    /** Whether others may be removed too: the user was not read, or a step is ambiguous. */
    isOpen: isTouched && (before === undefined || after === undefined),
  };
}

/** Whether a record already shows all that an update would write; properties are a set. */
export function isDone(record: ServiceRecord, changes: UserChanges): boolean {
  const { added, removed, isOpen } = propertyChange(record, changes);
  if (isOpen || added.length + removed.length > 0) return false;
  const others = changes.steps.filter(
    ({ op, path }) => path !== '/properties' || (op !== 'add' && op !== 'replace'),
  );
  return changesNothing(record, others);
}

/**
 * The properties at which a user has no role, and therefore sees nothing; empty if the record shows no roles, or not yet
 * the property. Account admins need no role.
 */
export function withoutRoles(record: ServiceRecord, ids: readonly string[]): readonly string[] {
  if (record[adminFlag] === true) return [];
  const shown = shownProperties(record);
  return ids.filter((id) => shown.includes(id) && rolesAt(record, id)?.length === 0);
}

/** Properties that an update adds, and at which the user will have no role, as far as the record shows roles. */
export function rolelessAfter(record: ServiceRecord, changes: UserChanges): readonly string[] {
  const { steps } = changes;
  const isAdmin = record[adminFlag] === true || givesFullAccess(steps);
  if (isAdmin || reductionBy(steps)?.disables === 'surely') return [];
  return propertyChange(record, changes).added.filter((id) => rolesAt(record, id)?.length === 0);
}

/** Ids of properties; `undefined` if unknown. */
type Ids = readonly string[] | undefined;

/** The roles at a property, empty if the record shows only those of others; `undefined` if it shows no roles. */
export function rolesAt(record: ServiceRecord, id: string): readonly string[] | undefined {
  const roles = rolesByProperty(record[placedRoles]);
  return roles && (roles.get(id) ?? []);
}

/** The properties after a step; `undefined` after an ambiguous one. */
function afterStep(before: Ids, step: PatchStep): Ids {
  if (!isAtProperties(step)) return before;
  const [first, place, ...inner] = placeOf(step.path);
  if (first === undefined || inner.length > 0 || 'from' in step) return undefined;
  const value = step.op === 'remove' ? undefined : step.value;
  if (place !== undefined) return before && afterEntry(before, place, step.op, value);
  if (step.op === 'remove') return [];
  return Array.isArray(value) && value.every((id) => typeof id === 'string') ? value : undefined;
}

function afterEntry(before: readonly string[], place: string, op: PatchStep['op'], value: unknown): Ids {
  const isEnd = place === '-' && op === 'add';
  const at = isEnd ? before.length : /^\d+$/.test(place) ? Number(place) : undefined;
  if (at === undefined || at > before.length) return undefined;
  if (op === 'remove') return before.toSpliced(at, 1);
  if (typeof value !== 'string') return undefined;
  return before.toSpliced(at, op === 'replace' ? 1 : 0, value);
}

function isAtProperties(step: PatchStep): boolean {
  return pathsOf(step).some((place) => leadsTo(place, 'properties'));
}

/** Whether an effect is certain, or depends on how the service reads the step. */
function certaintyOf(steps: readonly PatchStep[], field: AccessField): 'surely' | 'maybe' | undefined {
  const touching = steps.filter((step) => pathsOf(step).some((place) => leadsTo(place, field)));
  const reducing = touching.filter((step) => !(step.op === 'replace' && writtenValue(step, field) === true));
  if (reducing.length === 0) return undefined;
  return reducing.some((step) => writtenValue(step, field) === false) ? 'surely' : 'maybe';
}

/** What a step writes as the whole value of a field, or `undefined`. */
export function writtenValue(step: PatchStep, field: AccessField): unknown {
  if (step.op !== 'add' && step.op !== 'replace') return undefined;
  const [first, ...rest] = placeOf(step.path);
  return first !== undefined && rest.length === 0 && plain(first) === field ? step.value : undefined;
}

function pathsOf(step: PatchStep): readonly (readonly string[])[] {
  return pathsChangedBy(step).map(placeOf);
}

/** The whole record contains each of its fields. */
function leadsTo([first]: readonly string[], field: AccessField): boolean {
  return first === undefined || plain(first) === field;
}

function placeOf(pointer: string): readonly string[] {
  return segmentsOf(pointer).filter((segment) => segment.trim() !== '');
}
