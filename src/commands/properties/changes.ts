import type { Detail } from '../../cli/errors.ts';
import { currencyWarning } from '../../model/codes.ts';
import { camelCasePath, snakeCaseName } from '../../model/fields.ts';
import { namesIn, type PatchStep, pathsChangedBy, pointerTo, segmentsOf } from '../../model/patch.ts';
import {
  allPropertyFields,
  isFixedAt,
  languageMaps,
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
 * The steps of field flags: one for each value, at the contract's camelCase paths. What a property may lack is added, for
 * `replace` fails where nothing is there.
 */
export function stepsOf(given: readonly GivenField[]): readonly PatchStep[] {
  return given.flatMap(({ field, value }) => {
    const op = field.isOptional === true ? 'add' : 'replace';
    if (typeof value === 'string') return [{ op, path: pointerOf(field), value } as const];
    return Object.entries(value).map(([language, text]) => {
      return { op, path: `${pointerOf(field)}${pointerTo(language)}`, value: text } as const;
    });
  });
}

/**
 * What is wrong with the values that steps write at known paths, in either spelling; values at other paths pass.
 *
 * @param fields those of the dialect.
 */
export function writtenProblems(steps: readonly PatchStep[], fields: Fields): readonly Detail[] {
  return steps.flatMap((step) => (isWrite(step) ? problemsAt(step.path, step.value, fields) : []));
}

/** Whether a path leads into a field that holds nothing but texts, as all do that the contract names. */
export function holdsTexts(path: string, fields: Fields): boolean {
  const [first = ''] = namesIn(path);
  return languageMaps.has(first) || fields.some(({ path: [outer] }) => outer === first);
}

/** The warning about the currency that steps write, or `undefined`. */
export function warningFor(steps: readonly PatchStep[]): string | undefined {
  const written = steps.findLast((step) => isWrite(step) && namesIn(step.path)[0] === 'currency_code');
  return written !== undefined && isWrite(written) ? currencyWarning(String(written.value)) : undefined;
}

/** Why a field cannot be changed. */
export const isFixed = 'is fixed once the property is created';

/** The paths at which steps change a fixed field. */
export function fixedProblems(steps: readonly PatchStep[], fixed: readonly string[]): readonly Detail[] {
  return steps
    .flatMap(pathsChangedBy)
    .filter((path) => isFixedAt(namesIn(path), fixed))
    .map((field) => ({ field, reason: isFixed }));
}

/** A property's field as a JSON Pointer. */
export function pointerOf({ path }: PropertyField): string {
  return pointerTo(...camelCasePath(path));
}

/** Whether the flag of a field writes into an object that a property may lack. */
export function needsObject({ path: [outer], kind, isOptional }: PropertyField): boolean {
  return isOptional === true && (kind === 'languages' || outer === 'bank_account');
}

/**
 * The steps of flags for a property that is known: what goes into an object that it does not show is sent as the whole
 * object, for nothing can be added inside of what is not there.
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

function isWrite(step: PatchStep): step is Extract<PatchStep, { readonly value: unknown }> {
  return step.op === 'add' || step.op === 'replace';
}

/** Which fields of a location must be there is the service's to say. */
function problemsAt(path: string, value: unknown, fields: Fields): readonly Detail[] {
  const [first = '', second, ...deeper] = namesIn(path);
  if (deeper.length > 0) return [];
  const field = fields.find(({ path: [outer, inner] }) => outer === first && inner === second);
  if (field !== undefined) return valueProblems(field, value, path);
  const around = fields.find(({ path: [outer] }) => outer === first);
  if (around?.path.length === 2 && second === undefined) {
    if (!isRecord(value)) return [{ field: path, reason: 'must hold fields and values' }];
    const entries = Object.entries(value);
    return entries.flatMap(([name, inner]) => problemsAt(`${path}${pointerTo(name)}`, inner, fields));
  }
  const reason =
    around?.kind === 'languages' && second !== undefined ? languageTextProblem(second, value) : undefined;
  return reason === undefined ? [] : [{ field: path, reason }];
}
