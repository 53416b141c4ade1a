import { type PatchFlags, stepsFrom } from '../../change/patch.ts';
import { type Detail, detailsFor, refuseInvalid, usageError } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
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
import { type TruthFlag, truthOf, truthProblem, unsupportedDetails } from '../options.ts';
import { type GivenField, givenFields } from './given.ts';

type Fields = readonly PropertyField[];

/** Objects that a property may lack. */
const lackable: ReadonlySet<string> = new Set(
  allPropertyFields.filter(needsObject).map(({ path }) => path[0]),
);

/** The flags for changes, besides those of fields, as typed. */
export interface ChangeFlags extends PatchFlags {
  readonly isTemplate?: TruthFlag;
  readonly validate: boolean;
  readonly verify: boolean;
}

/**
 * The checked steps of the command line, for any property.
 *
 * @param problems of the ids, reported together.
 * @returns `needsRecord`: they depend on the property.
 * @throws {CliError} exit 2 with all problems of the flags, or else of the values.
 */
export async function givenSteps(
  problems: readonly Detail[],
  flags: ChangeFlags,
  { api, context, out }: Session,
) {
  const { propertyFields: fields, refusedInUpdate: fixed } = api.dialect;
  const { given, details } = givenFields(flags, fields);
  const isTemplate = truthOf(flags.isTemplate);
  const template = { op: 'replace', path: '/isTemplate', value: isTemplate } as const;
  const own = [...stepsOf(given), ...(isTemplate === undefined ? [] : [template])];
  const wrong = flags.validate ? flagProblems(given, fixed) : [];
  const ofTemplate = [
    ...unsupportedDetails(api.dialect, 'updateProperty', { '--is-template': flags.isTemplate }),
    ...detailsFor('--is-template', truthProblem(flags.isTemplate)),
  ];
  const paths = own.map(({ path }) => path);
  const earlier = [...problems, ...details, ...ofTemplate, ...wrong];
  const further = await stepsFrom(paths, flags, context.stdin, earlier, (path) => holdsTexts(path, fields));
  const steps = [...own, ...further];
  if (steps.length === 0) {
    throw usageError(
      'No changes given: use the flag of a field, or --patch.',
      'innctl properties update --help',
    );
  }
  if (flags.validate) {
    const free = further.filter((step) => fixedProblems([step], fixed).length === 0);
    refuseInvalid([...fixedProblems(further, fixed), ...writtenProblems(free, fields)]);
    const warning = warningFor(steps);
    if (warning !== undefined) await out.warn(warning);
  }
  return {
    needsRecord: given.some(({ field }) => needsObject(field)),
    stepsFor: (shown: ServiceRecord | undefined) =>
      shown === undefined ? steps : [...inObjects(own, shown), ...further],
  };
}

/** The problems of field flags. @param fixed fields that the service never changes. */
function flagProblems(given: readonly GivenField[], fixed: readonly string[]): readonly Detail[] {
  return given.flatMap(({ field, value }) => {
    const name = `--${field.flag}`;
    return isFixedAt(field.path, fixed)
      ? [{ field: name, reason: isFixed }]
      : valueProblems(field, value, name);
  });
}

/**
 * The steps of field flags: one per value, at the contract's camelCase paths. Optional objects use `add`, because
 * `replace` fails if nothing is there.
 */
function stepsOf(given: readonly GivenField[]): readonly PatchStep[] {
  return given.flatMap(({ field, value }) => {
    const op = field.isOptional === true ? 'add' : 'replace';
    if (typeof value === 'string') return [{ op, path: pointerOf(field), value } as const];
    return Object.entries(value).map(([language, text]) => {
      return { op, path: `${pointerOf(field)}${pointerTo(language)}`, value: text } as const;
    });
  });
}

/**
 * The problems of values at known paths, in either spelling; other paths are not checked.
 *
 * @param fields the fields of the dialect.
 */
function writtenProblems(steps: readonly PatchStep[], fields: Fields): readonly Detail[] {
  return steps.flatMap((step) => (isWrite(step) ? problemsAt(step.path, step.value, fields) : []));
}

/** Whether a path is in a field of texts, as all fields of the contract are. */
function holdsTexts(path: string, fields: Fields): boolean {
  const [first = ''] = namesIn(path);
  return languageMaps.has(first) || fields.some(({ path: [outer] }) => outer === first);
}

/** The warning about a new currency, or `undefined`. */
function warningFor(steps: readonly PatchStep[]): string | undefined {
  const written = steps.findLast((step) => isWrite(step) && namesIn(step.path)[0] === 'currency_code');
  return written !== undefined && isWrite(written) ? currencyWarning(written.value) : undefined;
}

/** The reason for fixed fields. */
const isFixed = 'is fixed once the property is created';

/** The fixed fields that steps change. */
function fixedProblems(steps: readonly PatchStep[], fixed: readonly string[]): readonly Detail[] {
  return steps
    .flatMap(pathsChangedBy)
    .filter((path) => isFixedAt(namesIn(path), fixed))
    .map((field) => ({ field, reason: isFixed }));
}

/** A property's field as a JSON Pointer. */
export function pointerOf({ path }: PropertyField): string {
  return pointerTo(...camelCasePath(path));
}

/** Whether a field is in an optional object. */
function needsObject({ path: [outer], kind, isOptional }: PropertyField): boolean {
  return isOptional === true && (kind === 'languages' || outer === 'bank_account');
}

/**
 * Adapts the steps to the current property: fields of a missing object are sent as a whole object, because nothing can
 * be added inside it.
 */
function inObjects(steps: readonly PatchStep[], shown: ServiceRecord): readonly PatchStep[] {
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

/** The service decides which fields of a location are required. */
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
  const isText = around?.kind === 'languages' && second !== undefined;
  return isText ? detailsFor(path, languageTextProblem(second, value)) : [];
}
