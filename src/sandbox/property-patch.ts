import jsonPatch, { type Operation as PatchStep } from 'fast-json-patch';
import type { Detail } from '../cli/errors.ts';
import { memberOf } from '../out/paths.ts';
import type { DialectName } from '../service/dialect-names.ts';
import { parseProperty, propertyFields } from './property-schema.ts';
import type { PropertyRecord } from './records.ts';
import { invalid, parsePatch, refusal, type Step } from './refusal.ts';

const UNKNOWN = 'is not a known field';
const FIXED = 'is fixed after creation';
const COUNTRY = '/location/country_code';

const SET = ['add', 'replace', 'remove'];
const REPLACE = ['replace'];

/** What the public service lets be done with a whole field; no other can be changed. */
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

/** What callers write once, at creation. */
const fixed = new Set([
  'id',
  'code',
  'created',
  'status',
  'is_archived',
  'is_template',
  'time_zone',
  'currency_code',
]);

/**
 * The property as RFC 6902 operations leave it, checked like a new one.
 * Paths may name fields as the contract does (`/defaultCheckInTime`) or as they are stored.
 *
 * @throws {Refusal} 409 when a `test` fails; 422 when an operation cannot be carried out or leaves a wrong value.
 */
export function patchProperty(property: PropertyRecord, body: unknown, dialect: DialectName): PropertyRecord {
  const asked = parsePatch(body).map(asStored);
  const refused = asked.flatMap(dialect === 'apaleo' ? forbiddenByPublic : forbiddenFields);
  if (refused.length > 0) throw invalid(refused);
  const steps = dialect === 'apaleo' ? asked.map(settingLines) : asked;
  const { id, created, status, is_archived } = property;
  const { is_template, ...fields } = apply(property, steps);
  if (typeof is_template !== 'boolean')
    throw invalid([{ field: 'is_template', reason: 'must be true or false' }]);
  const changed = { id, ...parseProperty(fields), created, status, is_archived, is_template };
  // The public service takes a whole location, and keeps the country.
  if (dialect === 'apaleo' && changed.location.country_code !== property.location.country_code)
    throw invalid([{ field: COUNTRY, reason: FIXED }]);
  return changed;
}

/** Applies every step and gives back the part that callers write. */
function apply(document: PropertyRecord, steps: readonly Step[]): Partial<PropertyRecord> {
  const changed = structuredClone(document);
  try {
    let written = 0;
    for (const step of steps) {
      for (const plain of withoutSource(step, changed)) {
        written += weightOf(plain);
        if (written > LARGEST)
          throw invalid([{ field: step.path, reason: 'makes the patch write more than 1 MiB' }]);
        // It was checked to be an operation of RFC 6902 with a path; the library checks the rest of its shape.
        jsonPatch.applyOperation(changed, plain as PatchStep, true);
      }
    }
  } catch (error) {
    throw refusalFor(error);
  }
  const { id, created, status, is_archived, ...fields } = changed;
  return fields;
}

/** What all steps of a patch may write together: each `copy` can double what is there. */
const LARGEST = 1_048_576;
const DEEPEST = 32;
/** What a value counts for beside its characters: it takes memory, and time. */
const VALUE_WEIGHT = 16;

/** A step as steps that name no source: for each of those, the library would copy the whole document. @throws {Refusal} 422. */
function withoutSource(step: Step, document: unknown): readonly Step[] {
  const { op, path, from } = step;
  if (from === undefined || !(op === 'copy' || op === 'move')) return [step];
  if (op === 'move' && path.startsWith(`${from}/`))
    throw invalid([{ field: path, reason: `lies within ${from}, which is moved` }]);
  const value = structuredClone(namesIn(from).reduce(memberOf, document));
  if (value === undefined) throw invalid([{ field: path, reason: `${from} does not exist` }]);
  const added: Step = { op: 'add', path, value };
  return op === 'copy' ? [added] : [{ op: 'remove', path: from }, added];
}

/** What a step is about to write; no more than the limit is gone over, and without recursion. @throws {Refusal} 422. */
function weightOf({ op, path, value }: Step): number {
  if (op === 'test' || op === 'remove') return 0;
  let weight = 0;
  const pending: { readonly value: unknown; readonly depth: number }[] = [
    { value, depth: namesIn(path).length },
  ];
  for (let next = pending.pop(); next !== undefined && weight <= LARGEST; next = pending.pop()) {
    const { value: each, depth } = next;
    weight += VALUE_WEIGHT + (typeof each === 'string' ? each.length : 0);
    if (typeof each !== 'object' || each === null) continue;
    if (depth > DEEPEST)
      throw invalid([{ field: path, reason: `makes the property deeper than ${DEEPEST} levels` }]);
    for (const [name, child] of Object.entries(each)) {
      weight += name.length;
      pending.push({ value: child, depth: depth + 1 });
    }
  }
  return weight;
}

function namesIn(pointer: string): readonly string[] {
  return pointer.split('/').slice(1).map(jsonPatch.unescapePathComponent);
}

/** Of the step that failed; the index that the library gives is not always that of the step. */
function refusalFor(error: unknown): unknown {
  if (!(error instanceof jsonPatch.JsonPatchError)) return error;
  const field = error.operation?.path ?? 'body';
  const [reason = ''] = error.message.split('\n');
  if (error.name !== 'TEST_OPERATION_FAILED') return invalid([{ field, reason }]);
  return refusal(409, 'test_failed', `The test of ${field} failed; nothing was changed.`, {
    details: [{ field, reason: 'has another value' }],
  });
}

function asStored(step: Step): Step {
  return {
    ...step,
    path: pointerAsStored(step.path),
    ...(step.from === undefined ? {} : { from: pointerAsStored(step.from) }),
  };
}

/** Field names become snake_case; the languages of a map stay as they are. */
function pointerAsStored(pointer: string): string {
  const [root, field = '', ...rest] = pointer.split('/');
  const stored = snakeCase(field);
  const nested = stored === 'location' || stored === 'bank_account' ? rest.map(snakeCase) : rest;
  return [root, stored, ...nested].join('/');
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A line of an address is replaced there, one that is not there yet too; null takes it away. */
function settingLines(step: Step): Step {
  if (!/^\/location\/[^/]+$/.test(step.path)) return step;
  return { ...step, op: step.value === null ? 'remove' : 'add' };
}

/** The public service has a list of what may be done, for each field. */
function forbiddenByPublic(step: Step): readonly Detail[] {
  if (step.path === COUNTRY) return [{ field: COUNTRY, reason: FIXED }];
  const [, field = '', ...rest] = step.path.split('/');
  const allowed = allowedByPublic.get(field);
  if (allowed === undefined) return [{ field: step.path, reason: 'cannot be changed' }];
  if (rest.some((name) => name in Object.prototype)) return [{ field: step.path, reason: UNKNOWN }];
  const operations = rest.length === 0 || field === 'location' ? allowed : [...allowed, 'add'];
  return operations.includes(step.op)
    ? []
    : [{ field: step.path, reason: `cannot be changed with ${step.op}` }];
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
