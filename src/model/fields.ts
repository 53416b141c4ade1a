import { allPropertyFields, serviceFields } from './property-fields.ts';
import { languageProblem } from './values.ts';

/**
 * The fields that the contract or the public service names, by what they are of; `*` is a language. Of lists only the name
 * is known, not what they hold.
 */
const knownPaths: Readonly<Record<string, readonly string[]>> = {
  property: [
    ...serviceFields,
    ...allPropertyFields.map(({ path, kind }) => (kind === 'languages' ? `${path[0]}.*` : path.join('.'))),
  ],
  user: [
    'email',
    'enabled',
    'first_name',
    'is_account_admin',
    'is_mfa_enabled',
    'is_passkeys_enabled',
    'last_name',
    'properties',
    'property_roles',
    'subject_id',
  ],
  invitation: ['created', 'email', 'invited_by', 'is_account_admin', 'properties', 'role', 'roles'],
  role: ['id', 'name'],
  country: ['code', 'name.*'],
};

/** Names of several words, which answers may spell in camelCase too; innctl shows snake_case. */
const snakeCaseNames = [
  ...new Set(Object.values(knownPaths).flatMap((paths) => paths.flatMap((path) => path.split('.')))),
  ...['account_code', 'country_codes', 'is_allowed'],
].filter((name) => name.includes('_'));

/** Known objects and lists inside a record whose own fields are known too. Language maps are not among them. */
const nested = new Set(['location', 'bank_account', 'properties', 'property_roles', 'actions', 'reasons']);

const snakeCaseOf = new Map(snakeCaseNames.map((name) => [camelCase(name), name]));
const camelCaseOf = new Map(snakeCaseNames.map((name) => [name, camelCase(name)]));

/** Names that `normalise` may change, or whose values it may; most names are not among them. */
const judged = new Set([...snakeCaseOf.keys(), ...nested]);

const plainNameOf = new Map(snakeCaseNames.map((name) => [camelCase(name).toLowerCase(), name]));

/**
 * A record with its known fields in snake_case, nested ones included. Unknown fields, language maps and
 * values pass through unchanged; where both spellings are there, the snake_case one stays.
 *
 * @returns the very same record where it is spelt like that already: most are, and lists are long.
 */
export function normalise(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isNormal(record) ? record : spelt(record);
}

function isNormal(record: Readonly<Record<string, unknown>>): boolean {
  // Not over its keys as a list, which would be made for each record; what comes from JSON inherits none.
  for (const name in record) {
    if (!judged.has(name)) continue;
    if (!nested.has(name) || !isNormalInside(record[name])) return false;
  }
  return true;
}

function isNormalInside(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isNormalInside);
  // A non-null object that is no array is a record of names to values.
  return typeof value !== 'object' || value === null || isNormal(value as Record<string, unknown>);
}

function spelt(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of Object.keys(record)) {
    const known = snakeCaseOf.get(name);
    if (known !== undefined && Object.hasOwn(record, known)) continue;
    set(fields, known ?? name, normaliseValue(known ?? name, record[name]));
  }
  return fields;
}

/** To assign this one name would set the prototype. */
function set(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') fields[name] = value;
  else Object.defineProperty(fields, name, { value, enumerable: true, writable: true, configurable: true });
}

/** The value of a field as `normalise` leaves it in a record. */
export function normaliseValue(field: string, value: unknown): unknown {
  return nested.has(field) ? normaliseInside(value) : value;
}

/** The snake_case spelling of a known field; any other name as it is. */
export function snakeCaseName(name: string): string {
  return snakeCaseOf.get(name) ?? name;
}

/** The small letters of a name, known fields in snake_case however they are spelt. */
export function plainName(name: string): string {
  const small = name.toLowerCase();
  return plainNameOf.get(small) ?? small;
}

/**
 * A path to a field as a service names it in a refusal, its known fields in snake_case: `location.countryCode`,
 * `$.CompanyName`, `/taxId`. Everything else in it stays as it is.
 */
export function fieldPath(spelt: string): string {
  return spelt.replaceAll(/\w+/g, (name) => plainNameOf.get(name.toLowerCase()) ?? name);
}

/** A body with its known fields in camelCase; language maps, unknown fields and values pass through unchanged. Of both spellings ours stays. */
export function inCamelCase(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) {
    const own = snakeCaseOf.get(name);
    if (own !== undefined && Object.hasOwn(record, own)) continue;
    set(fields, camelCaseName(name), inCamelCaseAt([name], value));
  }
  return fields;
}

/**
 * The value that stands at a path of a record, its known fields in camelCase.
 *
 * @param path names, in either spelling; that of the whole record is empty.
 */
export function inCamelCaseAt(path: readonly string[], value: unknown): unknown {
  const [first, ...inner] = path;
  if (inner.length > 0 || (first !== undefined && !nested.has(snakeCaseName(first)))) return value;
  if (Array.isArray(value)) return value.map((entry) => inCamelCaseAt([], entry));
  // A non-null object that is no array is a record of names to values.
  return typeof value === 'object' && value !== null ? inCamelCase(value as Record<string, unknown>) : value;
}

/** The names on the way to a value, those of known fields in camelCase; languages and unknown names as they are. */
export function camelCasePath([first, ...inner]: readonly string[]): readonly string[] {
  if (first === undefined) return [];
  const isNested = nested.has(snakeCaseName(first));
  return [camelCaseName(first), ...(isNested ? inner.map(camelCaseName) : inner)];
}

function camelCaseName(name: string): string {
  return camelCaseOf.get(name) ?? name;
}

function normaliseInside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normaliseInside);
  // A non-null object that is no array is a record of names to values.
  return typeof value === 'object' && value !== null ? normalise(value as Record<string, unknown>) : value;
}

/** Without a regular expression: the tables are made at every start. */
export function camelCase(name: string): string {
  const [first = '', ...others] = name.split('_');
  return first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/**
 * Whether the service may show this field, a dotted path, in a record that innctl prints; records may lack it.
 *
 * @param noun what the record is of: `property`; any of them where it is left out.
 */
export function isKnownField(field: string, noun?: string): boolean {
  const names = field.split('.');
  const paths = noun === undefined ? Object.values(knownPaths).flat() : (knownPaths[noun] ?? []);
  return paths
    .map((path) => path.split('.'))
    .some(
      (path) =>
        names.length <= path.length &&
        names.every((name, index) => path[index] === name || isLanguageAt(path[index], name)),
    );
}

function isLanguageAt(step: string | undefined, name: string): boolean {
  return step === '*' && languageProblem(name) === undefined;
}
