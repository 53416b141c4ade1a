import { quote } from '../../checks/text.ts';
import type { Context } from '../../context.ts';
import type { Detail } from '../../errors.ts';
import { isRecord } from '../../records.ts';
import { type NamedField, parseName, plantFields } from './field-names.ts';
import { type ReadValue, readTyped } from './field-values.ts';

/** One field as it was typed. */
export interface FieldFlag {
  /** --field reads its value, --raw-field takes it as a text. */
  readonly flag: '--field' | '--raw-field';
  readonly text: string;
}

/** What fields make together, and all that is wrong with them. */
export interface ReadFields {
  readonly object: Readonly<Record<string, unknown>>;
  readonly details: readonly Detail[];
}

/** Whether the value of a field is read from a file, stdin included. */
export function readsFile({ flag, text }: FieldFlag): boolean {
  return flag === '--field' && valueIn(text).startsWith('@');
}

/** Whether the value of a field is read from stdin. */
export function readsStdin({ flag, text }: FieldFlag): boolean {
  return flag === '--field' && valueIn(text) === '@-';
}

/**
 * Reads fields in the order in which they were typed.
 *
 * @throws {CliError} exit 2 when a file cannot be read.
 */
export async function readFields(
  given: readonly FieldFlag[],
  context: Pick<Context, 'stdin' | 'signal'>,
): Promise<ReadFields> {
  const details: Detail[] = [];
  const fields: NamedField[] = [];
  for (const { flag, text } of given) {
    const field = await readField({ flag, text }, context);
    if (typeof field === 'string') details.push({ field: flag, reason: field });
    else fields.push(field);
  }
  const planted = plantFields(fields);
  return { object: planted.object, details: [...details, ...planted.details] };
}

/** The field, or what is wrong with it. */
async function readField(
  { flag, text }: FieldFlag,
  context: Pick<Context, 'stdin' | 'signal'>,
): Promise<NamedField | string> {
  const equals = text.indexOf('=');
  if (equals === -1) return emptyList({ flag, text });
  const parts = parseName(text.slice(0, equals));
  if (typeof parts === 'string') return parts;
  const typed = valueIn(text);
  const read: ReadValue = flag === '--field' ? await readTyped(typed, context) : { value: typed };
  return 'problem' in read ? read.problem : { flag, parts, value: read.value };
}

function valueIn(text: string): string {
  return text.slice(text.indexOf('=') + 1);
}

/** A name alone is a list without entries: `a[]`. */
function emptyList({ flag, text }: FieldFlag): NamedField | string {
  const parts = text.endsWith('[]') ? parseName(text.slice(0, -2)) : undefined;
  if (parts === undefined) return `${quote(text)} is not name=value`;
  return typeof parts === 'string' ? parts : { flag, parts, value: [] };
}

/** Fields as query parameters: a list repeats its name, a member of an object is `name[member]`. */
export function queryOf({ object, details }: ReadFields): {
  readonly query: string;
  readonly details: readonly Detail[];
} {
  const pairs: [string, string][] = [];
  const problems: Detail[] = [];
  const add = (name: string, value: unknown, isEntry: boolean) => {
    if (Array.isArray(value) && !isEntry) for (const entry of value) add(name, entry, true);
    else if (isRecord(value) && !isEntry)
      for (const [member, inner] of Object.entries(value)) add(`${name}[${member}]`, inner, false);
    else if (value === null || typeof value === 'object')
      problems.push({ field: '--field', reason: `${quote(name)} has a value that no query can hold` });
    else pairs.push([name, String(value)]);
  };
  for (const [name, value] of Object.entries(object)) add(name, value, false);
  return { query: String(new URLSearchParams(pairs)), details: [...details, ...problems] };
}
