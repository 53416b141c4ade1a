import { compareWanted, type Difference, propertySpec, stepOf } from '../model/diff.ts';
import { normalise } from '../model/fields.ts';
import { isFixedAt, languageMaps, timeFields } from '../model/property-fields.ts';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import type { Dialect } from '../service/dialect.ts';
import { bodyOf, type Entry } from './entry.ts';
import type { FieldChange } from './item.ts';

/**
 * Compares a property with an entry, field by field. Fields and languages that the entry does not name are ignored.
 *
 * @param record as `normalise` gives it, read in all languages that the entry has.
 * @param resent fields that are not shown and are sent again.
 */
export function compareProperty(
  entry: Pick<Entry, 'fields'>,
  record: ServiceRecord,
  dialect: Dialect,
  resent: readonly string[] = [],
) {
  const { code: _code, ...wanted } = normalise(bodyOf(entry));
  const found = compareWanted(wanted, record, propertySpec, dialect.shownIfSet);
  const isFixed = ({ path }: Difference) => isFixedAt(path, dialect.fixedFields);
  const isUnread = (each: Difference) =>
    each.state === 'unread' || (each.state === 'missing' && isFixed(each));
  // A field that is neither shown nor changeable is not reported.
  const isHidden = (each: Difference) => isFixed(each) && timeFields.includes(each.path[0] ?? '');
  const unread = found.filter((each) => isUnread(each) && !isHidden(each));
  const differing = found.filter((each) => each.state !== 'same' && !isUnread(each));
  const forced = unread.filter((each) => !isFixed(each) && resent.includes(each.path.join('.')));
  const written = [...differing.filter((each) => !isFixed(each)), ...forced];
  return {
    changes: written.map((each) => changeOf(each, nameOf(each, entry))),
    steps: written.map((each) => stepOf(each, propertySpec)),
    /** Wanted fields that the record does not show, named as in a manifest; without fields that are never shown. */
    unread: unread.filter((each) => !forced.includes(each)).map((each) => nameOf(each, entry)),
    /** Fixed fields that differ. */
    conflicts: differing.filter(isFixed).map((each) => changeOf(each, each.path.join('.'))),
  };
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

/** Whether a record shows the texts of a body in all of its languages, so that it need not be read in those languages. */
export function showsLanguagesOf(body: ServiceRecord, record: ServiceRecord): boolean {
  return textsOf(body).every(([field, map]) => {
    const shown = record[field];
    return isRecord(shown) && Object.keys(map).every((language) => Object.hasOwn(shown, language));
  });
}

/**
 * Whether a listed record shows all fields of a body, so that it need not be read alone. The times of day are never
 * shown; a field that is missing or null may still have a value.
 */
export function showsAll(body: ServiceRecord, record: ServiceRecord): boolean {
  const { code: _code, ...wanted } = normalise(body);
  const found = compareWanted(wanted, record, propertySpec);
  return found.every(
    ({ path, state }) => timeFields.includes(path.join('.')) || state === 'same' || state === 'different',
  );
}

/**
 * A listed record with all languages of a body's texts, if the list shows one text for all of them.
 *
 * @param languages the most for which one text is believed.
 */
export function withTexts(body: ServiceRecord, record: ServiceRecord, languages: number): ServiceRecord {
  const texts = textsOf(body).filter(([field]) => typeof record[field] === 'string');
  const isSame = texts.every(([field, map]) => {
    const values = Object.values(map);
    return values.length <= languages && values.includes(record[field]);
  });
  return texts.length > 0 && isSame ? { ...record, ...Object.fromEntries(texts) } : record;
}

/** A difference as plans show it. */
export function changeOf({ from, to, state }: Difference, field: string): FieldChange {
  return state === 'unread' ? { field, from, to, unread: true } : { field, from, to };
}

/** The dotted name of a field in a manifest; other fields are under `extra`. */
function nameOf({ path }: Difference, { fields }: Pick<Entry, 'fields'>): string {
  const [field = '', inner] = path;
  const isInside = field === 'location' && inner !== undefined;
  const [around, name] = isInside ? [fields[field], inner] : [fields, field];
  const isNamed = isRecord(around) && Object.hasOwn(around, name);
  return [...(isNamed ? [] : ['extra']), ...path].join('.');
}
