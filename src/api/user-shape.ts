import { isRecord, type ServiceRecord } from '../records.ts';

/** What a user may do at one property. */
interface Access extends ServiceRecord {
  readonly id: string;
}

/**
 * A user in the shape in which one is read alone: `properties` are ids, `property_roles` are `{id, roles}`. In lists
 * the public service gives the properties as `{id, roles}` instead.
 *
 * What cannot be read stays as it is: properties without ids, roles that are no list. A field that is not shown is not
 * invented; but no properties means no roles. An entry that says no more than its id gives no `property_roles`. Roles
 * that stand in both fields are united.
 *
 * @param user as `normalise` gives it.
 */
export function inOneShape(user: ServiceRecord): ServiceRecord {
  const { properties, property_roles: shown } = user;
  if (!Array.isArray(properties)) return user;
  if (properties.length === 0) return shown === undefined || shown === null ? withRoles(user, [], []) : user;
  const listed = properties.filter(isAccess);
  const isReadable = properties.every((each) => typeof each === 'string' || isAccess(each));
  if (listed.length === 0 || !isReadable) return user;
  const apart = shown ?? [];
  if (!Array.isArray(apart) || !apart.every(isAccess)) return user;
  const ids = [...new Set(properties.map((each: string | Access) => (isAccess(each) ? each.id : each)))];
  const told = listed.filter((entry) => Object.keys(entry).length > 1);
  if (apart.length + told.length === 0) return { ...user, properties: ids };
  return withRoles(user, ids, united([...apart, ...told]));
}

/** The fields keep their places; roles that had none come last. */
function withRoles(
  user: ServiceRecord,
  properties: readonly string[],
  roles: readonly Access[],
): ServiceRecord {
  return { ...user, properties, property_roles: roles };
}

function isAccess(entry: unknown): entry is Access {
  return isRecord(entry) && typeof entry['id'] === 'string';
}

/** One entry for each property; of fields that are there twice the first stays, but lists of roles are united. */
function united(entries: readonly Access[]): readonly Access[] {
  const byId = new Map<string, Access[]>();
  for (const entry of entries) {
    const own = byId.get(entry.id);
    if (own === undefined) byId.set(entry.id, [entry]);
    else own.push(entry);
  }
  return [...byId].map(([id, own]) => {
    const fields = Object.fromEntries(own.toReversed().flatMap((entry) => Object.entries(entry)));
    return { ...fields, id, ...rolesOf(own) };
  });
}

function rolesOf(entries: readonly Access[]): ServiceRecord {
  const shown = entries.map(({ roles }) => roles ?? undefined).filter((roles) => roles !== undefined);
  if (entries.length === 1 || shown.length === 0) return {};
  // What cannot be read stays in sight.
  const odd = shown.find((roles) => !Array.isArray(roles));
  return { roles: odd ?? [...new Set(shown.flat())] };
}

/**
 * The roles of a list of `{id, roles}` by the ids, `undefined` for those that cannot be read; `undefined` where it is no
 * such list. Roles of one property that stand in several entries are united.
 *
 * @param idOf gives the id that an entry means.
 */
export function rolesByProperty(
  list: unknown,
  idOf = (id: string) => id,
): ReadonlyMap<string, readonly string[] | undefined> | undefined {
  if (!Array.isArray(list) || !list.every(isAccess)) return undefined;
  const found = united(list.map((entry) => ({ ...entry, id: idOf(entry.id) })));
  return new Map(
    found.map(({ id, roles }) => {
      const isReadable = Array.isArray(roles) && roles.every((role) => typeof role === 'string');
      return [id, isReadable ? roles : undefined];
    }),
  );
}
