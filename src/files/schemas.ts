import * as v from 'valibot';
import { placedRoles } from '../model/access.ts';
import { inForm, judgeValue, readValue } from '../model/field-values.ts';
import { type Field, isInventory, type Kind, kindTable } from '../model/kinds.ts';
import type { Check } from '../model/ports.ts';
import { recordsIn } from '../model/records.ts';
import { idPattern, quote } from '../model/text.ts';
import { isRequired } from './entry.ts';
import { entryFields, nestedLists } from './names.ts';

/** Keywords of the JSON Schema for a field, besides its type. */
type Hints = Readonly<Record<string, unknown>>;

/** Of a text that is not blank. */
const filled: Hints = { type: 'string', pattern: '\\S' };

/** What an entry of one kind may be. Null, empty and blank fields are left out before. */
export type EntrySchema = v.GenericSchema<unknown, Record<string, unknown>>;

/**
 * The schemas of all kinds, made from the table; they carry the keywords of the published JSON Schema for each field.
 *
 * @param taken the fields of a property at a service, which may check values more strictly.
 */
export function openSchemas(taken: readonly Field[] = []): Readonly<Record<Kind, EntrySchema>> {
  const unit_group = object(entriesOf('unit_group'));
  const unit = v.pipe(
    object(entriesOf('unit')),
    v.check(({ name, names }) => (name === undefined) !== (names === undefined), 'give either name or names'),
  );
  const inside = { unit_group, unit };
  return {
    property: object({
      ...entriesOf('property', taken),
      ...Object.fromEntries([...nestedLists].map(([list, kind]) => [list, v.nullish(v.array(inside[kind]))])),
    }),
    invitation: object(entriesOf('invitation')),
    user: userSchema(),
    unit_attribute: object(entriesOf('unit_attribute')),
    unit_group,
    unit,
  };
}

/** An object with these fields and no others. */
function object(fields: v.ObjectEntries): EntrySchema {
  return v.strictObject(fields, 'must hold fields and values');
}

/** The fields of an entry. What a hotel or its inventory needs is checked when it is created: one that exists may be named alone. */
function entriesOf(kind: Kind, taken: readonly Field[] = []): v.ObjectEntries {
  const top: Record<string, v.GenericSchema> = { kind: v.nullish(v.literal(kind)) };
  const inside: Record<string, Record<string, v.GenericSchema>> = {};
  for (const field of kindTable[kind].fields) {
    const [outer, inner] = field.path;
    const { check } = taken.find(({ name }) => name === field.name) ?? field;
    const schema = schemaOf({ ...field, check }, descriptionOf(kind, field));
    const given = isRequired(kind, field) ? schema : v.nullish(schema);
    if (inner === undefined) top[outer] = given;
    else inside[outer] = { ...inside[outer], [inner]: given };
  }
  const objects = Object.entries(inside).map(([outer, fields]) => [outer, v.nullish(object(fields))]);
  const extra = entryFields(kind).includes('extra') ? { extra: v.nullish(extraOf(kind)) } : {};
  return { ...top, ...Object.fromEntries(objects), ...extra };
}

/** The JSON Schema is the same for all services, and for records that exist: it says what the contract does not name, and what a new one needs. */
function descriptionOf(kind: Kind, field: Field): string {
  const { summary, isFurther, isOptional, type } = field;
  const isApaleo = isInventory(kind) || isFurther === true;
  return [
    `${summary}${isApaleo ? ' (services of the dialect apaleo)' : ''}`,
    ...(type === 'languages' ? ['by language code'] : []),
    ...(isOptional === true || isRequired(kind, field) ? [] : ['needed to create it']),
  ].join(', ');
}

/** Fields that say which user it is. */
const keys = ['email', 'subject_id'];

function userSchema(): EntrySchema {
  const states = kindTable.user.fields.filter(({ name }) => !keys.includes(name));
  return v.pipe(
    object(entriesOf('user')),
    v.check(
      (fields) => keys.filter((key) => fields[key] !== undefined).length === 1,
      'give either email or subject_id, to say which user it is',
    ),
    v.check(
      (fields) => states.some(({ name }) => fields[name] !== undefined),
      'give enabled, properties or another field that says how the user should be',
    ),
    v.rawCheck(({ dataset: { typed, value }, addIssue }) => {
      const { properties, [placedRoles]: placed } = typed ? value : {};
      if (!Array.isArray(properties) || !Array.isArray(placed)) return;
      const ids = recordsIn(placed).flatMap(({ id }) => (typeof id === 'string' ? id : []));
      const left = ids.filter((id) => !properties.includes(id));
      if (left.length > 0)
        addIssue({ message: `${placedRoles} names ${left.map(quote).join(', ')}, not among properties` });
    }),
    v.metadata({
      oneOf: keys.map((key) => where(key, filled)),
      anyOf: states.map(({ name, type }) => where(name, givenHints[type] ?? { type: 'array' })),
    }),
  );
}

/** When a field of a type has a value: null and an empty text are none. */
const givenHints: Readonly<Partial<Record<Field['type'], Hints>>> = {
  truth: { not: { type: 'null' } },
  text: filled,
};

function where(field: string, hints: Hints): Hints {
  return { required: [field], properties: { [field]: hints } };
}

/** Fields that the contract does not name; they pass through as they are. */
function extraOf(kind: Kind) {
  const own = kindTable[kind].fields.filter(({ isFurther }) => isFurther !== true);
  const other = (names: readonly string[]) => ({ type: 'object', propertyNames: { not: { enum: names } } });
  const inside = own.flatMap(({ path: [, inner] }) => inner ?? []);
  const location = inside.length === 0 ? {} : { properties: { location: other(inside) } };
  return v.pipe(
    v.unknown(),
    v.metadata({
      description: 'fields of your service that the contract does not name',
      ...other(own.flatMap(({ path }) => (path.length === 1 ? [path[0]] : []))),
      ...location,
    }),
  );
}

/** The schema of a field, with the keywords of the published JSON Schema. */
function schemaOf(field: Field, description: string): v.GenericSchema {
  const judged = { ...field, check: remembering(field.check) };
  const checked = v.pipe(
    v.unknown(),
    v.rawCheck(({ dataset: { value }, addIssue }) => {
      for (const { path, reason, part } of judgeValue(judged, inForm(field, value))) {
        const [first, ...rest] = path.map(
          (key) => ({ type: 'unknown', origin: 'value', input: part, key, value: part }) as const,
        );
        addIssue({ message: reason, input: part, path: first && [first, ...rest] });
      }
    }),
    v.metadata({ description, ...keywords[field.type](field) }),
  );
  return v.pipe(
    checked,
    v.transform((value) => readValue(field, value)),
  );
}

/** The keywords for fields of each type, but for their descriptions. */
const keywords: Readonly<Record<Field['type'], (field: Field) => Hints>> = {
  text: textHints,
  choice: ({ choices }) => ({ type: 'string', enum: choices }),
  truth: () => ({ type: 'boolean' }),
  whole: ({ example }) => ({ ...number, examples: [Number(example ?? 1)] }),
  languages: ({ example = '' }) => ({
    type: 'object',
    propertyNames: { type: 'string', pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$' },
    additionalProperties: filled,
    minProperties: 1,
    examples: [{ en: /^en="?(.+?)"?$/.exec(example)?.[1] ?? '' }],
  }),
  list: (field) => ({ type: 'array', items: textHints(field) }),
  counts: ({ example = '' }) => {
    const [code = '', count] = example.split('=');
    const [propertyNames, additionalProperties] = [filled, number];
    return {
      type: 'object',
      propertyNames,
      additionalProperties,
      minProperties: 1,
      examples: [{ [code]: Number(count) }],
    };
  },
  names: ({ example }) => ({
    anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    examples: [example],
  }),
  roles: () => ({
    type: 'array',
    items: {
      type: 'object',
      properties: {
        id: {
          type: 'string',
          description: 'id of a property, or code of one in the manifest or at the service',
          pattern: idPattern,
          examples: ['BER'],
        },
        roles: { type: 'array', items: { type: 'string', maxLength: 100, examples: ['Housekeeping'] } },
      },
      required: ['id', 'roles'],
      additionalProperties: false,
    },
  }),
};

const number: Hints = { anyOf: [{ type: 'string' }, { type: 'number' }], minimum: 1 };

function textHints({ example, known, pattern = '\\S', most }: Field): Hints {
  return {
    type: 'string',
    ...(known === undefined ? { pattern } : { enum: known() }),
    ...(most === undefined ? {} : { maxLength: most }),
    ...(example === undefined ? {} : { examples: [example] }),
  };
}

const MOST_REMEMBERED = 1_000;

/** A check with a cache: time zones and languages are slow to check, and repeat. */
function remembering(check: Check): Check {
  const known = new Map<string, string | undefined>();
  return (value) => {
    if (known.has(value)) return known.get(value);
    const problem = check(value);
    if (known.size < MOST_REMEMBERED) known.set(value, problem);
    return problem;
  };
}
