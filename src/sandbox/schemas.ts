import * as v from 'valibot';
import { quietly } from '../fs/replace.ts';
import { type Field, fieldOf, isInventory, type Kind, kinds, kindTable, namesOf } from '../model/kinds.ts';
import { groupBy, isRecord, type ServiceRecord } from '../model/records.ts';
import { type Call, check, oneOf } from './call.ts';
import { invitationRoles, type NewInvitation, roles } from './people.ts';
import type { ConnectedGroup, NewProperty } from './records.ts';
import { orders } from './seeds/names.ts';

const string = v.string('must be a text');
/** A text that is not blank, trimmed. */
const text = v.pipe(string, v.trim(), v.nonEmpty('must not be empty'));

/** Texts by language code, at least one. */
const languageMap = v.pipe(
  v.record(
    v.pipe(v.string(), v.check(isLanguageTag, 'is not a language code')),
    text,
    'must be an object of texts by language code',
  ),
  v.check((map) => Object.keys(map).length > 0, 'must have a text in at least one language'),
);

/** A whole number as the public service takes it. */
const whole = v.pipe(
  v.number('must be a whole number'),
  v.integer('must be a whole number'),
  v.minValue(1, 'must be at least 1'),
  v.maxValue(2_147_483_647, 'must be at most 2147483647'),
);

const timeOfDay = matching(
  /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/,
  'must be a time of day from 00:00:00 to 23:59:59',
);

const countries = new Set(fieldOf('property', 'location.country_code')?.known?.());

/** A code as the public service takes it. */
const publicCode = matching(/^[A-Za-z0-9_]{3,10}$/, 'must have 3 to 10 of the characters A-Z a-z 0-9 _');

/** The listed names; aliases are known to ICU alone, which takes half a millisecond for each. */
const zones: ReadonlySet<string> = new Set(Intl.supportedValuesOf('timeZone'));

/** Fields that take other values than their type says. */
const special: Readonly<Record<string, v.GenericSchema>> = {
  // The contract says only that it is a string; it becomes the id, which is part of paths.
  'property.code': matching(
    /^(?!\.{1,2}$)[\p{L}\p{N}_.-]{1,50}$/u,
    'must have 1 to 50 letters, digits or the characters _ . -',
  ),
  'property.location.country_code': v.pipe(
    string,
    v.check((code) => countries.has(code), 'must be a supported country code of two letters'),
  ),
  'property.time_zone': v.pipe(string, v.check(isTimeZone, 'must be an IANA time zone')),
  'property.currency_code': matching(/^[A-Z]{3}$/, 'must be a currency code of three capital letters'),
  'invitation.email': v.pipe(
    string,
    v.maxLength(254, 'must not be longer than 254 characters'),
    v.regex(/^[^\s\p{C}@]+@[^\s\p{C}@.]+(\.[^\s\p{C}@.]+)+$/u, 'must be an e-mail address'),
  ),
  // The contract does not list the values; people choose from its role list.
  'invitation.role': oneOf([...new Set([...invitationRoles, ...roles])]),
  'invitation.roles': v.never('is not a known field'),
  'unit_attribute.name': v.pipe(text, v.maxLength(50, 'must have at most 50 characters')),
  'unit_attribute.description': string,
  'unit_group.code': publicCode,
};

/** What the public service takes instead: `role` only under its older names. */
const specialInPublic: typeof special = {
  'property.code': publicCode,
  'property.location.region_code': matching(/^.{2,6}$/, 'must have 2 to 6 characters'),
  'invitation.role': oneOf(invitationRoles),
  'invitation.roles': v.array(oneOf(roles), 'must be an array of roles'),
};

const byType: Readonly<Partial<Record<Field['type'], v.GenericSchema>>> = {
  ...{ languages: languageMap, whole, truth: v.boolean('must be true or false') },
};

/** The entries of the bodies that create records. */
const entries = { contract: entriesOfAll(false), apaleo: entriesOfAll(true) };

/** What bodies have of each kind; fields are named that the sandbox itself uses. */
export interface Bodies {
  readonly property: NewProperty;
  readonly invitation: NewInvitation;
  readonly unit_group: NewGroup;
  readonly unit: NewUnit;
  readonly unit_attribute: ServiceRecord;
}

export interface NewGroup extends ServiceRecord {
  readonly property_id: string;
  readonly code: string;
  readonly connected_unit_groups?: readonly ConnectedGroup[];
}

export interface NewUnit extends ServiceRecord {
  readonly property_id: string;
  readonly name: string;
  readonly attributes?: readonly { readonly id: string }[];
  readonly connected_units?: readonly { readonly unit_id: string }[];
}

/**
 * The body that creates a record, by the rules of its dialect. What is null is left out.
 *
 * @throws {Refusal} 422 with every field that is missing, unknown or wrong.
 */
export function newRecord<Of extends keyof Bodies>(
  kind: Of,
  { body, dialect }: Pick<Call, 'body' | 'dialect'>,
): Bodies[Of] {
  const given = kind === 'property' && dialect === 'apaleo' ? withoutNulls(body) : body;
  // The schema is made of the fields of the kind.
  return notNull(check(shape(entries[dialect][kind]), given)) as Bodies[Of];
}

/** The bodies of several units. The service does not say how many it takes. */
export function newUnitsIn(body: unknown): readonly NewUnit[] {
  // As in `newRecord`.
  return check(newUnits, body).units.map(notNull) as unknown as readonly NewUnit[];
}

const newUnits = shape({
  units: v.pipe(listOf(shape(entries.apaleo.unit)), v.minLength(1, 'must have at least one unit')),
});

/** The body that replaces a unit group. It may have what is fixed after creation of its parts alone. @throws {Refusal} 422 */
export function replacedGroupIn(body: unknown): Partial<NewGroup> {
  return notNull(check(replacedGroup, body));
}

const { property_id: _, code: _code, type: _type, ...replaceable } = entries.apaleo.unit_group;
const needed = namesOf('unit_group', ({ type, isOptional }) => type === 'whole' && !isOptional);
const replacedGroup = shape({
  ...replaceable,
  ...Object.fromEntries(needed.map((name) => [name, v.exactOptional(whole)])),
});

/** The names of the fields of a property that callers write. */
export const propertyFields: ReadonlySet<string> = new Set(Object.keys(entries.contract.property));

/** The schemas of the whole fields that a patch sets. */
export function patchSchemas(kind: Kind): ReadonlyMap<string, v.GenericSchema> {
  const fields = kindTable[kind].fields.filter(({ isFixed, sentUnder }) => !isFixed && !sentUnder);
  return new Map(fields.map((field) => [sentName(field), schemaOf(kind, field, true)]));
}

/** A reference to a unit attribute. */
export const attributeOfUnit = shape({ id: string });

type Entry = v.ObjectEntries[string];

function entriesOfAll(isPublic: boolean) {
  const all = kinds.map((kind) => [kind, entriesOf(kind, isPublic)]);
  // One for each kind.
  return Object.fromEntries(all) as Readonly<Record<Kind, v.ObjectEntries>>;
}

function entriesOf(kind: Kind, isPublic: boolean): v.ObjectEntries {
  // The names of several units are a matter of the command line.
  const fields = kindTable[kind].fields.filter(({ type }) => type !== 'names');
  const all = [...groupBy(fields, sentName)].map(([name, parts]): [string, Entry] => {
    const inner = parts.map((field): [string, Entry] => [
      String(field.path.at(-1)),
      entryOf(kind, field, isPublic),
    ]);
    if (parts[0].path.length === 1) return [name, entryOf(kind, parts[0], isPublic)];
    const object = shape(inOrder(inner, orders.location));
    return [name, parts.every(({ isOptional }) => isOptional) ? v.exactOptional(object) : object];
  });
  return inOrder(all, orders[kind]);
}

function inOrder(all: readonly [string, Entry][], names: readonly string[] = []): v.ObjectEntries {
  const rank = (name: string) => (names.includes(name) ? names.indexOf(name) : names.length);
  return Object.fromEntries(all.toSorted(([one], [other]) => rank(one) - rank(other)));
}

/** The contract requires nothing of what only the public service has. */
function entryOf(kind: Kind, field: Field, isPublic: boolean) {
  const schema = schemaOf(kind, field, isPublic);
  if (!field.isOptional && (isPublic || !field.isFurther)) return schema;
  return isInventory(kind) ? v.nullish(schema) : v.exactOptional(schema);
}

function schemaOf(kind: Kind, field: Field, isPublic: boolean): v.GenericSchema {
  const { name, type, choices, sentAs, sentUnder = '', isNeverShown } = field;
  const place = `${kind}.${name}`;
  const own = (isPublic ? specialInPublic[place] : undefined) ?? special[place];
  if (own !== undefined) return own;
  if (choices !== undefined) return oneOf(choices);
  if (type === 'counts') return listOf(shape({ [sentUnder]: string, member_count: whole }));
  if (sentUnder !== '') return listOf(shape({ [sentUnder]: string }));
  if (type === 'list') return v.array(string, 'must be an array of property ids');
  if (sentAs !== undefined) return string;
  return isNeverShown ? timeOfDay : (byType[type] ?? text);
}

function sentName({ sentAs, path: [name] }: Field): string {
  return sentAs ?? name;
}

function shape<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.strictObject(entries, 'must be an object');
}

function listOf<Entry extends v.GenericSchema>(entry: Entry) {
  return v.array(entry, 'must be an array');
}

/** The public service takes null for every optional field of a property, which is as if it were not given. */
function withoutNulls(body: unknown): unknown {
  if (!isRecord(body)) return body;
  const given = Object.entries(body).filter(([name, value]) => value !== null || !nullable.has(name));
  return Object.fromEntries(given.map(([name, value]) => [name, withoutNulls(value)]));
}

const nullable = new Set(
  kindTable.property.fields.filter(({ isOptional }) => isOptional).map(({ path }) => path.at(-1)),
);

function notNull(record: ServiceRecord): ServiceRecord {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}

function matching(pattern: RegExp, message: string) {
  return v.pipe(string, v.regex(pattern, message));
}

function isLanguageTag(tag: string): boolean {
  return quietly(() => Intl.getCanonicalLocales(tag)) !== undefined;
}

function isTimeZone(name: string): boolean {
  return zones.has(name) || quietly(() => Intl.DateTimeFormat('en', { timeZone: name })) !== undefined;
}
