import { nearest } from '../../checks/nearest.ts';
import type { Context } from '../../context.ts';
import { type Detail, invalidInput } from '../../errors.ts';
import { type Document, readDocument } from '../../files/document.ts';
import { isRecord } from '../../records.ts';
import { givenFields } from './field-flags.ts';
import { type PropertyField, propertyFields } from './fields.ts';

/** A create-property body that may still lack fields, and where each value came from. */
export interface Draft {
  readonly body: Readonly<Record<string, unknown>>;
  /** How messages name a field: by its flag, or by file and path. */
  nameOf(field: PropertyField): string;
}

interface FileFlags {
  readonly file?: string;
  readonly allowUnknownFields?: true;
}

/**
 * Puts the body together from the file and the flags; flags win, language by language for the name.
 *
 * @throws {CliError} exit 2 for an unreadable file, unknown fields, and language texts that are not `lang=text`.
 */
export async function assembleBody(
  flags: FileFlags,
  { stdin, signal }: Pick<Context, 'stdin' | 'signal'>,
): Promise<Draft> {
  const document = flags.file === undefined ? undefined : await readDocument(flags.file, stdin, signal);
  if (document !== undefined && flags.allowUnknownFields !== true) refuseUnknown(document);
  const { extra, ...fields } = document?.fields ?? {};
  const extraFields = isRecord(extra) ? extra : {};
  const { given, details } = givenFields(flags);
  if (details.length > 0) throw invalidInput(details);
  const body = given.reduce((draft, { field, value }) => put(draft, field, value), {
    ...fields,
    ...extraFields,
  });
  const byFlag = new Set(given.map(({ field }) => field));
  return {
    body,
    nameOf: (field) =>
      document === undefined || byFlag.has(field) || valueAt(fields, field) === undefined
        ? `--${field.flag}`
        : `${document.name}: ${field.path.join('.')}`,
  };
}

/** The value of a field in a body, or `undefined`. */
export function valueAt(body: Readonly<Record<string, unknown>>, { path }: PropertyField): unknown {
  const [first, second] = path;
  const outer = Object.hasOwn(body, first) ? body[first] : undefined;
  if (second === undefined) return outer;
  return isRecord(outer) && Object.hasOwn(outer, second) ? outer[second] : undefined;
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

function refuseUnknown({ name, fields }: Document): void {
  const outer = [...new Set(propertyFields.map(({ path }) => path[0]))];
  const inner = propertyFields.flatMap(({ path }) => (path.length === 2 ? [path[1]] : []));
  const location = isRecord(fields['location']) ? Object.keys(fields['location']) : [];
  const details = [
    ...Object.keys(fields).flatMap((field) => unknownField(field, [...outer, 'extra'], `${name}: ${field}`)),
    ...location.flatMap((field) => unknownField(field, inner, `${name}: location.${field}`)),
  ];
  if (isRecord(fields['extra']) || fields['extra'] === undefined) {
    if (details.length === 0) return;
  } else details.push({ field: `${name}: extra`, reason: 'must hold fields and values' });
  throw invalidInput(details, 'Fields of your service that the contract does not name go under "extra:".');
}

function unknownField(field: string, known: readonly string[], place: string): readonly Detail[] {
  if (known.includes(field)) return [];
  const guess = nearest(field, known);
  return [
    {
      field: place,
      reason: `is no field of a property${guess === undefined ? '' : `: did you mean ${guess}?`}`,
    },
  ];
}
