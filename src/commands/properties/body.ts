import { type Detail, invalidInput } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { currencyWarning } from '../../model/codes.ts';
import { type PropertyField, valueProblems } from '../../model/property-fields.ts';
import { isRecord, type ServiceRecord, valueAt } from '../../model/records.ts';
import type { RecordFile } from '../../seed/record.ts';
import type { Dialect } from '../../service/dialect.ts';
import { givenFields } from './field-flags.ts';

/** A create-property body that may still lack fields, and where each value came from. */
export interface Draft {
  readonly body: ServiceRecord;
  /** Those that the dialect has. */
  readonly fields: readonly PropertyField[];
  /** How messages name the fields that a file gives: by file and path. The others are named by their flags. */
  readonly places: ReadonlyMap<PropertyField, string>;
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
 * @param earlier problems found before, reported together with the rest.
 * @throws {CliError} exit 2 for an unreadable file, and naming unknown fields, those that the dialect does not have, and
 *   language texts that are not `lang=text`.
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

/** The fields that a body has no value for, in the contract's order. */
export function openIn({ body, fields }: Pick<Draft, 'body' | 'fields'>): readonly PropertyField[] {
  return fields.filter((field) => (valueAt(body, field.path) ?? undefined) === undefined);
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

/** Where a file has a field; `undefined` where it does not. */
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
 * Checks that every field that a property needs is there, and that all are right.
 *
 * @throws {CliError} exit 2, naming each flag or file field that is missing or wrong, all at once.
 */
export async function checkBody(draft: Draft, warn: (sentence: string) => Promise<void>): Promise<void> {
  checkFields(draft, true);
  const warning = currencyWarning(String(draft.body['currency_code']));
  if (warning !== undefined) await warn(warning);
}

/**
 * Checks what is given; fields may be missing.
 *
 * @throws {CliError} exit 2, naming each flag or file field that is wrong, all at once.
 */
export function checkGiven(draft: Draft): void {
  checkFields(draft, false);
}

function checkFields(draft: Draft, isComplete: boolean): void {
  const { body, fields, places } = draft;
  // What holds fields of the dialect, and is not an object.
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
