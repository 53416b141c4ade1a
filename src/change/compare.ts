import { bodyOf, type Entry } from '../files/entry.ts';
import {
  adminFlag,
  newerRoles,
  placedRoles,
  rolesByProperty,
  rolesOf,
  shownProperties,
} from '../model/access.ts';
import { compareWanted, type Difference, stepOf } from '../model/diff.ts';
import { isFixedAt } from '../model/field-values.ts';
import { normalise } from '../model/fields.ts';
import {
  type Field,
  fieldOf,
  type InventoryKind,
  kindTable,
  languageMaps,
  namesOf,
  namesOfType,
  timeFields,
} from '../model/kinds.ts';
import { includes, pointerTo } from '../model/patch.ts';
import { isRecord, isSameSet, recordsIn, type ServiceRecord, valueAt } from '../model/records.ts';
import type { Dialect } from '../service/dialect.ts';
import { type FieldChange, linkKey, rolesField } from './item.ts';
import { idIn } from './listing.ts';
import type { Links } from './named.ts';

/**
 * Compares a property with an entry, field by field. Fields and languages that the entry does not name are ignored.
 *
 * @param record as `normalise` gives it, read in all languages that the entry has.
 * @param resent times of day that are sent again although no service shows them.
 */
export function compareProperty(
  entry: Pick<Entry, 'fields'>,
  record: ServiceRecord,
  dialect: Dialect,
  resent: readonly string[] = [],
) {
  const { code: _code, ...wanted } = normalise(bodyOf(entry));
  const isFixed = ({ path }: Difference) => isFixedAt(path, dialect.fixedFields);
  const isKnown = (each: Difference) =>
    !isNeverShown(each) || (resent.includes(each.path.join('.')) && !isFixed(each));
  const meansSame = ({ path, from, to }: Difference) =>
    fieldOf('property', path.join('.'))?.isSame?.(String(from), String(to));
  const differing = compareWanted(wanted, record).filter(
    (each) => each.state !== 'same' && isKnown(each) && !meansSame(each),
  );
  const written = differing.filter((each) => !isFixed(each));
  return {
    changes: written.map((each) => changeOf(each, nameOf(each, entry))),
    steps: written.map((each) => stepOf(each, 'property')),
    /** Fixed fields that differ. */
    cannotChange: differing.filter(isFixed).map((each) => changeOf(each, each.path.join('.'))),
  };
}

/** A time of day: no service shows it. */
function isNeverShown({ path, state }: Difference): boolean {
  return state === 'missing' && timeFields.includes(path.join('.'));
}

/**
 * The languages to request for a comparison with a body: those of its texts, because a service may show only the requested
 * ones. All languages if the dialect has them: then a missing text does not exist.
 */
export function languagesOf(body: ServiceRecord, { allLanguages }: Dialect): readonly string[] {
  return allLanguages ?? [...new Set(textsOf(body).flatMap(([, map]) => Object.keys(map)))];
}

/** The texts of a body that are in languages, each field with its map. */
function textsOf(body: ServiceRecord): readonly (readonly [field: string, map: ServiceRecord])[] {
  return Object.entries(normalise(body)).flatMap(([field, map]) =>
    languageMaps.has(field) && isRecord(map) ? [[field, map] as const] : [],
  );
}

/**
 * Whether a listed record shows all fields of a body, so that it need not be read alone: a read may show more than a list. The
 * times of day are never shown.
 */
export function showsAll(body: ServiceRecord, record: ServiceRecord): boolean {
  const { code: _code, ...wanted } = normalise(body);
  return compareWanted(wanted, record).every((each) => each.state !== 'missing' || isNeverShown(each));
}

/** A listed record with all languages of a body's texts, if the list shows one of them as the only text. */
export function withTexts(body: ServiceRecord, record: ServiceRecord): ServiceRecord {
  const texts = textsOf(body).filter(([field]) => typeof record[field] === 'string');
  const isSame = texts.every(([field, map]) => Object.values(map).includes(record[field]));
  return isSame ? { ...record, ...Object.fromEntries(texts) } : record;
}

/** A difference as plans show it. */
function changeOf({ from, to }: Difference, field: string): FieldChange {
  return { field, from, to };
}

/** The dotted name of a field in a manifest; other fields are under `extra`. */
function nameOf({ path }: Difference, { fields }: Pick<Entry, 'fields'>): string {
  const [field = '', inner] = path;
  const isInside = field === 'location' && inner !== undefined;
  const [around, name] = isInside ? [fields[field], inner] : [fields, field];
  const isNamed = isRecord(around) && Object.hasOwn(around, name);
  return [...(isNamed ? [] : ['extra']), ...path].join('.');
}

/** The fields of a user that an entry states; not which user it is, nor the roles. */
function givenIn({ fields }: Entry): readonly string[] {
  return namesOf(
    'user',
    ({ name, isFixed }) => isFixed !== true && (fields[name] ?? undefined) !== undefined,
  );
}

/** Whether the list shows all fields of an entry, so that the user need not be read alone. */
export function showsUser(entry: Entry, user: ServiceRecord): boolean {
  return [...givenIn(entry), ...namesOfType('roles')].every(
    (field) => (entry.fields[field] ?? undefined) === undefined || user[field] !== undefined,
  );
}

/**
 * Compares a user with an entry.
 *
 * @param ids of the properties that it names.
 * @param idOf the id of one of them.
 */
export function compareUser(
  entry: Entry,
  user: ServiceRecord,
  ids: readonly string[] = [],
  idOf?: (reference: string) => string,
) {
  const wanted: ServiceRecord = { ...entry.fields, properties: ids };
  const given = Object.fromEntries(givenIn(entry).map((field) => [field, wanted[field]]));
  const shown = { ...user, properties: shownProperties(user) };
  const differing = compareWanted(given, shown).filter(({ state }) => state !== 'same');
  return {
    changes: differing.map((each) => changeOf(each, each.path.join('.'))),
    steps: differing.map((each) => ({ ...stepOf(each, 'user'), path: pointerTo(...each.path) })),
    cannotChange: compareRoles(entry, user, idOf),
  };
}

/**
 * Compares the roles of a user with those of an entry, property by property, ignoring their order. The entry wants no roles at
 * a property that it does not name, unless it removes the property itself.
 *
 * @param idOf the id of a property that the entry names.
 * @returns one for each property with a difference, as far as the service shows roles; no operation changes roles of users.
 */
function compareRoles(
  { fields }: Pick<Entry, 'fields'>,
  user: ServiceRecord,
  idOf: (reference: string) => string = (reference) => reference,
): readonly FieldChange[] {
  const wanted = rolesByProperty(fields[placedRoles], idOf);
  const shown = rolesByProperty(user[placedRoles]);
  if (wanted === undefined || shown === undefined) return [];
  const { properties } = fields;
  const kept = Array.isArray(properties) ? new Set(properties.map((each) => idOf(String(each)))) : undefined;
  const others = [...shown.keys()].filter((id) => !wanted.has(id) && kept?.has(id) !== false);
  const pairs = [...wanted.keys(), ...others].map((id) => ({
    field: rolesField(id),
    from: shown.get(id) ?? [],
    to: wanted.get(id) ?? [],
  }));
  return pairs.filter(({ from, to }) => !isSameSet(from, to));
}

/**
 * Compares a listed invitation with an entry. Of an account admin only the flag counts, because the service ignores the rest.
 *
 * @param ids of the properties that it names.
 * @param takesRoles whether the dialect has several roles; if it has one, roles under `extra` are not compared, and others may be
 *   listed with it.
 * @returns the fields that differ.
 */
export function compareInvitation(
  entry: Entry,
  record: ServiceRecord,
  ids: readonly string[] = [],
  takesRoles: boolean,
): readonly string[] {
  const { role, roles, [adminFlag]: isAdmin } = bodyOf(entry);
  const differs = (record[adminFlag] ?? false) === (isAdmin === true) ? [] : [adminFlag];
  if (isAdmin === true) return differs;
  const wanted = rolesOf(takesRoles ? { role, roles } : { role });
  const shown: readonly unknown[] = rolesOf(record);
  const hasMore = wanted.length > 0 && takesRoles && newerRoles(record).length > wanted.length;
  const areSame = !hasMore && wanted.every((name) => shown.includes(name));
  return [
    ...(areSame ? [] : ['role']),
    ...(includes(record['properties'] ?? [], ids) ? [] : ['properties']),
    ...differs,
  ];
}

/**
 * Compares what an entry wants of inventory with a record. Fields and languages that the entry does not name are ignored.
 *
 * @param links what the names in the entry stand for.
 */
export function compareInventory({ kind, fields }: Entry, record: ServiceRecord, links: Links) {
  // The record was found by these.
  const found = ['property', kind === 'unit_group' ? 'code' : 'name'];
  const named = kindTable[kind].fields.filter(
    ({ name }) => fields[name] !== undefined && !found.includes(name),
  );
  const differing = named.flatMap((field) =>
    differencesIn(field, fields[field.name], record, links).map((change) => ({ change, field })),
  );
  const changed = differing.filter(({ field }) => field.isFixed !== true);
  return {
    changes: changed.map(({ change }) => change),
    /** Fields that differ and are fixed after creation. */
    cannotChange: differing.filter(({ field }) => field.isFixed).map(({ change }) => change),
    /** The fields to change, as the entry has them. */
    body: Object.fromEntries(changed.map(({ field: { name } }) => [name, fields[name]])),
  };
}

/** What differs from the wanted value of a field: for texts, in each language. */
function differencesIn(
  { name: field, type, of, shownAt = [field] }: Field,
  wanted: unknown,
  record: ServiceRecord,
  links: Links,
): readonly FieldChange[] {
  const shown = valueAt(record, shownAt);
  const unless = (isSame: boolean, from: unknown, to: unknown = wanted) =>
    isSame ? [] : [{ field, from, to }];
  const idOf = (name: unknown) => {
    const link = links.get(linkKey(field, String(name)));
    return link !== undefined && 'id' in link ? link.id : undefined;
  };
  if (type === 'list') {
    const [from, to] = [recordsIn(shown), [wanted].flat()];
    const titles = from.map(({ name, id }) => (typeof name === 'string' ? name : String(id)));
    return unless(isSameSet(from.map(idIn), to.map(idOf)), titles, to);
  }
  if (type === 'counts' && isRecord(wanted)) {
    const from = recordsIn(shown).map((each) => `${idIn(each)}=${each['member_count']}`);
    const to = Object.entries(wanted);
    const ids = to.map(([name, count]) => `${idOf(name)}=${count}`);
    const pairs = to.map((pair) => pair.join('='));
    return unless(isSameSet(from, ids), from, pairs);
  }
  if (isRecord(wanted))
    return Object.entries(wanted).flatMap(([language, to]) => {
      const from = isRecord(shown) ? shown[language] : undefined;
      return from === to ? [] : [{ field: `${field}.${language}`, from, to }];
    });
  const isSame = shown !== undefined && shown === (of === undefined ? wanted : idOf(wanted));
  const code = of === undefined ? undefined : valueAt(record, [...shownAt.slice(0, -1), 'code']);
  return unless(isSame, code ?? shown);
}

/** What a record of inventory shows that people set; not whether it is clean or occupied, or what it counts. */
export function shownInventory(kind: InventoryKind, record: ServiceRecord): ServiceRecord {
  const fields = kindTable[kind].fields.filter(({ shownAt: [outer] = [] }) => outer !== 'status');
  const paths = [['id'], ...fields.map(({ name, shownAt }) => shownAt ?? [name])];
  const values = paths.map((path) => [path.join('.'), valueAt(record, path)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}
