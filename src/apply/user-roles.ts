import { isSameSet } from '../api/user-properties.ts';
import { rolesByProperty } from '../api/user-shape.ts';
import type { Entry } from '../manifest/entry.ts';
import type { ServiceRecord } from '../records.ts';
import type { FieldChange } from './item.ts';
import { rolesField } from './unchangeable.ts';

/** What a record says of the roles that an entry wants. */
export interface RolesComparison {
  /** One for each property at which they differ. No operation changes roles of users. */
  readonly differing: readonly FieldChange[];
  readonly isUnread: boolean;
}

/**
 * Compares the roles of a user with those that an entry names, property by property; their order means nothing. A property
 * that the entry does not name has no roles, unless the entry takes the property itself away.
 *
 * @param idOf gives the id of a property that the entry names.
 */
export function compareRoles(
  { fields }: Pick<Entry, 'fields'>,
  user: ServiceRecord,
  idOf: (reference: string) => string = (reference) => reference,
): RolesComparison {
  const wanted = rolesByProperty(fields['property_roles'], idOf);
  if (wanted === undefined) return { differing: [], isUnread: false };
  const shown = rolesByProperty(user['property_roles']);
  if (shown === undefined) return { differing: [], isUnread: true };
  const { properties } = fields;
  const kept = Array.isArray(properties) ? new Set(properties.map((each) => idOf(String(each)))) : undefined;
  const others = [...shown.keys()].filter((id) => !wanted.has(id) && kept?.has(id) !== false);
  const pairs = [...wanted.keys(), ...others].map((id) => ({
    field: rolesField(id),
    from: shown.has(id) ? shown.get(id) : [],
    to: wanted.get(id) ?? [],
  }));
  return {
    differing: pairs.filter(({ from, to }) => from !== undefined && !isSameSet(from, to)),
    isUnread: pairs.some(({ from }) => from === undefined),
  };
}
