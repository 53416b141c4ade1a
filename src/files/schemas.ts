import * as v from 'valibot';
import type { Check } from '../cli/ports.ts';
import { countryCodes } from '../model/codes.ts';
import { allPropertyFields, furtherPropertyFields, type PropertyField } from '../model/property-fields.ts';
import { emailProblem } from '../model/segment.ts';
import { nameProblem, quote, sameName, textProblem } from '../model/text.ts';
import { idProblem } from '../service/path.ts';
import { NO_ROLES } from './cells.ts';
import { isNeeded, type Kind } from './entry.ts';
import { inventoryEntries } from './inventory-schemas.ts';
import { entryKinds, nestedLists } from './kind.ts';
import {
  type EntrySchema,
  filled,
  type Hints,
  idPattern,
  languageMap,
  object,
  ofDialect,
  remembering,
  text,
} from './schema-parts.ts';

const idHints = {
  description: 'id of a property, or code of one in the manifest or at the service',
  pattern: idPattern,
  examples: ['BER'],
};

const emailHints: Hints = {
  description: 'e-mail address',
  pattern: '^[^@\\s/\\\\]{1,64}@[^@\\s/\\\\]+\\.[^@\\s/\\\\]+$',
  maxLength: 254,
  examples: ['ana@example.com'],
};

/**
 * The schemas of all kinds; they carry the keywords of the published JSON Schema for each field.
 *
 * @param taken the fields of a property at a service, which may check values more strictly.
 */
export function openSchemas(taken: readonly PropertyField[] = []): Readonly<Record<Kind, EntrySchema>> {
  const unit_group = entryOf('unit_group', inventoryEntries.unit_group);
  const unit = v.pipe(
    entryOf('unit', inventoryEntries.unit),
    v.check(({ name, names }) => (name === undefined) !== (names === undefined), 'give either name or names'),
  );
  return {
    property: propertySchema(taken, { unit_group, unit }),
    invitation: invitationSchema(),
    user: userSchema(),
    unit_attribute: entryOf('unit_attribute', inventoryEntries.unit_attribute),
    unit_group,
    unit,
  };
}

function entryOf<Fields extends v.ObjectEntries>(kind: Kind, fields: Fields) {
  return object({ kind: v.nullish(v.literal(kind)), ...fields });
}

function invitationSchema(): EntrySchema {
  return entryOf('invitation', {
    email: text(emailProblem, emailHints),
    role: v.nullish(role((name) => textProblem(name, 100))),
    roles: v.nullish(roles()),
    properties: v.nullish(ids('properties that the person may work with')),
    is_account_admin: v.nullish(truth('full access to every property')),
    extra: v.nullish(extra('invitation')),
  });
}

function userSchema(): EntrySchema {
  const user = entryOf('user', {
    email: v.nullish(text(emailProblem, emailHints)),
    subject_id: v.nullish(text(idProblem, { description: 'id of the user', pattern: idHints.pattern })),
    enabled: v.nullish(truth('whether the user may log in')),
    properties: v.nullish(ids('all properties that the user has afterwards')),
    property_roles: v.nullish(propertyRoles()),
    first_name: v.nullish(text(nameProblem, { description: ofDialect('first name'), ...filled })),
    last_name: v.nullish(text(nameProblem, { description: ofDialect('last name'), ...filled })),
    is_account_admin: v.nullish(truth(ofDialect('full access to every property'))),
  });
  return v.pipe(
    user,
    v.check(
      ({ email, subject_id: id }) => (email === undefined) !== (id === undefined),
      'give either email or subject_id, to say which user it is',
    ),
    v.check(
      (fields) => Object.entries(fields).some(([name, value]) => name in stateHints && value !== undefined),
      'give enabled, properties or another field that says how the user should be',
    ),
    v.rawCheck(({ dataset: { typed, value }, addIssue }) => {
      if (!typed || !value.properties || !value.property_roles) return;
      const { properties, property_roles: placed } = value;
      const left = placed.map(({ id }) => id).filter((id) => !properties.includes(id));
      if (left.length > 0)
        addIssue({ message: `property_roles names ${left.map(quote).join(', ')}, not among properties` });
    }),
    v.metadata({
      oneOf: ['email', 'subject_id'].map((field) => where(field, { type: 'string', ...filled })),
      anyOf: Object.entries(stateHints).map(([field, hints]) => where(field, hints)),
    }),
  );
}

/** The fields of a user besides those that name the user. Null and an empty text do not count. */
const stateHints: Readonly<Record<string, Hints>> = {
  enabled: { not: { type: 'null' } },
  properties: { type: 'array' },
  property_roles: { type: 'array' },
  is_account_admin: { not: { type: 'null' } },
  first_name: { type: 'string', ...filled },
  last_name: { type: 'string', ...filled },
};

function where(field: string, hints: Hints): Hints {
  return { required: [field], properties: { [field]: hints } };
}

function role(check: Check) {
  return text(check, { maxLength: 100, examples: ['Housekeeping'] });
}

function roles() {
  return v.pipe(
    v.array(role(oneRoleProblem), 'must be a list of roles: [Housekeeping, Auditor]'),
    v.metadata({ description: ofDialect('all roles that the person gets, where there are several') }),
    v.transform((each) => [...new Set(each)]),
  );
}

/** Compared with what the service shows, and never sent: no operation changes them. */
function propertyRoles() {
  const fields = {
    id: text(idProblem, idHints),
    roles: v.array(role(placedRoleProblem), 'must be a list of roles: [FrontDesk, Auditor]'),
  };
  const one = v.strictObject(fields, 'write it as {id: BER, roles: [FrontDesk]}');
  return v.pipe(
    v.array(one, 'must be a list of properties and roles: [{id: BER, roles: [FrontDesk]}]'),
    v.check(
      (list) => new Set(list.map(({ id }) => sameName(id))).size === list.length,
      'names a property twice',
    ),
    v.metadata({ description: 'roles at each property; compared only, because nothing changes them' }),
  );
}

function placedRoleProblem(name: string): string | undefined {
  return name.trim() === NO_ROLES ? `"${NO_ROLES}" is not a role: write roles: []` : oneRoleProblem(name);
}

/** A table has all of them in one cell. */
function oneRoleProblem(name: string): string | undefined {
  return /[,;]/.test(name) ? `${quote(name)} is more than one role` : textProblem(name, 100);
}

function ids(description: string) {
  return v.pipe(
    v.array(text(idProblem, idHints), 'must be a list of property ids: [BER, VIE]'),
    v.rawCheck(({ dataset: { value }, addIssue }) => {
      const twice = Array.isArray(value) ? duplicateIds(value) : undefined;
      if (twice !== undefined)
        addIssue({ message: `${quote(twice[0])} is listed twice, the second time as ${quote(twice[1])}` });
    }),
    v.metadata({ description }),
    v.transform((each) => [...new Set(each)]),
  );
}

/** The first two ids that differ only in case; exact duplicates are allowed. */
function duplicateIds(list: readonly unknown[]): readonly [string, string] | undefined {
  const seen = new Map<string, string>();
  for (const each of list) {
    if (typeof each !== 'string') continue;
    const first = seen.get(sameName(each)) ?? each;
    if (first !== each) return [first, each];
    seen.set(sameName(each), each);
  }
  return undefined;
}

function truth(description: string) {
  return v.pipe(
    v.boolean(({ input }) => notTruth(input)),
    v.metadata({ description }),
  );
}

function notTruth(value: unknown): string {
  if (typeof value !== 'string') return 'write true or false';
  if (/^(true|false)$/i.test(value)) return `is a text: write ${value.toLowerCase()} without quotes`;
  return `${quote(value)} is neither true nor false: write true or false`;
}

/** The schema of a property, made from the table of its fields. @param nested what it may have inside. */
function propertySchema(
  taken: readonly PropertyField[],
  nested: Readonly<Record<string, EntrySchema>>,
): EntrySchema {
  const hints = hintsByField();
  const top: Record<string, v.GenericSchema> = {};
  const inside = { location: {}, bank_account: {} } satisfies Record<string, Record<string, v.GenericSchema>>;
  for (const field of allPropertyFields) {
    const { check } = taken.find(({ flag }) => flag === field.flag) ?? field;
    const schema = valueSchema({ ...field, check }, hints[field.path.join('.')] ?? filled);
    const given = isNeeded(field) ? schema : v.nullish(schema);
    if (field.path.length === 1) top[field.path[0]] = given;
    else Object.assign(inside[field.path[0]], { [field.path[1]]: given });
  }
  return entryOf('property', {
    ...top,
    location: object(inside.location),
    bank_account: v.nullish(object(inside.bank_account)),
    extra: v.nullish(extra('property')),
    ...Object.fromEntries(
      [...nestedLists].map(([list, kind]) => [list, v.nullish(v.array(nested[kind] ?? v.never()))]),
    ),
  });
}

function valueSchema(field: PropertyField, hints: Hints): v.GenericSchema {
  const { kind, example, path } = field;
  const isFurther = furtherPropertyFields.some(({ flag }) => flag === field.flag);
  const description = isFurther ? ofDialect(field.summary) : field.summary;
  if (kind === 'languages') return languageMap(description, example);
  const check = remembering(field.check);
  const examples = example === undefined ? {} : { examples: [example] };
  return text(path[0] === 'code' ? unpadded(check) : check, { description, ...examples, ...hints });
}

/** What an editor can check by itself. Blank is missing, and what need not be there may be so. */
function hintsByField(): Readonly<Record<string, Hints>> {
  const timeOfDay = { pattern: '^([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d$' };
  return {
    'location.region_code': { pattern: '^([A-Z]{2}(-[A-Z0-9]{1,3})?|[A-Z0-9]{2,3})$' },
    'location.country_code': { enum: countryCodes() },
    time_zone: { pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$' },
    default_check_in_time: timeOfDay,
    default_check_out_time: timeOfDay,
    currency_code: { pattern: '^[A-Z]{3}$' },
  };
}

/** Blanks around a code are invisible and would make it another code. */
function unpadded(check: Check): Check {
  return (code) => {
    const isPadded = textProblem(code) === undefined && code !== code.trim();
    return isPadded ? 'begins or ends with a blank' : check(code);
  };
}

/** Fields that the contract does not name; they pass through as they are. */
function extra(kind: Kind) {
  const { contract } = entryKinds[kind];
  const other = (names: readonly string[]) => ({ type: 'object', propertyNames: { not: { enum: names } } });
  const inside = contract.flatMap((path) => path.split('.')[1] ?? []);
  const location = inside.length === 0 ? {} : { properties: { location: other(inside) } };
  return v.pipe(
    v.unknown(),
    v.metadata({
      description: 'fields of your service that the contract does not name',
      ...other(contract.filter((path) => !path.includes('.'))),
      ...location,
    }),
  );
}
