import { type Detail, invalidInput } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { currencyWarning } from '../../model/currency.ts';
import { furtherPropertyFields, type PropertyField, valueProblems } from '../../model/property-fields.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import type { Dialect } from '../../service/dialect.ts';
import { EXTRA_HINT, type FileFields, type Known, readFields, unknownFields } from '../file-fields.ts';
import { givenFields } from './field-flags.ts';

/** A create-property body that may still lack fields, and where each value came from. */
export interface Draft {
  readonly body: ServiceRecord;
  /** Those that the dialect has. */
  readonly fields: readonly PropertyField[];
  /** How messages name a field: by its flag, or by file and path. */
  nameOf(field: PropertyField): string;
}

/** Those that hold fields of a property. */
export const outerFields = ['location', 'bank_account'] as const;

interface FileFlags {
  readonly file?: string;
  readonly allowUnknownFields?: true;
}

/**
 * Puts the body together from the file and the flags; flags win, language by language for texts in several.
 *
 * @param earlier what is known to be wrong already, to be told together with the rest.
 * @throws {CliError} exit 2 for an unreadable file, and naming unknown fields, those that the dialect does not have, and
 *   language texts that are not `lang=text`.
 */
export async function assembleBody(
  flags: FileFlags,
  { propertyFields: fields, fieldName }: Pick<Dialect, 'propertyFields' | 'fieldName'>,
  context: Pick<Context, 'stdin' | 'signal'>,
  earlier: readonly Detail[] = [],
): Promise<Draft> {
  const isOpen = flags.allowUnknownFields === true;
  const known = { ...knownBy(fields), fieldName };
  const file = flags.file === undefined ? undefined : await readFields(flags.file, known, isOpen, context);
  const ofNames = file === undefined ? [] : nameProblems(file, fields, isOpen);
  const { given, details } = givenFields(flags, fields);
  const problems = [...earlier, ...ofNames, ...details];
  if (problems.length > 0) throw invalidInput(problems, ofNames.length > 0 ? extraHint(ofNames) : undefined);
  const { bodyOf } = await import('../../seed/body.ts');
  const start = bodyOf({ fields: { ...file?.fields, extra: file?.extra } });
  const body = given.reduce<Draft['body']>((draft, { field, value }) => put(draft, field, value), start);
  const byFlag = new Set(given.map(({ field }) => field));
  return {
    body,
    fields,
    nameOf: (field) => (byFlag.has(field) ? undefined : placeIn(file, field)) ?? `--${field.flag}`,
  };
}

/** The value of a field in a body, or `undefined`. */
export function valueAt(body: ServiceRecord, { path }: PropertyField): unknown {
  const [first, second] = path;
  const outer = Object.hasOwn(body, first) ? body[first] : undefined;
  if (second === undefined) return outer;
  return isRecord(outer) && Object.hasOwn(outer, second) ? outer[second] : undefined;
}

/** The fields that a body has no value for, in the contract's order. */
export function openIn({ body, fields }: Pick<Draft, 'body' | 'fields'>): readonly PropertyField[] {
  return fields.filter((field) => (valueAt(body, field) ?? undefined) === undefined);
}

/** Those of them that a property cannot be created without. */
export function missingIn(draft: Pick<Draft, 'body' | 'fields'>): readonly PropertyField[] {
  return openIn(draft).filter(({ isOptional }) => isOptional !== true);
}

/** The body with one more value; a language map gains languages. */
export function put(body: ServiceRecord, field: PropertyField, value: unknown): ServiceRecord {
  const [first, second] = field.path;
  const outer = isRecord(body[first]) ? body[first] : {};
  if (second !== undefined) return { ...body, [first]: { ...outer, [second]: value } };
  return { ...body, [first]: isRecord(value) ? { ...outer, ...value } : value };
}

/** What a file may say of a property; what the contract does not name may stand under `extra` as well. */
function knownBy(fields: readonly PropertyField[]): Omit<Known, 'fieldName'> {
  return {
    kind: 'property',
    noun: 'a property',
    fields: [...new Set(fields.map(({ path }) => path[0]))],
    records: new Map([['location', namesIn('location', fields)]]),
    further: new Set(
      furtherPropertyFields.map(({ path }) => (path[0] === 'location' ? path.join('.') : path[0])),
    ),
  };
}

/** The names that an object of a property may hold. */
function namesIn(outer: string, fields: readonly PropertyField[]): readonly string[] {
  return fields.flatMap(({ path }) => (path.length === 2 && path[0] === outer ? [path[1]] : []));
}

/** All that is wrong with the names that a file uses. */
function nameProblems(
  { problems, name, fields: named }: FileFields,
  fields: readonly PropertyField[],
  allowUnknown: boolean,
): readonly Detail[] {
  const inside = outerFields.flatMap((outer) => {
    const { [outer]: object } = named;
    if (allowUnknown || !isRecord(object)) return [];
    const known = { ...knownBy(fields), fields: namesIn(outer, fields) };
    return unknownFields(object, known, `${name}: ${outer}.`);
  });
  return [...problems, ...inside];
}

/** What to do about names that are not known, some of which another dialect has. */
function extraHint(problems: readonly Detail[]): string {
  const further = new Set(furtherPropertyFields.flatMap(({ path }) => [path[0], path.join('.')]));
  const names = [...further].filter((name) => problems.some(({ field }) => field.endsWith(`: ${name}`)));
  return names.length === 0 ? EXTRA_HINT : `${EXTRA_HINT} The dialect apaleo has ${names.join(', ')}.`;
}

/** Where a file has a field; `undefined` where it does not. */
function placeIn(file: FileFields | undefined, field: PropertyField): string | undefined {
  if (file === undefined) return undefined;
  const path = field.path.join('.');
  if (valueAt(file.fields, field) !== undefined) return `${file.name}: ${path}`;
  return valueAt(file.extra, field) === undefined ? undefined : `${file.name}: extra.${path}`;
}

/**
 * Returns when every field that a property needs is there, and all are right.
 *
 * @throws {CliError} exit 2, naming each flag or file field that is missing or wrong, all at once.
 */
export async function checkBody(draft: Draft, warn: (sentence: string) => Promise<void>): Promise<void> {
  await checkFields(draft, ({ isOptional }) => isOptional !== true);
  const warning = currencyWarning(String(draft.body['currency_code']));
  if (warning !== undefined) await warn(warning);
}

/**
 * Returns when what is there is right, whatever is missing.
 *
 * @throws {CliError} exit 2, naming each flag or file field that is wrong, all at once.
 */
export async function checkGiven(draft: Draft): Promise<void> {
  await checkFields(draft, () => false);
}

async function checkFields(draft: Draft, isNeeded: (field: PropertyField) => boolean): Promise<void> {
  const misshapen = misshapenIn(draft);
  const fields = draft.fields.filter(({ path: [outer] }) => !misshapen.includes(outer));
  const details = (
    await Promise.all(fields.map((field) => problemsOf(field, draft, isNeeded(field))))
  ).flat();
  details.push(...misshapen.map((field) => ({ field, reason: 'must hold fields and values' })));
  if (details.length > 0) throw invalidInput(details, 'innctl properties create --help');
}

/** What holds fields of the dialect, and is no object in this draft. */
function misshapenIn({ body, fields }: Draft): readonly string[] {
  return outerFields.filter(
    (outer) =>
      fields.some(({ path }) => path.length === 2 && path[0] === outer) && !isRecord(body[outer] ?? {}),
  );
}

async function problemsOf(
  field: PropertyField,
  { body, nameOf }: Draft,
  isNeeded: boolean,
): Promise<readonly Detail[]> {
  const name = nameOf(field);
  const value = valueAt(body, field);
  if (value !== undefined && value !== null) return valueProblems(field, value, name);
  return isNeeded ? [{ field: name, reason: 'is missing' }] : [];
}
