import type { Detail } from '../../cli/errors.ts';
import { currencyWarning } from '../../model/currency.ts';
import { snakeCaseName } from '../../model/fields.ts';
import { type PatchStep, pathsChangedBy, pointerTo, segmentsOf } from '../../model/patch.ts';
import {
  allPropertyFields,
  camelCase,
  isFixedAt,
  languageTextProblem,
  type PropertyField,
  valueProblems,
} from '../../model/property-fields.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import type { GivenField } from './field-flags.ts';

type Fields = readonly PropertyField[];

/** Objects that a property may lack. */
const lackable: ReadonlySet<string> = new Set(
  allPropertyFields.filter(needsObject).map(({ path }) => path[0]),
);

/**
 * The steps that the flags of the fields say: one for each value, at the contract's camelCase paths. What a property
 * may lack is added, for nothing replaces what is not there.
 */
export function stepsOf(given: readonly GivenField[]): readonly PatchStep[] {
  return given.flatMap(({ field, value }) =>
    typeof value === 'string'
      ? [writing(field, pointerOf(field), value)]
      : Object.entries(value).map(([language, text]) =>
          writing(field, `${pointerOf(field)}${pointerTo(language)}`, text),
        ),
  );
}

/** What is wrong with the values that the flags of the fields give. */
export async function givenProblems(given: readonly GivenField[]): Promise<readonly Detail[]> {
  return (
    await Promise.all(given.map(({ field, value }) => valueProblems(field, value, `--${field.flag}`)))
  ).flat();
}

/**
 * What is wrong with the values that steps write at known paths, in either spelling; others pass.
 *
 * @param fields those of the dialect.
 */
export async function writtenProblems(
  steps: readonly PatchStep[],
  fields: Fields,
): Promise<readonly Detail[]> {
  return (
    await Promise.all(steps.map((step) => (isWrite(step) ? problemsAt(step.path, step.value, fields) : [])))
  ).flat();
}

/** Whether a path leads into a field that holds nothing but texts, as all do that the contract names. */
export function holdsTexts(path: string, fields: Fields): boolean {
  const [first] = namesIn(path);
  return (
    fields.some(({ path: [outer] }) => outer === first) ||
    first === 'description' ||
    first === 'payment_terms'
  );
}

/** What a person should know about a currency that is taken, or `undefined`. */
export function warningFor(steps: readonly PatchStep[]): string | undefined {
  const written = steps.findLast((step) => isWrite(step) && namesIn(step.path)[0] === 'currency_code');
  return written !== undefined && isWrite(written) ? currencyWarning(String(written.value)) : undefined;
}

/** Said of what a property keeps for good. */
export const isFixed = 'is fixed once the property is created';

/** The steps that change what a property keeps for good, by their paths. */
export function fixedProblems(steps: readonly PatchStep[], fixed: readonly string[]): readonly Detail[] {
  return steps
    .flatMap(pathsChangedBy)
    .filter((path) => isFixedAt(namesIn(path), fixed))
    .map((field) => ({ field, reason: isFixed }));
}

/** A property's field as a JSON Pointer. */
export function pointerOf({ path, flag }: PropertyField): string {
  return pointerTo(...path.slice(0, -1), camelCase(flag));
}

/** Whether the flag of a field writes into an object that a property may lack. */
export function needsObject({ path: [outer], kind, isOptional }: PropertyField): boolean {
  return isOptional === true && (kind === 'languages' || outer === 'bank_account');
}

/**
 * The steps of flags for a property that is known: what goes into an object that it does not show goes out as the whole
 * of that object, for nothing can be added inside of what is not there.
 */
export function inObjects(steps: readonly PatchStep[], shown: ServiceRecord): readonly PatchStep[] {
  const wholes = new Map<string, Record<string, unknown>>();
  const others = steps.filter((step) => {
    const [outer = '', inner] = segmentsOf(step.path);
    const name = snakeCaseName(outer);
    if (step.op !== 'add' || inner === undefined || !lackable.has(name) || isRecord(shown[name])) return true;
    wholes.set(outer, { ...wholes.get(outer), [inner]: step.value });
    return false;
  });
  const added = [...wholes].map(([outer, value]) => ({ op: 'add', path: pointerTo(outer), value }) as const);
  return [...others, ...added];
}

function writing({ isOptional }: PropertyField, path: string, value: string): PatchStep {
  return { op: isOptional === true ? 'add' : 'replace', path, value };
}

function isWrite(step: PatchStep): step is Extract<PatchStep, { readonly value: unknown }> {
  return step.op === 'add' || step.op === 'replace';
}

async function problemsAt(path: string, value: unknown, fields: Fields): Promise<readonly Detail[]> {
  const [first, second, ...deeper] = namesIn(path);
  if (deeper.length > 0) return [];
  const isObject = fields.some(({ path: [outer, inner] }) => outer === first && inner !== undefined);
  if (isObject && second === undefined) return objectProblems(path, value, fields);
  const field = fields.find(({ path: [outer, inner] }) => outer === first && inner === second);
  if (field !== undefined) return valueProblems(field, value, path);
  const isLanguage = fields.some(({ path: [outer], kind }) => outer === first && kind === 'languages');
  if (!isLanguage || second === undefined) return [];
  const reason = languageTextProblem(second, value);
  return reason === undefined ? [] : [{ field: path, reason }];
}

/** Which fields of a location must be there is the service's to say. */
async function objectProblems(path: string, value: unknown, fields: Fields): Promise<readonly Detail[]> {
  if (!isRecord(value)) return [{ field: path, reason: 'must hold fields and values' }];
  const entries = Object.entries(value);
  return (
    await Promise.all(entries.map(([name, inner]) => problemsAt(`${path}${pointerTo(name)}`, inner, fields)))
  ).flat();
}

/** The segments of a path, known names in snake_case. */
function namesIn(path: string): readonly string[] {
  return segmentsOf(path).map(snakeCaseName);
}
