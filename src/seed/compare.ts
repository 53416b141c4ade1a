import { normalise } from '../model/fields.ts';
import { includes, type PatchStep, pointerTo } from '../model/patch.ts';
import { camelCase, isFixedAt, timeFields } from '../model/property-fields.ts';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import { languageMaps } from '../service/properties.ts';
import { bodyOf } from './body.ts';
import type { Entry } from './entry.ts';
import type { FieldChange, PlanDialect } from './item.ts';

/** What a record says of the fields that an entry wants. */
export interface Comparison {
  readonly changes: readonly FieldChange[];
  readonly steps: readonly PatchStep[];
  /** Wanted fields that the record does not show, as a manifest names them; without those that are hidden for good. */
  readonly unread: readonly string[];
  /** Fields that are written once, and differ: it can never be made so. */
  readonly conflicts: readonly FieldChange[];
}

/** One value that is wanted, and what stands in its place. */
interface Sight {
  readonly path: readonly string[];
  readonly wanted: unknown;
  readonly seen: unknown;
  /** `missing`: the record shows what is around it, and nothing in its place. */
  readonly state: 'same' | 'different' | 'missing' | 'unread';
}

/** How a property is compared. */
interface CompareOptions {
  /** Sends what is not shown as well, where it can be changed at all. */
  readonly writeUnreadable: boolean;
  readonly dialect: PlanDialect;
}

const nothing: ReadonlySet<string> = new Set();

/** Objects whose fields are known, and no languages. */
const nested: ReadonlySet<string> = new Set(['location', 'bank_account']);

/**
 * Compares a property with what an entry wants, field by field. Fields and languages that the entry does not name are
 * left alone.
 *
 * @param record as `normalise` gives it, read in all languages that the entry has.
 */
export function compareProperty(
  entry: Pick<Entry, 'fields'>,
  record: ServiceRecord,
  { writeUnreadable, dialect }: CompareOptions,
): Comparison {
  const { code: _code, ...wanted } = normalise(bodyOf(entry));
  const shownIfSet = fieldsShownIfSet(dialect);
  const sights = Object.entries(wanted).flatMap(([field, value]) =>
    sightsAt([field], value, record, shownIfSet),
  );
  const isFixed = ({ path }: Sight) => isFixedAt(path, dialect.fixedFields);
  const isUnread = (sight: Sight) =>
    sight.state === 'unread' || (sight.state === 'missing' && isFixed(sight));
  // Nobody can ever show or change them, so that they leave nothing open.
  const isHidden = (sight: Sight) => isFixed(sight) && timeFields.includes(sight.path[0] ?? '');
  const unread = sights.filter((sight) => isUnread(sight) && !isHidden(sight));
  const differing = sights.filter((sight) => sight.state !== 'same' && !isUnread(sight));
  const forced = writeUnreadable ? unread.filter((sight) => !isFixed(sight)) : [];
  const written = [...differing.filter((sight) => !isFixed(sight)), ...forced];
  return {
    changes: written.map((sight) => changeOf(sight, entry)),
    steps: written.map(stepOf),
    unread: unread.filter((sight) => !forced.includes(sight)).map((sight) => nameOf(sight, entry)),
    conflicts: differing.filter(isFixed).map(conflictOf),
  };
}

/**
 * The languages in which a property is read to be compared with a body: those of its texts, as a service may show only
 * what is asked for. A public service that leaves out a text says by that that there is none in the languages asked for,
 * so that all of them are.
 */
export function languagesOf(body: ServiceRecord, { goesBeyond }: PlanDialect): readonly string[] {
  if (goesBeyond) return ['all'];
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
 * nowhere; what is left out, or null, may be there all the same.
 */
export function showsAll(body: ServiceRecord, record: ServiceRecord): boolean {
  const { code: _code, ...wanted } = normalise(body);
  return Object.entries(wanted).every(
    ([field, value]) =>
      timeFields.includes(field) ||
      sightsAt([field], value, record, nothing).every(
        ({ state }) => state === 'same' || state === 'different',
      ),
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

/**
 * Fields, dots between names, that are not there where the record does not show them: a public service leaves out those
 * that are optional and have no value. Nothing is known of a service of the contract.
 */
function fieldsShownIfSet({ goesBeyond, propertyFields }: PlanDialect): ReadonlySet<string> {
  if (!goesBeyond) return new Set();
  const required = new Set(propertyFields.filter(({ isOptional }) => !isOptional).map(({ path }) => path[0]));
  const optional = propertyFields.filter(({ isOptional }) => isOptional);
  const names = optional.flatMap(({ path }) => [path.join('.'), path[0]]);
  return new Set(names.filter((name) => !required.has(name)));
}

/**
 * @param around what the value stands in, where it is shown.
 * @param shownIfSet fields that are not there where they are not shown.
 */
function sightsAt(
  path: readonly string[],
  wanted: unknown,
  around: unknown,
  shownIfSet: ReadonlySet<string>,
): readonly Sight[] {
  const name = path.at(-1) ?? '';
  const isShown = isRecord(around) && Object.hasOwn(around, name);
  const seen = isShown ? around[name] : undefined;
  const isUnset = !isShown && isRecord(around) && shownIfSet.has(path.join('.'));
  if (isUnset || (isShown && seen === null)) return [{ path, wanted, seen, state: 'missing' }];
  if (isRecord(wanted) && Object.keys(wanted).length > 0) {
    return Object.entries(wanted).flatMap(([inner, value]) =>
      sightsAt([...path, inner], value, seen, shownIfSet),
    );
  }
  const isLanguage = path.length === 2 && languageMaps.has(path[0] ?? '');
  if (!isShown) return [{ path, wanted, seen, state: isLanguage && isRecord(around) ? 'missing' : 'unread' }];
  return [{ path, wanted, seen, state: isSame(seen, wanted) ? 'same' : 'different' }];
}

/** A service may show a number where a text of the same digits was sent. */
function isSame(seen: unknown, wanted: unknown): boolean {
  return includes(typeof seen === 'number' && typeof wanted === 'string' ? String(seen) : seen, wanted);
}

function changeOf(sight: Sight, entry: Pick<Entry, 'fields'>): FieldChange {
  const change = { field: nameOf(sight, entry), from: sight.seen, to: sight.wanted };
  return sight.state === 'unread' ? { ...change, unread: true } : change;
}

function stepOf({ path, wanted, state }: Sight): PatchStep {
  return { op: state === 'missing' ? 'add' : 'replace', path: pointerTo(...spelt(path)), value: wanted };
}

/** With dots between names; what a manifest does not name itself stands under its `extra`. */
function nameOf({ path }: Sight, { fields }: Pick<Entry, 'fields'>): string {
  const [field = '', inner] = path;
  const isInside = field === 'location' && inner !== undefined;
  const [around, name] = isInside ? [fields[field], inner] : [fields, field];
  const isNamed = isRecord(around) && Object.hasOwn(around, name);
  return [...(isNamed ? [] : ['extra']), ...path].join('.');
}

function conflictOf({ path, seen, wanted }: Sight): FieldChange {
  return { field: path.join('.'), from: seen, to: wanted };
}

/** The contract writes fields in camelCase in the paths of updates; languages stay as they are. */
function spelt([field = '', ...inner]: readonly string[]): readonly string[] {
  return [inCamelCase(field), ...(nested.has(field) ? inner.map(inCamelCase) : inner)];
}

function inCamelCase(name: string): string {
  return /^[a-z\d]+(_[a-z\d]+)+$/.test(name) ? camelCase(name.replaceAll('_', '-')) : name;
}
