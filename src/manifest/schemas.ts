import * as v from 'valibot';
import { idProblem } from '../api/path.ts';
import { emailProblem } from '../checks/email.ts';
import type { Check } from '../checks/property-fields.ts';
import { nameProblem, quote, textProblem } from '../checks/text.ts';
import { type Kind, sameName } from './entry.ts';
import { NO_ROLES } from './names.ts';
import { propertySchema } from './property-schema.ts';
import {
  type EntrySchema,
  errorField,
  extra,
  type Hints,
  kindField,
  ofDialect,
  optional,
  text,
} from './schema-parts.ts';

const idHints = {
  description: 'id of a property, or code of one in the manifest or at the service',
  pattern: '^[^/\\\\?#%\\[\\]{}"\\s]{1,256}$',
  examples: ['BER'],
};

const emailHints = {
  description: 'e-mail address',
  pattern: '^[^@\\s/\\\\]{1,64}@[^@\\s/\\\\]+\\.[^@\\s/\\\\]+$',
  maxLength: 254,
  examples: ['ana@example.com'],
};

/** Exactly one of them names a user, and a null or an empty text is none. */
const oneName = {
  oneOf: [given('email'), given('subject_id')],
  anyOf: [
    told('enabled', { not: { type: 'null' } }),
    told('properties', { type: 'array' }),
    told('property_roles', { type: 'array' }),
    told('is_account_admin', { not: { type: 'null' } }),
    given('first_name'),
    given('last_name'),
  ],
};

/** What an entry says of a user, besides who it is. */
const said = ['enabled', 'properties', 'property_roles', 'first_name', 'last_name', 'is_account_admin'];

/**
 * Opens the schemas of all kinds, with the tables that they check against. They judge without waiting, and carry what
 * the published JSON Schema says of each field.
 */
export async function openSchemas(): Promise<Readonly<Record<Kind, EntrySchema>>> {
  return { property: await propertySchema(), invitation: invitationSchema(), user: userSchema() };
}

function invitationSchema(): EntrySchema {
  return v.strictObject(
    {
      kind: kindField('invitation'),
      email: text(emailProblem, emailHints),
      role: optional(role((name) => textProblem(name, 100))),
      roles: optional(roles()),
      properties: optional(ids('properties that the person may work with')),
      is_account_admin: optional(truth('full access to every property')),
      extra: optional(extra('invitation')),
      error: errorField(),
    },
    'must hold fields and values',
  );
}

function userSchema(): EntrySchema {
  return v.pipe(
    v.strictObject(
      {
        kind: kindField('user'),
        email: optional(text(emailProblem, emailHints)),
        subject_id: optional(text(idProblem, { description: 'id of the user', pattern: idHints.pattern })),
        enabled: optional(truth('whether the user may log in')),
        properties: optional(ids('all properties that the user has afterwards')),
        property_roles: optional(propertyRoles()),
        first_name: optional(text(nameProblem, { description: ofDialect('first name'), pattern: '\\S' })),
        last_name: optional(text(nameProblem, { description: ofDialect('last name'), pattern: '\\S' })),
        is_account_admin: optional(truth(ofDialect('full access to every property'))),
        error: errorField(),
      },
      'must hold fields and values',
    ),
    v.check(
      ({ email, subject_id: id }) => (email === undefined) !== (id === undefined),
      'give either email or subject_id, to say which user it is',
    ),
    v.check(
      (user) => Object.entries(user).some(([field, value]) => said.includes(field) && value !== undefined),
      'give enabled, properties or another field that says how the user should be',
    ),
    v.check(
      (user) => placesLeftOut(user).length === 0,
      ({ input }) =>
        `property_roles names ${placesLeftOut(input).map(quote).join(', ')}, not among properties`,
    ),
    v.metadata(oneName),
  );
}

/** The properties of the roles that are not among the properties, where an entry names both. */
function placesLeftOut({ properties, property_roles: placed }: UserPlaces): readonly string[] {
  if (!properties || !placed) return [];
  return placed.map(({ id }) => id).filter((id) => !properties.includes(id));
}

interface UserPlaces {
  readonly properties?: readonly string[] | null | undefined;
  readonly property_roles?: readonly { readonly id: string }[] | null | undefined;
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
  const form = 'write it as {id: BER, roles: [FrontDesk]}';
  const one = v.strictObject(
    {
      id: text(idProblem, idHints),
      roles: v.array(role(placedRoleProblem), 'must be a list of roles: [FrontDesk, Auditor]'),
    },
    form,
  );
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
  return name.trim() === NO_ROLES ? `"${NO_ROLES}" is no role: write roles: []` : oneRoleProblem(name);
}

/** A table has all of them in one cell. */
function oneRoleProblem(name: string): string | undefined {
  return /[,;]/.test(name) ? `${quote(name)} is more than one role` : textProblem(name, 100);
}

function ids(description: string) {
  return v.pipe(
    v.array(text(idProblem, idHints), 'must be a list of property ids: [BER, VIE]'),
    v.rawCheck(({ dataset: { value }, addIssue }) => {
      const twice = Array.isArray(value) ? twins(value) : undefined;
      if (twice !== undefined)
        addIssue({ message: `${quote(twice[0])} stands there twice, the second time as ${quote(twice[1])}` });
    }),
    v.metadata({ description }),
    v.transform((each) => [...new Set(each)]),
  );
}

/** The first two that differ in nothing but the case of letters; of those that are alike one is enough. */
function twins(list: readonly unknown[]): readonly [string, string] | undefined {
  const seen = new Map<string, string>();
  for (const each of list) {
    if (typeof each !== 'string') continue;
    const first = seen.get(sameName(each));
    if (first !== undefined && first !== each) return [first, each];
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

function given(field: string) {
  return told(field, { type: 'string', pattern: '\\S' });
}

function told(field: string, as: Hints) {
  return { required: [field], properties: { [field]: as } };
}
