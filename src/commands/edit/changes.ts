import { snakeCaseName } from '../../api/fields.ts';
import { type PatchStep, pointerTo } from '../../api/patch.ts';
import { canonical } from '../../apply/canonical.ts';
import { camelCase } from '../../checks/property-fields.ts';
import { isRecord, type ServiceRecord } from '../../records.ts';
import type { FieldPath } from './text.ts';

/** One value that was changed. */
export interface Change {
  /** Names from the record to the value, as the text has them. */
  readonly field: FieldPath;
  readonly step: Extract<PatchStep, { readonly op: 'add' | 'replace' | 'remove' | 'test' }>;
}

/** Objects whose own fields the contract names; what is in other ones, languages too, keeps its spelling. */
const nested: ReadonlySet<string> = new Set(['location', 'bank_account']);

/**
 * The fewest changes that make one record the other, at the contract's camelCase paths: a step for each value, and for
 * each language. A list is one value. The order of fields is none.
 */
export function changesBetween(
  before: ServiceRecord,
  after: ServiceRecord,
  above: FieldPath = [],
): readonly Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name): readonly Change[] => {
    const field = [...above, name];
    const path = contractPath(field);
    if (!Object.hasOwn(after, name)) return [{ field, step: { op: 'remove', path } }];
    const value = after[name];
    if (!Object.hasOwn(before, name)) return [{ field, step: { op: 'add', path, value } }];
    const seen = before[name];
    if (isRecord(seen) && isRecord(value)) return changesBetween(seen, value, field);
    return canonical(seen) === canonical(value) ? [] : [{ field, step: { op: 'replace', path, value } }];
  });
}

/** The JSON Pointer of a field, known names as the contract writes them in the paths of updates. */
function contractPath([first = '', ...inner]: FieldPath): string {
  const within = nested.has(first) ? inner.map(contractName) : inner;
  return pointerTo(contractName(first), ...within);
}

/** Only names that are known have two spellings. */
function contractName(name: string): string {
  const spelt = camelCase(name.replaceAll('_', '-'));
  return snakeCaseName(spelt) === name ? spelt : name;
}
