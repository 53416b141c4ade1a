import { normalise } from '../model/fields.ts';
import {
  allPropertyFields,
  type PropertyField,
  propertyFields,
  timeFields,
} from '../model/property-fields.ts';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import { inCodeUnits, sameName } from '../model/text.ts';
import type { Dialect } from '../service/dialect.ts';

/** What a manifest describes. */
export const kinds = ['property', 'invitation', 'user', 'unit_attribute', 'unit_group', 'unit'] as const;
export type Kind = (typeof kinds)[number];

/** The part of the service that creates, reads and deletes records of a kind. */
export const resources = {
  property: 'properties',
  unit: 'units',
  unit_group: 'unitGroups',
  unit_attribute: 'unitAttributes',
} as const;

/** What a property rents out; only services of the dialect apaleo have it. */
export type InventoryKind = Extract<Kind, `unit${string}`>;

export function isInventory(kind: Kind): kind is InventoryKind {
  return kind === 'unit_attribute' || kind === 'unit_group' || kind === 'unit';
}

/** A kind in messages: `unit group`. */
export function kindText(kind: Kind): string {
  return kind.replace('_', ' ');
}

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
  return typeof property === 'string' ? `${property}/${own}` : undefined;
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

/** The record without fields that have no value, on all levels; lists stay as they are. */
export function withoutMissing(record: ServiceRecord): ServiceRecord {
  const given = Object.entries(record)
    .filter(([, value]) => !isMissing(value))
    .map(([name, value]) => [name, isRecord(value) ? withoutMissing(value) : value]);
  return Object.fromEntries(given);
}

/** An entry for a record of the service, which is in no file yet. Its fields have the order of manifests. */
export function shownEntry(kind: Kind, name: string, fields: ServiceRecord): Entry {
  const place = { file: kind, unit: 'line', number: 1 } as const;
  return { kind, name, place, fields: orderedFields(tidy(fields)) };
}

/** The record without fields that have no value, and without objects that hold only such fields. */
export function tidy(record: ServiceRecord): ServiceRecord {
  const named = Object.entries(record)
    .map(([name, value]) => [name, isRecord(value) ? tidy(value) : value] as const)
    .filter(([, value]) => !isMissing(value) && !(isRecord(value) && Object.keys(value).length === 0));
  return Object.fromEntries(named);
}

/** Every field of every kind, dots between names, in the order in which manifests are written. */
const paths: readonly string[] = [
  ...['property', 'names'],
  ...allPropertyFields.map(({ path }) => path.join('.')),
  ...['email', 'subject_id', 'first_name', 'last_name', 'role', 'roles'],
  ...['properties', 'property_roles', 'is_account_admin', 'enabled', 'extra'],
  ...['group', 'max_persons', 'type', 'rank', 'connected', 'attributes', 'connects', 'condition'],
  ...['unit_groups', 'units'],
];

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

/** Runs of rows, or names, that a sentence lists. */
const MOST_LISTED = 20;

/** Places of one file in words: `people.csv: rows 3-17, 22`. */
export function placesText(places: readonly Place[]): string {
  const [first] = places;
  if (first === undefined) return '';
  if (places.length === 1) return placeText(first);
  const spans = spansOf([...new Set(places.map(({ number }) => number))]);
  const isOne = spans.length === 1 && spans[0] === String(first.number);
  return isOne ? placeText(first) : `${first.file}: ${first.unit}s ${listed(spans)}`;
}

/** `3-17`, `22`. */
function spansOf(numbers: readonly number[]): readonly string[] {
  const spans: [from: number, to: number][] = [];
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const last = spans.at(-1);
    if (last !== undefined && number <= last[1] + 1) last[1] = number;
    else spans.push([number, number]);
  }
  return spans.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`));
}

/** The first texts, and how many more there are: `BER, MUC and 3 more`. */
export function listed(texts: readonly string[], most = MOST_LISTED): string {
  const rest = texts.length - most;
  return texts.slice(0, most).join(', ') + (rest > 0 ? ` and ${rest.toLocaleString('en')} more` : '');
}

/** Whether every entry of a property has a field: those of the contract, without the times that services never show. */
export function isNeeded({ flag, path }: PropertyField): boolean {
  return propertyFields.some((field) => field.flag === flag) && !timeFields.includes(path[0]);
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

/** The fields without which a property cannot be created, and which the entry lacks; a person lacks none. */
export function missingToCreate(
  entry: Pick<Entry, 'kind' | 'fields'>,
  { propertyFields: known }: Pick<Dialect, 'propertyFields'>,
): readonly string[] {
  if (entry.kind !== 'property') return [];
  const body = tidy(normalise(bodyOf(entry)));
  const missing = known.filter((field) => field.isOptional !== true && !isNeeded(field));
  return missing.map(({ path }) => path.join('.')).filter((name) => body[name] === undefined);
}
