import * as v from 'valibot';
import { quietly } from '../fs/replace.ts';
import { unitConditions, unitGroupTypes } from '../model/inventory-fields.ts';
import { isRecord } from '../model/records.ts';
import type { Call } from './call.ts';
import { countryCodes, invitationRoles, roles } from './records.ts';
import { check, oneOf } from './refusal.ts';

const countries = new Set(countryCodes);

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
  location: shape(location),
  bank_account: v.exactOptional(shape({ iban: optionalText, bic: optionalText, bank: optionalText })),
  payment_terms: v.exactOptional(languageMap),
  time_zone: v.pipe(string, v.check(isTimeZone, 'must be an IANA time zone')),
  currency_code: matching(/^[A-Z]{3}$/, 'must be a currency code of three capital letters'),
  default_check_in_time: timeOfDay,
  default_check_out_time: timeOfDay,
};

/** A code as the public service takes it. */
const publicCode = matching(/^[A-Za-z0-9_]{3,10}$/, 'must have 3 to 10 of the characters A-Z a-z 0-9 _');

const schema = shape(entries);

/** What the public service accepts for a new property. */
const publicSchema = v.pipe(
  v.unknown(),
  v.transform(withoutNulls),
  shape({
    ...entries,
    code: publicCode,
    location: shape({
      ...location,
      region_code: v.exactOptional(matching(/^.{2,6}$/, 'must have 2 to 6 characters')),
    }),
    payment_terms: languageMap,
  }),
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

/** A new property. */
export const newProperty = reader(schema, publicSchema);

/** Reads the body of a call, by the rules of its dialect. @throws {Refusal} 422 with every field that is wrong. */
function reader<Schema extends v.GenericSchema, Public extends v.GenericSchema>(
  schema: Schema,
  ofPublic: Public,
) {
  return ({ body, dialect }: Pick<Call, 'body' | 'dialect'>) =>
    dialect === 'apaleo' ? check(ofPublic, body) : check(schema, body);
}

function shape<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.strictObject(entries, 'must be an object');
}

function listOf<Entry extends v.GenericSchema>(entry: Entry) {
  return v.array(entry, 'must be an array');
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

/** What of a unit group can be replaced. */
const groupEntries = {
  name: languageMap,
  description: languageMap,
  max_persons: v.exactOptional(whole),
  rank: v.nullish(whole),
  connected_unit_groups: v.nullish(listOf(shape({ unit_group_id: string, member_count: whole }))),
};

export const replacedGroup = shape(groupEntries);

export const newGroup = shape({
  ...{ property_id: string, code: publicCode, ...groupEntries, max_persons: whole },
  type: v.nullish(oneOf(unitGroupTypes)),
});

export type NewGroup = v.InferOutput<typeof newGroup>;

/** The fields of a unit that a patch sets. */
export const unitPatch = {
  condition: oneOf(unitConditions),
  description: languageMap,
  name: text,
  unit_group_id: string,
  max_persons: whole,
};

/** A reference to a unit attribute. */
export const attributeOfUnit = shape({ id: string });

export const newUnit = shape({
  ...unitPatch,
  property_id: string,
  unit_group_id: v.nullish(string),
  condition: v.nullish(unitPatch.condition),
  attributes: v.nullish(listOf(attributeOfUnit)),
  connected_units: v.nullish(listOf(shape({ unit_id: string }))),
});

export type NewUnit = v.InferOutput<typeof newUnit>;

/** The service does not say how many it takes. */
export const newUnits = shape({
  units: v.pipe(listOf(newUnit), v.minLength(1, 'must have at least one unit')),
});

/** The field of a unit attribute that a patch sets. */
export const attributePatch = { description: string };

export const newAttribute = shape({
  name: v.pipe(text, v.maxLength(50, 'must have at most 50 characters')),
  description: v.nullish(string),
});

const trueOrFalse = v.boolean('must be true or false');
const propertyIds = v.array(string, 'must be an array of property ids');

/** The fields of a user that a patch sets. */
export const userPatch = {
  ...{ enabled: trueOrFalse, is_account_admin: trueOrFalse, properties: propertyIds },
  ...{ first_name: text, last_name: text },
};

const invitationEntries = {
  email: v.pipe(
    string,
    v.maxLength(254, 'must not be longer than 254 characters'),
    v.regex(/^[^\s\p{C}@]+@[^\s\p{C}@.]+(\.[^\s\p{C}@.]+)+$/u, 'must be an e-mail address'),
  ),
  properties: v.exactOptional(propertyIds),
  is_account_admin: v.exactOptional(trueOrFalse),
};

/** A new invitation. The public service takes several roles, and `role` only under its older names. */
export const newInvitation = reader(
  shape({
    ...invitationEntries,
    // The contract does not list the values; people choose from its role list.
    role: v.exactOptional(oneOf([...new Set([...invitationRoles, ...roles])])),
    roles: v.exactOptional(v.never('is not a known field')),
  }),
  shape({
    ...invitationEntries,
    role: v.exactOptional(oneOf(invitationRoles)),
    roles: v.exactOptional(v.array(oneOf(roles), 'must be an array of roles')),
  }),
);
