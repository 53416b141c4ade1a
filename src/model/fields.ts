import { type Field, isInLanguages, type Kind, kinds, kindTable } from './kinds.ts';
import { isObject } from './records.ts';
import { capitalised } from './text.ts';
import { languageProblem } from './values.ts';

/**
 * The fields that the contract or the public service names, by kind of record; `*` is a language. Of lists only the name
 * is known.
 */
const knownPaths: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(kinds.map((kind) => [kind, pathsOf(kindTable[kind])])),
  role: ['id', 'name'],
  country: ['code', 'name.*'],
};

function pathsOf({ fields, shown }: (typeof kindTable)[Kind]): readonly string[] {
  const own = fields.map((field) => (isInLanguages(field) ? `${field.name}.*` : placeOf(field)));
  return [...shown, ...own];
}

/** Where a record has a field: its path, or the object or list that shows it. */
function placeOf({ name, shownAt: [outer = name] = [] }: Field): string {
  return outer;
}

const allFields = kinds.flatMap((kind) => kindTable[kind].fields);

/** Names of several words. Answers may spell them in camelCase; innctl shows snake_case. */
const snakeCaseNames = [
  ...new Set(Object.values(knownPaths).flatMap((paths) => paths.flatMap((path) => path.split('.')))),
  ...allFields.flatMap(({ sentAs = '', sentUnder = '' }) => [sentAs, sentUnder]),
  ...['account_code', 'country_codes', 'is_allowed', 'is_occupied'],
].filter((name) => name.includes('_'));

/** Objects and lists inside a record whose own fields are known too; not language maps. */
const nested = new Set([
  ...['actions', 'reasons', 'connecting_unit', 'maintenance', 'units'],
  ...allFields.flatMap((field) => {
    const { path, shownAt, of, type } = field;
    const isOuter = path.length === 2 || shownAt !== undefined || of !== undefined || type === 'roles';
    return isOuter ? (placeOf(field).split('.')[0] ?? []) : [];
  }),
]);

const snakeCaseOf = new Map(snakeCaseNames.map((name) => [camelCase(name), name]));
const camelCaseOf = new Map(snakeCaseNames.map((name) => [name, camelCase(name)]));

/** Names that `normalise` may change, or whose values it may change. */
const judged = new Set([...snakeCaseOf.keys(), ...nested]);

const plainNameOf = new Map(snakeCaseNames.map((name) => [camelCase(name).toLowerCase(), name]));

/**
 * A record with its known fields in snake_case, nested ones included. Unknown fields, language maps and values stay as
 * they are.
 *
 * @returns the same object if it is spelt like that already: most are, and lists are long.
 */
export function normalise(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isNormal(record) ? record : respelt(record, (known) => known, normalise);
}

function isNormal(record: Readonly<Record<string, unknown>>): boolean {
  // Object.keys would create a list for each record; an object from JSON inherits no names.
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

/** A record in another spelling. Of a field in both spellings, the snake_case one stays. */
function respelt(
  record: Readonly<Record<string, unknown>>,
  nameOf: (known: string) => string,
  inner: typeof normalise,
): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) {
    const known = snakeCaseName(name);
    if (known !== name && Object.hasOwn(record, known)) continue;
    set(fields, nameOf(known), nested.has(known) ? inside(value, inner) : value);
  }
  return fields;
}

/** A value whose records are respelt. */
function inside(value: unknown, inner: typeof normalise): unknown {
  // Most lists are texts.
  if (Array.isArray(value)) return value.some(isObject) ? value.map((entry) => inside(entry, inner)) : value;
  return isObject(value) ? inner(value) : value;
}

/** Assigning `__proto__` would set the prototype. */
function set(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') fields[name] = value;
  else Object.defineProperty(fields, name, { value, enumerable: true, writable: true, configurable: true });
}

/** The value of a field as `normalise` leaves it in a record. */
export function normaliseValue(field: string, value: unknown): unknown {
  return nested.has(field) ? inside(value, normalise) : value;
}

/** The snake_case spelling of a known field; any other name unchanged. */
export function snakeCaseName(name: string): string {
  return snakeCaseOf.get(name) ?? name;
}

/** A name in lower case; a known one in snake_case, in whatever spelling it came. */
export function plainName(name: string): string {
  const small = name.toLowerCase();
  return plainNameOf.get(small) ?? small;
}

/**
 * A path to a field as a refusal names it (`location.countryCode`, `$.CompanyName`, `/taxId`), its known fields in
 * snake_case.
 */
export function fieldPath(spelt: string): string {
  return spelt.replaceAll(/\w+/g, (name) => plainNameOf.get(name.toLowerCase()) ?? name);
}

/** A body with its known fields in camelCase; language maps, unknown fields and values stay as they are. */
export function inCamelCase(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return respelt(record, camelCaseName, inCamelCase);
}

/**
 * The value at a path of a record, its known fields in camelCase.
 *
 * @param path names, in either spelling; empty for the whole record.
 */
export function inCamelCaseAt([first, ...inner]: readonly string[], value: unknown): unknown {
  if (inner.length > 0 || (first !== undefined && !nested.has(snakeCaseName(first)))) return value;
  return inside(value, inCamelCase);
}

/** A path with its known names in camelCase; languages and unknown names stay as they are. */
export function camelCasePath([first, ...inner]: readonly string[]): readonly string[] {
  if (first === undefined) return [];
  const isNested = nested.has(snakeCaseName(first));
  return [camelCaseName(first), ...(isNested ? inner.map(camelCaseName) : inner)];
}

function camelCaseName(name: string): string {
  return camelCaseOf.get(name) ?? name;
}

/** A name in camelCase. Without a regular expression: runs at every start. */
export function camelCase(name: string): string {
  const [first = '', ...others] = name.split('_');
  return first + others.map(capitalised).join('');
}

/**
 * Whether a service may show this field, a dotted path, in a record that innctl prints.
 *
 * @param noun the kind of record, such as `property`; default: any.
 */
export function isKnownField(field: string, noun?: string): boolean {
  const names = field.split('.');
  const paths = noun === undefined ? Object.values(knownPaths).flat() : (knownPaths[noun] ?? []);
  const isAt = (step: string | undefined, name: string) =>
    step === name || (step === '*' && languageProblem(name) === undefined);
  return paths.some((path) => {
    const steps = path.split('.');
    return names.length <= steps.length && names.every((name, index) => isAt(steps[index], name));
  });
}
