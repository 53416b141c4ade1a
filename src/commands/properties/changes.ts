import { snakeCaseName } from '../../api/fields.ts';
import { type PatchStep, pointerTo, segmentsOf } from '../../api/patch.ts';
import { currencyWarning } from '../../checks/currency.ts';
import { camelCase, type PropertyField, propertyFields } from '../../checks/property-fields.ts';
import { languageTextProblem, valueProblems } from '../../checks/property-values.ts';
import type { Detail } from '../../errors.ts';
import { isRecord } from '../../records.ts';
import type { GivenField } from './field-flags.ts';

/** The steps that the flags of the fields say: one for each value, at the contract's camelCase paths. */
export function stepsOf(given: readonly GivenField[]): readonly PatchStep[] {
  return given.flatMap(({ field, value }) =>
    typeof value === 'string'
      ? [replacing(pointerOf(field), value)]
      : Object.entries(value).map(([language, text]) =>
          replacing(`${pointerOf(field)}${pointerTo(language)}`, text),
        ),
  );
}

/** What is wrong with the values that the flags of the fields give. */
export async function givenProblems(given: readonly GivenField[]): Promise<readonly Detail[]> {
  return (
    await Promise.all(given.map(({ field, value }) => valueProblems(field, value, `--${field.flag}`)))
  ).flat();
}

/** What is wrong with the values that steps write at known paths, in either spelling; others pass. */
export async function writtenProblems(steps: readonly PatchStep[]): Promise<readonly Detail[]> {
  return (
    await Promise.all(steps.map((step) => (isWrite(step) ? problemsAt(step.path, step.value) : [])))
  ).flat();
}

/** Whether a path leads into a field that holds nothing but texts, as all that the contract names do. */
export function holdsTexts(path: string): boolean {
  const [first] = namesIn(path);
  return (
    propertyFields.some(({ path: [outer] }) => outer === first) ||
    first === 'description' ||
    first === 'payment_terms'
  );
}

/** What a person should know about a currency that is taken, or `undefined`. */
export function warningFor(steps: readonly PatchStep[]): string | undefined {
  const written = steps.findLast((step) => isWrite(step) && namesIn(step.path)[0] === 'currency_code');
  return written !== undefined && isWrite(written) ? currencyWarning(String(written.value)) : undefined;
}

function replacing(path: string, value: string): PatchStep {
  return { op: 'replace', path, value };
}

/** A property's field as a JSON Pointer. */
export function pointerOf({ path, flag }: PropertyField): string {
  return pointerTo(...path.slice(0, -1), camelCase(flag));
}

function isWrite(step: PatchStep): step is Extract<PatchStep, { readonly value: unknown }> {
  return step.op === 'add' || step.op === 'replace';
}

async function problemsAt(path: string, value: unknown): Promise<readonly Detail[]> {
  const [first, second, ...deeper] = namesIn(path);
  if (deeper.length > 0) return [];
  if (first === 'location' && second === undefined) return locationProblems(path, value);
  const field = propertyFields.find(({ path: [outer, inner] }) => outer === first && inner === second);
  if (field !== undefined) return valueProblems(field, value, path);
  const isLanguage = propertyFields.some(
    ({ path: [outer], kind }) => outer === first && kind === 'languages',
  );
  if (!isLanguage || second === undefined) return [];
  const reason = languageTextProblem(second, value);
  return reason === undefined ? [] : [{ field: path, reason }];
}

/** Which fields of a location must be there is the service's to say. */
async function locationProblems(path: string, value: unknown): Promise<readonly Detail[]> {
  if (!isRecord(value)) return [{ field: path, reason: 'must hold fields and values' }];
  const fields = Object.entries(value);
  return (
    await Promise.all(fields.map(([name, inner]) => problemsAt(`${path}${pointerTo(name)}`, inner)))
  ).flat();
}

/** The segments of a path, known names in snake_case. */
function namesIn(path: string): readonly string[] {
  return segmentsOf(path).map(snakeCaseName);
}
