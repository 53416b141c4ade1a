import { type Detail, invalidInput } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { currencyWarning } from '../../model/codes.ts';
import { type PropertyField, valueProblems } from '../../model/property-fields.ts';
import { isRecord, type ServiceRecord, valueAt } from '../../model/records.ts';
import type { RecordFile } from '../../seed/record.ts';
import type { Dialect } from '../../service/dialect.ts';
import { givenFields } from './field-flags.ts';

/** A create-property body that may be incomplete, and the sources of its values. */
export interface Draft {
  readonly body: ServiceRecord;
  /** The fields of the dialect. */
  readonly fields: readonly PropertyField[];
  /** Names of fields from a file in messages: file and path. Other fields are named by their flags. */
  readonly places: ReadonlyMap<PropertyField, string>;
}

/** The flags for fields of a property. */
export const outerFields = ['location', 'bank_account'] as const;

interface FileFlags {
  readonly file?: string;
  readonly allowUnknownFields?: true;
}

/**
 * Builds the body from file and flags; flags override the file, per language for texts with languages.
 *
 * @param earlier other problems, reported together.
 * @throws {CliError} exit 2 for an unreadable file, unknown fields, fields that the dialect does not have, and language
 * texts that are not `lang=text`.
 */
export async function assembleBody(
  flags: FileFlags,
  dialect: Pick<Dialect, 'propertyFields' | 'further'>,
  context: Pick<Context, 'stdin' | 'signal'>,
  earlier: readonly Detail[] = [],
): Promise<Draft> {
  const { propertyFields: fields } = dialect;
  const file = flags.file === undefined ? undefined : await readFile(flags.file, flags, dialect, context);
  const { given, details } = givenFields(flags, fields);
  const problems = [...earlier, ...(file?.problems ?? []), ...details];
  if (problems.length > 0) throw invalidInput(problems, file?.hint);
  const { bodyOf } = await import('../../seed/body.ts');
  const start = bodyOf({ fields: file?.fields ?? {} });
  const body = given.reduce<Draft['body']>((draft, { field, value }) => put(draft, field, value), start);
  const byFlag = new Set(given.map(({ field }) => field));
  const inFile = fields.filter((field) => !byFlag.has(field));
  const places = inFile.map((field) => [field, placeIn(file, field)] as const);
  return {
    body,
    fields,
    places: new Map(places.flatMap(([field, at]) => (at === undefined ? [] : [[field, at]]))),
  };
}

async function readFile(
  path: string,
  { allowUnknownFields }: FileFlags,
  dialect: Pick<Dialect, 'propertyFields' | 'further'>,
  { stdin, signal }: Pick<Context, 'stdin' | 'signal'>,
): Promise<RecordFile> {
  const { readRecord } = await import('../../seed/record.ts');
  const allowUnknown = allowUnknownFields === true;
  return readRecord(path, 'property', { stdin, signal, dialect, allowUnknown });
}

/** The missing fields, in the contract's order. */
export function openIn({ body, fields }: Pick<Draft, 'body' | 'fields'>): readonly PropertyField[] {
  return fields.filter((field) => (valueAt(body, field.path) ?? undefined) === undefined);
}

/** The missing required fields. */
export function missingIn(draft: Pick<Draft, 'body' | 'fields'>): readonly PropertyField[] {
  return openIn(draft).filter(({ isOptional }) => isOptional !== true);
}

/** Adds a value to the body; language maps are merged. */
export function put(body: ServiceRecord, field: PropertyField, value: unknown): ServiceRecord {
  const [first, second] = field.path;
  const outer = isRecord(body[first]) ? body[first] : {};
  if (second !== undefined) return { ...body, [first]: { ...outer, [second]: value } };
  return { ...body, [first]: isRecord(value) ? { ...outer, ...value } : value };
}

/** The path of a field in the file; `undefined` if missing. */
function placeIn(file: RecordFile | undefined, field: PropertyField): string | undefined {
  if (file === undefined) return undefined;
  const { extra } = file.fields;
  const path = field.path.join('.');
  if (valueAt(file.fields, field.path) !== undefined) return `${file.name}: ${path}`;
  return isRecord(extra) && valueAt(extra, field.path) !== undefined
    ? `${file.name}: extra.${path}`
    : undefined;
}

/**
 * Checks that all required fields are given, and that all values are valid.
 *
 * @throws {CliError} exit 2 with each missing or invalid flag or file field.
 */
export async function checkBody(draft: Draft, warn: (sentence: string) => Promise<void>): Promise<void> {
  checkFields(draft, true);
  const warning = currencyWarning(String(draft.body['currency_code']));
  if (warning !== undefined) await warn(warning);
}

/**
 * Checks the given values; fields may be missing.
 *
 * @throws {CliError} exit 2 with each invalid flag or file field.
 */
export function checkGiven(draft: Draft): void {
  checkFields(draft, false);
}

function checkFields(draft: Draft, isComplete: boolean): void {
  const { body, fields, places } = draft;
  // Values that should be objects with fields of the dialect.
  const misshapen = outerFields.filter(
    (outer) => fields.some(({ path }) => path[0] === outer) && !isRecord(body[outer] ?? {}),
  );
  const details = fields.flatMap((field): readonly Detail[] => {
    if (misshapen.some((outer) => outer === field.path[0])) return [];
    const name = places.get(field) ?? `--${field.flag}`;
    const value = valueAt(body, field.path);
    if (value !== undefined && value !== null) return valueProblems(field, value, name);
    return isComplete && field.isOptional !== true ? [{ field: name, reason: 'is missing' }] : [];
  });
  const all = [...details, ...misshapen.map((field) => ({ field, reason: 'must hold fields and values' }))];
  if (all.length > 0) throw invalidInput(all, 'innctl properties create --help');
}
