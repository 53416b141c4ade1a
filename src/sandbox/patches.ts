import jsonPatch, { type Operation } from 'fast-json-patch';
import * as v from 'valibot';
import { snakeCaseName } from '../model/fields.ts';
import { fixedFields, type Kind, kindTable } from '../model/kinds.ts';
import { groupBy, isIndex, isRecord, memberOf, type ServiceRecord, withoutHoles } from '../model/records.ts';
import {
  type Call,
  check,
  type Detail,
  existing,
  type Handlers,
  refusal,
  requireNone,
  unknownIds,
  wrong,
} from './call.ts';
import { type UserRecord, withProperties } from './people.ts';
import { listParameter } from './query.ts';
import {
  type ConnectedGroup,
  type PropertyRecord,
  put,
  type UnitGroupRecord,
  type UnitRecord,
} from './records.ts';
import { change, problemsOf } from './rules.ts';
import { attributeOfUnit, newRecord, patchSchemas, propertyFields, replacedGroupIn } from './schemas.ts';

const pointer = v.pipe(
  v.string('must be a text'),
  v.regex(/^\/([^~]|~0|~1)*$/, 'must be a path that begins with / (RFC 6901)'),
);

/** The segments of a JSON Pointer. */
export function segmentsOf(pointer: string): readonly string[] {
  const [, ...segments] = pointer.split('/');
  return segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

const kinds = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const;
/** More than any record has fields, in every language. */
const MOST_STEPS = 500;

const patch = v.pipe(
  v.array(
    v.object(
      {
        op: v.picklist(kinds, `must be one of ${kinds.join(', ')}`),
        path: pointer,
        from: v.exactOptional(pointer),
        value: v.optional(v.unknown()),
      },
      'must be an operation with op and path',
    ),
    'must be an array of operations',
  ),
  v.maxLength(MOST_STEPS, `must have at most ${MOST_STEPS} operations`),
);

/** One operation of a JSON Patch (RFC 6902). */
type Step = v.InferOutput<typeof patch>[number];

/** The operations that change fields. */
export const changes = {
  updateUser: change('users', patchUser),
  updateProperty: change('properties', patchProperty),
  /** A rank that is not given is removed. The composition is fixed after creation: it may be left out, or given as it is. */
  replaceUnitGroup: change('unit_groups', ({ rank: _, ...group }, { body }) => {
    const { connected_unit_groups: parts, rank, ...fields } = replacedGroupIn(body);
    const { connected_unit_groups: before = [] } = group;
    if (compositionOf(parts ?? before) !== compositionOf(before))
      throw wrong('connected_unit_groups', 'is fixed after creation');
    // What a group needs is in it, whatever is replaced.
    return { ...group, ...fields, ...withoutHoles({ rank }) } as UnitGroupRecord;
  }),
  updateUnit: change('units', patchUnit),
  /** The same operations for all of unit_ids, or for none of them. */
  updateUnits: (call) => {
    const ids = [...new Set(listParameter(call.query, 'unit_ids'))];
    requireNone(unknownIds('unitIds', 'units', ids, call.records));
    const units = ids.map((id) => patchUnit(existing(call.records, 'units', id), call));
    return { status: 204, changes: units.map((unit) => put('units', unit.id, unit)) };
  },
  /** The description alone can be changed. */
  updateUnitAttribute: change('unit_attributes', (attribute, { body }) =>
    check(patch, body).reduce(
      (before, step) => withField('unit_attribute', before, step, ['replace', 'remove']),
      attribute,
    ),
  ),
} satisfies Partial<Handlers>;

const SET = ['add', 'replace'];
const REPLACE = ['replace'];

/**
 * Sets whole fields of a user: `replace`, and in the contract also `add` of `/properties`, which is the same (RFC 6902). The
 * roles in properties that stay are kept.
 *
 * @throws {Refusal} 422 for every other operation, and for values of a wrong type or of unknown properties.
 */
function patchUser(user: UserRecord, { body, records, dialect }: Call): UserRecord {
  const changed = check(patch, body).reduce((before, step) => {
    const isAdded = dialect === 'contract' && step.path === '/properties';
    return withField('user', before, step, isAdded ? SET : REPLACE);
  }, user);
  const added = changed.properties.filter((id) => !user.properties.includes(id));
  requireNone(unknownIds('properties', 'properties', added, records));
  return withProperties(changed, changed.properties);
}

/**
 * Applies what the public service documents: its fields are set, attributes are added (`/attributes/-`) and removed
 * (`/attributes/0`). A single text is set like a field (`/description/de`), which the documents leave open.
 *
 * @throws {Refusal} 422 of every other operation, of a wrong value, and of a unit that is archived.
 */
function patchUnit(unit: UnitRecord, { body, records }: Call): UnitRecord {
  const steps = check(patch, body);
  if (unit.archived !== undefined)
    throw refusal(422, 'archived', `The unit ${unit.id} is archived and cannot be changed.`);
  const changed = steps.reduce(patchedUnit, unit);
  requireNone(problemsOf(changed, records));
  return changed;
}

function patchedUnit(unit: UnitRecord, step: Step): UnitRecord {
  const [field, at, ...deeper] = segmentsOf(step.path);
  if (field !== 'attributes' || at === undefined || deeper.length > 0)
    return withField('unit', unit, step, SET);
  return { ...unit, attributes: withAttribute(unit.attributes, at, step) };
}

function withAttribute(ids: readonly string[], at: string, { op, path, value }: Step): readonly string[] {
  if (op === 'add' && at === '-') return [...new Set([...ids, check(attributeOfUnit, value).id])];
  if (op !== 'remove' || !isIndex(at)) throw wrong(path, `cannot be changed with ${op}`);
  if (Number(at) >= ids.length) throw wrong(path, 'does not exist');
  return ids.filter((_, index) => index !== Number(at));
}

function compositionOf(parts: readonly ConnectedGroup[]): string {
  return JSON.stringify(parts.map((part) => [part.unit_group_id, part.member_count]).sort());
}

/**
 * Carries out a step on a whole field, or on one text of a description.
 *
 * @param allowed the operations that change them.
 * @throws {Refusal} 422 of every other step, and of a wrong value.
 */
function withField<Kept extends ServiceRecord>(
  kind: Kind,
  record: Kept,
  { op, path, value }: Step,
  allowed: readonly string[],
): Kept {
  const [first = '', language, ...deeper] = segmentsOf(path);
  const field = snakeCaseName(first);
  const schema = patchSchemas(kind).get(field);
  const texts = memberOf(record, field);
  const isText = language !== undefined && deeper.length === 0 && field === 'description' && isRecord(texts);
  if (schema === undefined || (language !== undefined && !isText)) throw wrong(path, 'cannot be changed');
  if (!allowed.includes(op)) throw wrong(path, `cannot be changed with ${op}`);
  const whole = isText ? { ...texts, [language]: value } : value;
  const set =
    op === 'remove' ? { [field]: undefined } : check(v.strictObject({ [field]: schema }), { [field]: whole });
  // The schemas are those of its fields, and a field that is removed is optional.
  return withoutHoles({ ...record, ...set }) as Kept;
}

const UNKNOWN = 'is not a known field';
const FIXED = 'is fixed after creation';
const COUNTRY = '/location/country_code';

/** The operations on whole fields in the public service: what a property needs is replaced. Other fields cannot be changed. */
const allowedByPublic = new Map<string, readonly string[]>([
  ...[...groupBy(kindTable.property.fields, ({ path }) => path[0])].flatMap(([name, fields]) => {
    if (fields.some(({ isFixed, isNeverShown }) => isFixed || isNeverShown)) return [];
    const isNeeded = fields.some(({ isOptional }) => !isOptional);
    return [[name, isNeeded ? REPLACE : [...SET, 'remove']] as const];
  }),
  ['is_template', SET],
]);

/** Fields that are fixed after creation. */
const fixed = new Set([
  ...['id', 'created', 'status', 'is_archived', 'is_template', 'property_template_id'],
  ...fixedFields,
]);

/**
 * Applies RFC 6902 operations to a property and checks the result like a new one.
 * Paths may name fields as the contract does (`/defaultCheckInTime`) or as they are stored.
 *
 * @throws {Refusal} 409 when a `test` fails; 422 when an operation fails or results in a wrong value.
 */
function patchProperty(property: PropertyRecord, { body, dialect }: Call): PropertyRecord {
  const asked = check(patch, body).map(asStored);
  requireNone(asked.flatMap(dialect === 'apaleo' ? problemsInPublic : forbiddenFields));
  const patched = apply(property, dialect === 'apaleo' ? asked.map(setAddressLine) : asked);
  const { id, created, status, is_archived, is_template, property_template_id, ...fields } = patched;
  if (typeof is_template !== 'boolean') throw wrong('is_template', 'must be true or false');
  const template = withoutHoles({ property_template_id });
  const changed = {
    id,
    ...newRecord('property', { body: fields, dialect: 'contract' }),
    created,
    status,
    is_archived,
    is_template,
    ...template,
  };
  // The public service takes a whole location, and keeps the country.
  if (dialect === 'apaleo' && changed.location['country_code'] !== property.location['country_code'])
    throw wrong(COUNTRY, FIXED);
  return changed;
}

/** Most characters of JSON that a patch may write: each `copy` can double the property. */
const MAX_WRITTEN = 1_048_576;

/** The property after every step, its values not checked. @throws {Refusal} of the step that fails. */
function apply(property: PropertyRecord, steps: readonly Step[]): PropertyRecord {
  const changed = structuredClone(property);
  let written = 0;
  for (const step of steps) {
    for (const plain of withoutSource(step, changed)) {
      const { op, path, value } = plain;
      if (op !== 'test') written += JSON.stringify(value)?.length ?? 0;
      if (written > MAX_WRITTEN) throw wrong(path, 'makes the patch write more than 1 MiB');
      applyStep(plain, changed);
    }
  }
  return changed;
}

/** A copy or move as steps without `from`, for which the library would copy the whole document. @throws {Refusal} 422. */
function withoutSource(step: Step, document: unknown): readonly Step[] {
  const { op, path, from } = step;
  if (from === undefined || (op !== 'copy' && op !== 'move')) return [step];
  if (op === 'move' && path.startsWith(`${from}/`)) throw wrong(path, `lies within ${from}, which is moved`);
  const value = structuredClone(segmentsOf(from).reduce(memberOf, document));
  if (value === undefined) throw wrong(path, `${from} does not exist`);
  return [...(op === 'move' ? [{ op: 'remove', path: from } as const] : []), { op: 'add', path, value }];
}

/** Names in the prototype of objects were refused before. @throws {Refusal} 409 of a test; 422 of what cannot be carried out. */
function applyStep(step: Step, document: PropertyRecord): void {
  try {
    // Operation and path are checked; the library checks the rest.
    jsonPatch.applyOperation(document, step as Operation, true);
  } catch (error) {
    if (!(error instanceof jsonPatch.JsonPatchError)) throw error;
    const field = step.path;
    if (error.name !== 'TEST_OPERATION_FAILED') throw wrong(field, error.message.split('\n')[0] ?? '');
    throw refusal(409, 'test_failed', `The test of ${field} failed; nothing was changed.`, {
      details: [{ field, reason: 'has another value' }],
    });
  }
}

function asStored(step: Step): Step {
  const { path, from } = step;
  return { ...step, path: pointerAsStored(path), ...withoutHoles({ from: from && pointerAsStored(from) }) };
}

/** Field names become snake_case; the languages of a map stay as they are. */
function pointerAsStored(pointer: string): string {
  const [root, field = '', ...rest] = pointer.split('/');
  const stored = snakeCaseName(field);
  const nested = stored === 'location' || stored === 'bank_account' ? rest.map(snakeCaseName) : rest;
  return [root, stored, ...nested].join('/');
}

/** In the public service, a line of an address is set even if it is missing, and removed by null. */
function setAddressLine(step: Step): Step {
  if (!/^\/location\/[^/]+$/.test(step.path)) return step;
  return { ...step, op: step.value === null ? 'remove' : 'add' };
}

/** What the public service, which has a list of operations for each field, refuses of a step. */
function problemsInPublic({ op, path }: Step): readonly Detail[] {
  const [, field = '', ...rest] = path.split('/');
  const whole = allowedByPublic.get(field);
  if (path === COUNTRY) return [{ field: path, reason: FIXED }];
  if (whole === undefined) return [{ field: path, reason: 'cannot be changed' }];
  if (rest.some((name) => name in Object.prototype)) return [{ field: path, reason: UNKNOWN }];
  const allowed = rest.length === 0 || field === 'location' ? whole : [...whole, 'add'];
  return allowed.includes(op) ? [] : [{ field: path, reason: `cannot be changed with ${op}` }];
}

/** Every field may be tested and copied from; `move` writes at both ends. */
function forbiddenFields({ op, path, from }: Step): readonly Detail[] {
  const pointers = from === undefined ? [path] : [path, from];
  return pointers.flatMap((pointer) => {
    const [, field = '', ...rest] = pointer.split('/');
    const isWritten = op === 'move' || (op !== 'test' && pointer === path);
    if ([field, ...rest].some((name) => name in Object.prototype))
      return [{ field: pointer, reason: UNKNOWN }];
    if (!isWritten) return [];
    if (fixed.has(field)) return [{ field, reason: FIXED }];
    return propertyFields.has(field) ? [] : [{ field: pointer, reason: UNKNOWN }];
  });
}
