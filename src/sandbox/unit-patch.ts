import * as v from 'valibot';
import { snakeCaseName } from '../model/fields.ts';
import { isIndex } from '../model/records.ts';
import { attributeOfUnit, unitPatch } from './inventory-schema.ts';
import type { Records, UnitRecord } from './records.ts';
import { check, invalid, parsePatch, refusal, type Step, segmentsOf, wrong } from './refusal.ts';
import { problemsOf } from './unit-rules.ts';

/**
 * Applies what the public service documents: its fields are set, attributes are added (`/attributes/-`) and removed
 * (`/attributes/0`). A single text is set like a field (`/description/de`), which the documents leave open.
 *
 * @throws {Refusal} 422 of every other operation, of a wrong value, and of a unit that is archived.
 */
export function patchUnit(unit: UnitRecord, body: unknown, records: Records): UnitRecord {
  const steps = parsePatch(body);
  if (unit.archived !== undefined)
    throw refusal(422, 'archived', `The unit ${unit.id} is archived and cannot be changed.`);
  const changed = steps.reduce(patched, unit);
  const problems = problemsOf(changed, records);
  if (problems.length > 0) throw invalid(problems);
  return changed;
}

function patched(unit: UnitRecord, step: Step): UnitRecord {
  const { op, path, value } = step;
  const [first = '', inner, ...deeper] = segmentsOf(path);
  const field = snakeCaseName(first);
  if (field === 'attributes' && inner !== undefined && deeper.length === 0)
    return { ...unit, attributes: withAttribute(unit.attributes, inner, step) };
  const isText = field === 'description' && inner !== undefined && deeper.length === 0;
  if (!isSettable(field) || (inner !== undefined && !isText)) throw wrong(path, 'cannot be changed');
  if (op !== 'add' && op !== 'replace') throw wrong(path, `cannot be changed with ${op}`);
  const whole = isText ? { ...unit.description, [inner]: value } : value;
  return { ...unit, ...check(v.strictObject({ [field]: unitPatch[field] }), { [field]: whole }) };
}

function isSettable(field: string): field is keyof typeof unitPatch {
  return Object.hasOwn(unitPatch, field);
}

function withAttribute(ids: readonly string[], at: string, { op, path, value }: Step): readonly string[] {
  if (op === 'add' && at === '-') return [...new Set([...ids, check(attributeOfUnit, value).id])];
  if (op !== 'remove' || !isIndex(at)) throw wrong(path, `cannot be changed with ${op}`);
  if (Number(at) >= ids.length) throw wrong(path, 'does not exist');
  return ids.filter((_, index) => index !== Number(at));
}
