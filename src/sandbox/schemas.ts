import * as v from 'valibot';
import { quietly } from '../fs/replace.ts';
import { unitConditions, unitGroupTypes } from '../model/inventory-fields.ts';
import { isRecord } from '../model/records.ts';
import type { DialectName } from '../service/operations.ts';
import { countryCodes } from './records.ts';
import { check, oneOf } from './refusal.ts';

const countries = new Set(countryCodes);

const list = 'must be an array';
const object = 'must be an object';
const string = v.string('must be a text');
/** A text that is not blank, trimmed. */
const text = v.pipe(string, v.trim(), v.nonEmpty('must not be empty'));
const optionalText = v.exactOptional(text);

/** Texts by language code, at least one. */
const languageMap = v.pipe(
  v.record(
    v.pipe(v.string(), v.check(isLanguageTag, 'is not a language code')),
    text,
    'must be an object of texts by language code',
  ),
  v.check((map) => Object.keys(map).length > 0, 'must have a text in at least one language'),
);

const timeOfDay = matching(
  /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/,
  'must be a time of day from 00:00:00 to 23:59:59',
);

const location = {
  address_line1: text,
  address_line2: optionalText,
  postal_code: text,
  city: text,
  region_code: optionalText,
  country_code: v.pipe(
    string,
    v.check((code) => countries.has(code), 'must be a supported country code of two letters'),
  ),
};

const entries = {
  // The contract says only that it is a string; it becomes the id, which is part of paths.
  code: matching(
    /^(?!\.{1,2}$)[\p{L}\p{N}_.-]{1,50}$/u,
    'must have 1 to 50 letters, digits or the characters _ . -',
  ),
  name: languageMap,
  description: v.exactOptional(languageMap),
  company_name: text,
  managing_directors: optionalText,
  commercial_register_entry: text,
  tax_id: text,
  location: v.strictObject(location, object),
  bank_account: v.exactOptional(
    v.strictObject({ iban: optionalText, bic: optionalText, bank: optionalText }, object),
  ),
  payment_terms: v.exactOptional(languageMap),
  time_zone: v.pipe(string, v.check(isTimeZone, 'must be an IANA time zone')),
  currency_code: matching(/^[A-Z]{3}$/, 'must be a currency code of three capital letters'),
  default_check_in_time: timeOfDay,
  default_check_out_time: timeOfDay,
};

/** A code as the public service takes it. */
const publicCode = matching(/^[A-Za-z0-9_]{3,10}$/, 'must have 3 to 10 of the characters A-Z a-z 0-9 _');

const schema = v.strictObject(entries, object);

/** What the public service accepts for a new property. */
const publicSchema = v.strictObject(
  {
    ...entries,
    code: publicCode,
    location: v.strictObject(
      { ...location, region_code: v.exactOptional(matching(/^.{2,6}$/, 'must have 2 to 6 characters')) },
      object,
    ),
    payment_terms: languageMap,
  },
  object,
);

/** The fields for which the public service takes null, which is as if they were not given. */
const nullable = new Set([
  ...['description', 'managing_directors', 'address_line2', 'region_code'],
  ...['iban', 'bic', 'bank'],
]);

/** The body of create property, and the part of a stored property that callers write. */
export type NewProperty = v.InferOutput<typeof schema>;

/** The field names of a property that callers write. */
export const propertyFields: ReadonlySet<string> = new Set(Object.keys(entries));

/** A property as it may stand in the store. @throws {Refusal} 422 with every field that is missing, unknown or wrong. */
export function parseProperty(body: unknown): NewProperty {
  return check(schema, body);
}

/** A new property, by the rules of its dialect. @throws {Refusal} 422 like `parseProperty`. */
export function parseNewProperty(body: unknown, dialect: DialectName): NewProperty {
  return dialect === 'apaleo' ? check(publicSchema, withoutNulls(body)) : parseProperty(body);
}

function withoutNulls(body: unknown): unknown {
  if (!isRecord(body)) return body;
  const given = Object.entries(body).filter(([name, value]) => value !== null || !nullable.has(name));
  return Object.fromEntries(given.map(([name, value]) => [name, withoutNulls(value)]));
}

function matching(pattern: RegExp, message: string) {
  return v.pipe(string, v.regex(pattern, message));
}

function isLanguageTag(tag: string): boolean {
  return quietly(() => Intl.getCanonicalLocales(tag)) !== undefined;
}

/** The listed names; aliases are known to ICU alone, which takes half a millisecond for each. */
const zones: ReadonlySet<string> = new Set(Intl.supportedValuesOf('timeZone'));

function isTimeZone(name: string): boolean {
  return zones.has(name) || quietly(() => Intl.DateTimeFormat('en', { timeZone: name })) !== undefined;
}

/** A whole number as the public service takes it. */
const whole = v.pipe(
  v.number('must be a whole number'),
  v.integer('must be a whole number'),
  v.minValue(1, 'must be at least 1'),
  v.maxValue(2_147_483_647, 'must be at most 2147483647'),
);

const connectedGroups = v.nullish(
  v.array(v.strictObject({ unit_group_id: string, member_count: whole }, object), list),
);

/** The body of create unit group. */
export const newGroup = v.strictObject(
  {
    property_id: string,
    code: publicCode,
    name: languageMap,
    description: languageMap,
    max_persons: whole,
    rank: v.nullish(whole),
    type: v.nullish(oneOf(unitGroupTypes)),
    connected_unit_groups: connectedGroups,
  },
  object,
);

export type NewGroup = v.InferOutput<typeof newGroup>;

/** The body of replace unit group. */
export const replacedGroup = v.strictObject(
  {
    name: languageMap,
    description: languageMap,
    max_persons: v.exactOptional(whole),
    rank: v.nullish(whole),
    connected_unit_groups: connectedGroups,
  },
  object,
);

/** The fields of a unit that a patch sets. */
export const unitPatch = {
  condition: oneOf(unitConditions),
  description: languageMap,
  name: text,
  unit_group_id: string,
  max_persons: whole,
};

/** A reference to a unit attribute. */
export const attributeOfUnit = v.strictObject({ id: string }, object);

/** The body of create unit. */
export const newUnit = v.strictObject(
  {
    ...unitPatch,
    property_id: string,
    unit_group_id: v.nullish(string),
    condition: v.nullish(unitPatch.condition),
    attributes: v.nullish(v.array(attributeOfUnit, list)),
    connected_units: v.nullish(v.array(v.strictObject({ unit_id: string }, object), list)),
  },
  object,
);

export type NewUnit = v.InferOutput<typeof newUnit>;

/** The body of create several units. The service does not say how many it takes. */
export const newUnits = v.strictObject(
  { units: v.pipe(v.array(newUnit, list), v.minLength(1, 'must have at least one unit')) },
  object,
);

/** The body of create unit attribute. */
export const newAttribute = v.strictObject(
  {
    name: v.pipe(text, v.maxLength(50, 'must have at most 50 characters')),
    description: v.nullish(string),
  },
  object,
);
