import jsonPatch, { type Operation } from 'fast-json-patch';
import { snakeCaseName } from '../model/fields.ts';
import { fixedFields } from '../model/property-fields.ts';
import { memberOf, withoutHoles } from '../model/records.ts';
import type { DialectName } from '../service/operations.ts';
import type { PropertyRecord } from './records.ts';
import { type Detail, invalid, parsePatch, refusal, type Step, segmentsOf, wrong } from './refusal.ts';
import { parseProperty, propertyFields } from './schemas.ts';

const UNKNOWN = 'is not a known field';
const FIXED = 'is fixed after creation';
const COUNTRY = '/location/country_code';

const SET = ['add', 'replace', 'remove'];
const REPLACE = ['replace'];

/** The operations on whole fields in the public service; other fields cannot be changed. */
const allowedByPublic: ReadonlyMap<string, readonly string[]> = new Map([
  ['name', REPLACE],
  ['description', SET],
  ['company_name', REPLACE],
  ['managing_directors', SET],
  ['commercial_register_entry', REPLACE],
  ['tax_id', REPLACE],
  ['location', REPLACE],
  ['bank_account', SET],
  ['payment_terms', REPLACE],
  ['is_template', ['add', 'replace']],
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
export function patchProperty(property: PropertyRecord, body: unknown, dialect: DialectName): PropertyRecord {
  const asked = parsePatch(body).map(asStored);
  const refused = asked.flatMap((step) =>
    dialect === 'apaleo' ? problemsInPublic(step) : forbiddenFields(step),
  );
  if (refused.length > 0) throw invalid(refused);
  const steps = dialect === 'apaleo' ? asked.map(setAddressLine) : asked;
  const { id, created, status, is_archived, property_template_id } = property;
  const { is_template, ...fields } = apply(property, steps);
  if (typeof is_template !== 'boolean') throw wrong('is_template', 'must be true or false');
  const template = property_template_id === undefined ? {} : { property_template_id };
  const changed = { id, ...parseProperty(fields), created, status, is_archived, is_template, ...template };
  // The public service takes a whole location, and keeps the country.
  if (dialect === 'apaleo' && changed.location.country_code !== property.location.country_code)
    throw wrong(COUNTRY, FIXED);
  return changed;
}

/** Most characters of JSON that a patch may write: each `copy` can double the property. */
const MAX_WRITTEN = 1_048_576;

/** The writable fields of the property after every step. @throws {Refusal} of the step that fails. */
function apply(property: PropertyRecord, steps: readonly Step[]): Readonly<Record<string, unknown>> {
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
  const { id, created, status, is_archived, property_template_id, ...fields } = changed;
  return fields;
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
    // `parsePatch` checked operation and path; the library checks the rest.
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
