import { normalise } from '../model/fields.ts';
import {
  type Field,
  type InventoryKind,
  isInventory,
  type Kind,
  kindTable,
  namesOf,
  severalOf,
} from '../model/kinds.ts';
import { isRecord, type ServiceRecord, valueAt } from '../model/records.ts';
import { inCodeUnits, quote, sameName } from '../model/text.ts';
import type { Dialect } from '../service/dialect.ts';

/** Where an entry is: a line of a text, or a row of a table as a spreadsheet counts them (the header is row 1). */
export interface Place {
  readonly file: string;
  readonly unit: 'line' | 'row';
  readonly number: number;
}

/** What is wrong with one field of an entry, or with the whole entry. */
export interface PlaceProblem {
  /** Dots between names. */
  readonly field?: string | undefined;
  readonly reason: string;
  /** What to do about it. */
  readonly hint?: string | undefined;
  /** What needs another dialect: the field, or the kind of the entry. */
  readonly beyond?: string;
}

/** One wanted record of a manifest; its values are checked. */
export interface Entry {
  readonly kind: Kind;
  /**
   * What it is known by: the code of a property, the e-mail address of a person, a user's subject id, the name of a unit
   * attribute; of a unit group and a unit the property besides: `BER/DBL`, `BER/201`.
   */
  readonly name: string;
  readonly place: Place;
  /** As the manifest names them, `extra` among them; `kind` is not. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What an entry of inventory is known by; `undefined` if a part is missing. */
export function inventoryName(kind: InventoryKind, { property, code, name }: ServiceRecord) {
  const own = kind === 'unit_group' ? code : name;
  if (typeof own !== 'string' || kind === 'unit_attribute') return typeof own === 'string' ? own : undefined;
  return typeof property === 'string' ? `${property.trim()}/${own}` : undefined;
}

/** Tells records of inventory apart. @param property its id, or the code of one that the plan creates. */
export function keyOf(kind: Kind, property: string, name: string): string {
  return `${kind}:${kind === 'unit_attribute' ? '' : sameName(property)}/${sameName(name)}`;
}

/** The entries that one stands for: one for each of its `names`. */
export function entriesFor(entry: Entry): readonly Entry[] {
  const { names, ...fields } = entry.fields;
  if (!Array.isArray(names)) return [entry];
  return names.map((name) => ({
    ...entry,
    name: `${fields['property']}/${name}`,
    fields: { ...fields, name },
  }));
}

/** A place in words: `hotels.csv: row 3`. */
export function placeText({ file, unit, number }: Place): string {
  return `${file}: ${unit} ${number}`;
}

/** A key for a kind and a name, which is case-insensitive. */
export function identityOf({ kind, name }: Pick<Entry, 'kind' | 'name'>): string {
  return `${kind}:${sameName(name)}`;
}

/** Whether a field has no value: it is left out, null, or a text that is empty or blank. */
export function isMissing(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'string' && value.trim() === '');
}

/** An entry for a record of the service, which is in no file yet. Its fields have the order of manifests. */
export function shownEntry(kind: Kind, name: string, fields: ServiceRecord): Entry {
  const place = { file: kind, unit: 'line', number: 1 } as const;
  return { kind, name, place, fields: orderedFields(tidy(fields)) };
}

/** The record without fields that have no value, and without objects that hold only such fields; lists stay as they are. */
export function tidy(record: ServiceRecord): ServiceRecord {
  const given = Object.entries(record)
    .map(([name, value]) => [name, isRecord(value) ? tidy(value) : value] as const)
    .filter(([, value]) => !isMissing(value) && !(isRecord(value) && Object.keys(value).length === 0));
  return Object.fromEntries(given);
}

/** Every field of every kind, dots between names, in the order in which manifests are written. */
const paths: readonly string[] = [
  ['property', 'names'],
  ...(['property', 'user', 'invitation'] as const).map((kind) => namesOf(kind)),
  ['extra'],
  ...(['unit_group', 'unit'] as const).map((kind) => namesOf(kind)),
  ['unit_groups', 'units'],
].reduce(withPlaces, []);

/** Puts names that have no place yet before the next one that has, or at the end. */
function withPlaces(placed: readonly string[], names: readonly string[]): readonly string[] {
  return names.reduceRight<readonly string[]>((all, name, index) => {
    if (all.includes(name)) return all;
    const next = names.slice(index + 1).find((each) => all.includes(each));
    return all.toSpliced(next === undefined ? all.length : all.indexOf(next), 0, name);
  }, placed);
}

/** The fields of an entry in the order of the contract, languages by their codes. @param above the names before them, with a dot. */
export function orderedFields(fields: ServiceRecord, above = ''): ServiceRecord {
  const named = Object.entries(fields)
    .sort(([one], [other]) => byPlace(`${above}${one}`, `${above}${other}`))
    .map(([name, value]) => [name, isRecord(value) ? orderedFields(value, `${above}${name}.`) : value]);
  return Object.fromEntries(named);
}

/** Compares two fields by the order in which they are written; those without a place of their own by their names. */
export function byPlace(one: string, other: string): number {
  return rankOf(one) - rankOf(other) || inCodeUnits(one, other);
}

/** The rank of a field: its own, or that of the field around it, or of a field inside it. */
function rankOf(path: string): number {
  const rank = paths.findIndex(
    (known) => path === known || path.startsWith(`${known}.`) || known.startsWith(`${path}.`),
  );
  return rank === -1 ? paths.length : rank;
}

/** Rows, or names, that a sentence lists. */
const MOST_LISTED = 20;

/** Places of one file in words: `people.csv: rows 3, 4, 22`. */
export function placesText(places: readonly Place[]): string {
  const [first] = places;
  if (first === undefined) return '';
  const numbers = [...new Set(places.map(({ number }) => number))].sort((one, other) => one - other);
  return numbers.length === 1
    ? placeText(first)
    : `${first.file}: ${first.unit}s ${listed(numbers.map(String))}`;
}

/** The first texts, and how many more there are: `BER, MUC and 3 more`. */
export function listed(texts: readonly string[], most = MOST_LISTED): string {
  const rest = texts.length - most;
  return texts.slice(0, most).join(', ') + (rest > 0 ? ` and ${rest.toLocaleString('en')} more` : '');
}

/** Whether every entry of a kind has a field: of a person all that is not optional, of others what they are known by, because one that exists may be named alone. */
export function isRequired(kind: Kind, { isOptional, isOwn, isFixed }: Field): boolean {
  if (isOptional) return false;
  return kind === 'invitation' || kind === 'user' || (isOwn === true && isFixed === true);
}

/**
 * The body that creates what an entry describes: for a property that of create property, for an invitation that of
 * create invitation. Fields under `extra` are merged in, `extra.location` into the location.
 */
export function bodyOf({ fields }: Pick<Entry, 'fields'>): Record<string, unknown> {
  const { extra, ...named } = fields;
  if (!isRecord(extra)) return named;
  const { location, ...others } = extra;
  if (!isRecord(location)) return { ...named, ...others };
  const inside = isRecord(named['location']) ? named['location'] : {};
  return { ...named, ...others, location: { ...inside, ...location } };
}

/** The fields that a body lacks, and without which no record is created; a person lacks none. */
export function missingToCreate(
  kind: Kind,
  body: ServiceRecord,
  { propertyFields }: Pick<Dialect, 'propertyFields'>,
): readonly string[] {
  const others = isInventory(kind) ? kindTable[kind].fields : [];
  const fields = kind === 'property' ? propertyFields : others;
  const given = tidy(normalise(body));
  return fields
    .filter(({ isOptional, path }) => isOptional !== true && valueAt(given, path) === undefined)
    .map(({ name }) => name);
}

/** The property of an entry, by one of its names. */
type HomeOf = (entry: Entry) => string;

/** The field that names what a record is made of: others of its kind. */
function partsField(kind: Kind): string {
  return kindTable[kind].fields.find(({ of }) => of === kind)?.name ?? '';
}

/** The unit groups or units that an entry is made of, by `keyOf`. */
function partsOf({ kind, fields }: Entry, home: string): readonly string[] {
  const parts = fields[partsField(kind)];
  const names = isRecord(parts) ? Object.keys(parts) : parts;
  return Array.isArray(names) ? names.map((name) => keyOf(kind, home, String(name))) : [];
}

/**
 * How many levels of others each record is made of, from 1; others have none.
 *
 * @param partsOfEach by record, without records that have no parts.
 * @returns `circular`: the records that are made of each other, or of such.
 */
export function levelsOf(partsOfEach: ReadonlyMap<string, readonly string[]>) {
  const levels = new Map<string, number>();
  let open = new Map(partsOfEach);
  for (let level = 1; open.size > 0; level += 1) {
    const waiting = new Map([...open].filter(([, parts]) => parts.some((part) => open.has(part))));
    if (waiting.size === open.size) break;
    for (const record of open.keys()) if (!waiting.has(record)) levels.set(record, level);
    open = waiting;
  }
  return { levels, circular: new Set(open.keys()) };
}

function levelsIn(entries: readonly Entry[], homeOf: HomeOf) {
  const keyFor = (entry: Entry) => {
    const { kind, fields } = entry;
    return keyOf(kind, homeOf(entry), String(kind === 'unit_group' ? fields['code'] : fields['name']));
  };
  const parts = entries.map((entry) => [keyFor(entry), partsOf(entry, homeOf(entry))] as const);
  return { keyFor, ...levelsOf(new Map(parts.filter(([, names]) => names.length > 0))) };
}

/** How many levels of others of its kind an entry is made of, all of which are created before it: 0 for most. */
export function levelIn(entries: readonly Entry[], homeOf: HomeOf): (entry: Entry) => number {
  const { levels, keyFor } = levelsIn(entries, homeOf);
  return (entry) => levels.get(keyFor(entry)) ?? 0;
}

/** The entries that are made of each other in a circle, or of such. */
export function connectionProblems(
  entries: readonly Entry[],
): readonly (PlaceProblem & { readonly place: Place })[] {
  const { circular, keyFor } = levelsIn(entries, ({ fields }) => String(fields['property']));
  return entries
    .filter((entry) => circular.has(keyFor(entry)))
    .map(({ kind, name, place }) => ({
      place,
      field: partsField(kind),
      reason: `${quote(name)} leads into a circle of ${severalOf(kind)}`,
    }));
}
