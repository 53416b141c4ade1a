import { compareWanted, type Difference, propertySpec, stepOf } from '../model/diff.ts';
import { normalise } from '../model/fields.ts';
import type { PatchStep } from '../model/patch.ts';
import { isFixedAt, languageMaps, timeFields } from '../model/property-fields.ts';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import { bodyOf } from './body.ts';
import type { Entry } from './entry.ts';
import type { FieldChange } from './item.ts';
import type { PlanDialect } from './plan-context.ts';

/** What a record says of the fields that an entry wants. */
export interface Comparison {
  readonly changes: readonly FieldChange[];
  readonly steps: readonly PatchStep[];
  /** Wanted fields that the record does not show, as a manifest names them; without those that are never shown. */
  readonly unread: readonly string[];
  /** Fixed fields that differ. */
  readonly conflicts: readonly FieldChange[];
}

/** How a property is compared. */
interface CompareOptions {
  /** Sends what is not shown as well, unless it is fixed. */
  readonly writeUnreadable: boolean;
  readonly dialect: PlanDialect;
}

/**
 * Compares a property with an entry, field by field. Fields and languages that the entry does not name are ignored.
 *
 * @param record as `normalise` gives it, read in all languages that the entry has.
 */
export function compareProperty(
  entry: Pick<Entry, 'fields'>,
  record: ServiceRecord,
  { writeUnreadable, dialect }: CompareOptions,
): Comparison {
  const { code: _code, ...wanted } = normalise(bodyOf(entry));
  const found = compareWanted(wanted, record, propertySpec, dialect.shownIfSet);
  const isFixed = ({ path }: Difference) => isFixedAt(path, dialect.fixedFields);
  const isUnread = (each: Difference) =>
    each.state === 'unread' || (each.state === 'missing' && isFixed(each));
  // What can be neither shown nor changed is no open question.
  const isHidden = (each: Difference) => isFixed(each) && timeFields.includes(each.path[0] ?? '');
  const unread = found.filter((each) => isUnread(each) && !isHidden(each));
  const differing = found.filter((each) => each.state !== 'same' && !isUnread(each));
  const forced = writeUnreadable ? unread.filter((each) => !isFixed(each)) : [];
  const written = [...differing.filter((each) => !isFixed(each)), ...forced];
  return {
    changes: written.map((each) => changeOf(each, nameOf(each, entry))),
    steps: written.map((each) => stepOf(each, propertySpec)),
    unread: unread.filter((each) => !forced.includes(each)).map((each) => nameOf(each, entry)),
    conflicts: differing.filter(isFixed).map((each) => changeOf(each, each.path.join('.'))),
  };
}

/**
 * The languages in which a property is read to be compared with a body: those of its texts, as a service may show only
 * what is asked for. A public service that leaves out a text says by that that there is none in the languages asked for,
 * so that all of them are.
 */
export function languagesOf(body: ServiceRecord, { allLanguages }: PlanDialect): readonly string[] {
  if (allLanguages !== undefined) return allLanguages;
  const maps = Object.entries(normalise(body)).filter(([field]) => languageMaps.has(field));
  return [...new Set(maps.flatMap(([, map]) => (isRecord(map) ? Object.keys(map) : [])))];
}

/** Whether a record shows all that a body has in some language, so that it need not be read in those languages. */
export function showsLanguagesOf(body: ServiceRecord, record: ServiceRecord): boolean {
  return Object.entries(normalise(body)).every(([field, map]) => {
    const shown = record[field];
    if (!languageMaps.has(field) || !isRecord(map)) return true;
    return isRecord(shown) && Object.keys(map).every((language) => Object.hasOwn(shown, language));
  });
}

/**
 * Whether a listed record shows all that a body has, so that it need not be read alone. The times of day are shown
 * nowhere; what is left out, or null, may still be there.
 */
export function showsAll(body: ServiceRecord, record: ServiceRecord): boolean {
  const { code: _code, ...wanted } = normalise(body);
  const found = compareWanted(wanted, record, propertySpec);
  return found.every(
    ({ path, state }) => timeFields.includes(path.join('.')) || state === 'same' || state === 'different',
  );
}

/**
 * A listed record with all languages of a body's texts, where the list shows one text for all of them.
 *
 * @param isKnown whether one of the texts of a map tells the others.
 */
export function withTexts(
  body: ServiceRecord,
  record: ServiceRecord,
  isKnown: (map: ServiceRecord) => boolean,
): ServiceRecord {
  const texts = Object.entries(normalise(body)).filter(
    ([field, map]) => languageMaps.has(field) && isRecord(map) && typeof record[field] === 'string',
  );
  const isSame = ([field, map]: readonly [string, unknown]) =>
    isRecord(map) && Object.values(map).includes(record[field]) && isKnown(map);
  return texts.length > 0 && texts.every(isSame) ? { ...record, ...Object.fromEntries(texts) } : record;
}

/** A difference as plans show it. */
export function changeOf({ from, to, state }: Difference, field: string): FieldChange {
  return state === 'unread' ? { field, from, to, unread: true } : { field, from, to };
}

/** With dots between names; what a manifest does not name itself stands under its `extra`. */
function nameOf({ path }: Difference, { fields }: Pick<Entry, 'fields'>): string {
  const [field = '', inner] = path;
  const isInside = field === 'location' && inner !== undefined;
  const [around, name] = isInside ? [fields[field], inner] : [fields, field];
  const isNamed = isRecord(around) && Object.hasOwn(around, name);
  return [...(isNamed ? [] : ['extra']), ...path].join('.');
}
