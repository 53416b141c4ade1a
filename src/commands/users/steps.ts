import { plainName } from '../../api/fields.ts';
import { type PatchStep, segmentsOf } from '../../api/patch.ts';
import { listedIdProblem } from '../../api/property-names.ts';
import type { UserChanges } from '../../api/users.ts';
import type { Detail } from '../../errors.ts';

/** What is wrong with the value that a step writes into a field which the contract names. */
export function valueProblems(step: PatchStep): readonly Detail[] {
  const field = `${step.op} ${step.path}`;
  const enabled = valueAt(step, 'enabled');
  if (enabled !== undefined && typeof enabled !== 'boolean') {
    return [{ field, reason: `${shown(enabled)} is neither true nor false` }];
  }
  const properties = valueAt(step, 'properties');
  if (properties === undefined) return [];
  if (!Array.isArray(properties)) {
    return [{ field, reason: `${shown(properties)} is not a list of property ids such as ["BER","VIE"]` }];
  }
  return properties.flatMap((id: unknown) => {
    const reason =
      typeof id === 'string' ? listedIdProblem(id) : `${shown(id)} is not a property id, which is a text`;
    return reason === undefined ? [] : [{ field, reason }];
  });
}

/** All properties that an update sets, where it sets them all; `undefined` where it does not. */
export function propertiesSetBy({ setProperties, steps }: UserChanges): readonly string[] | undefined {
  const value = steps.map((step) => valueAt(step, 'properties')).findLast((set) => set !== undefined);
  return Array.isArray(value) ? value : setProperties;
}

/** Whether an `add` writes the whole of the properties: it reads as if those that are there stayed. */
export function replacesByAdding({ steps }: UserChanges): boolean {
  return steps.some((step) => step.op === 'add' && valueAt(step, 'properties') !== undefined);
}

/** What a step writes as the whole value of a field; `undefined` where it writes no such thing. */
function valueAt(step: PatchStep, field: string): unknown {
  if (step.op !== 'add' && step.op !== 'replace') return undefined;
  const [first, ...rest] = placeOf(step.path);
  return first === field && rest.length === 0 ? step.value : undefined;
}

function placeOf(pointer: string): readonly string[] {
  return segmentsOf(pointer)
    .filter((segment) => segment !== '')
    .map(plainName);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
