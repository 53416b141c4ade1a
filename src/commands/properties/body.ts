import { type PropertyField, propertyFields } from '../../checks/property-fields.ts';
import type { Context } from '../../context.ts';
import { type Detail, invalidInput } from '../../errors.ts';
import { isRecord } from '../../records.ts';
import { EXTRA_HINT, type FileFields, type Known, readFields, unknownFields } from '../file-fields.ts';
import { givenFields } from './field-flags.ts';

/** A create-property body that may still lack fields, and where each value came from. */
export interface Draft {
  readonly body: Readonly<Record<string, unknown>>;
  /** How messages name a field: by its flag, or by file and path. */
  nameOf(field: PropertyField): string;
}

const inLocation = propertyFields.flatMap(({ path }) => (path.length === 2 ? [path[1]] : []));

const property: Known = {
  kind: 'property',
  noun: 'a property',
  fields: [...new Set(propertyFields.map(({ path }) => path[0]))],
  records: new Map([['location', inLocation]]),
};

interface FileFlags {
  readonly file?: string;
  readonly allowUnknownFields?: true;
}

/**
 * Puts the body together from the file and the flags; flags win, language by language for the name.
 *
 * @param earlier what is known to be wrong already, to be told together with the rest.
 * @throws {CliError} exit 2 for an unreadable file, and naming unknown fields and language texts that are not `lang=text`.
 */
export async function assembleBody(
  flags: FileFlags,
  context: Pick<Context, 'stdin' | 'signal'>,
  earlier: readonly Detail[] = [],
): Promise<Draft> {
  const isOpen = flags.allowUnknownFields === true;
  const file = flags.file === undefined ? undefined : await readFields(flags.file, property, isOpen, context);
  const ofNames = file === undefined ? [] : nameProblems(file, isOpen);
  const { given, details } = givenFields(flags);
  const problems = [...earlier, ...ofNames, ...details];
  if (problems.length > 0) throw invalidInput(problems, ofNames.length > 0 ? EXTRA_HINT : undefined);
  const { bodyOf } = await import('../../manifest/body.ts');
  const start = bodyOf({ fields: { ...file?.fields, extra: file?.extra } });
  const body = given.reduce<Draft['body']>((draft, { field, value }) => put(draft, field, value), start);
  const byFlag = new Set(given.map(({ field }) => field));
  return {
    body,
    nameOf: (field) =>
      file === undefined || byFlag.has(field) || valueAt(file.fields, field) === undefined
        ? `--${field.flag}`
        : `${file.name}: ${field.path.join('.')}`,
  };
}

/** The value of a field in a body, or `undefined`. */
export function valueAt(body: Readonly<Record<string, unknown>>, { path }: PropertyField): unknown {
  const [first, second] = path;
  const outer = Object.hasOwn(body, first) ? body[first] : undefined;
  if (second === undefined) return outer;
  return isRecord(outer) && Object.hasOwn(outer, second) ? outer[second] : undefined;
}

/** The fields that a body lacks, in the contract's order. */
export function missingIn(body: Draft['body']): readonly PropertyField[] {
  return propertyFields.filter((field) => (valueAt(body, field) ?? undefined) === undefined);
}

/** The body with one more value; a language map gains languages. */
export function put(
  body: Readonly<Record<string, unknown>>,
  field: PropertyField,
  value: unknown,
): Readonly<Record<string, unknown>> {
  const [first, second] = field.path;
  const outer = isRecord(body[first]) ? body[first] : {};
  if (second !== undefined) return { ...body, [first]: { ...outer, [second]: value } };
  return { ...body, [first]: isRecord(value) ? { ...outer, ...value } : value };
}

/** All that is wrong with the names that a file uses. */
function nameProblems({ problems, name, fields }: FileFields, allowUnknown: boolean): readonly Detail[] {
  const { location } = fields;
  if (allowUnknown || !isRecord(location)) return problems;
  return [...problems, ...unknownFields(location, { ...property, fields: inLocation }, `${name}: location.`)];
}
