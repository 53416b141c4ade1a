import { type Detail, detailsFor } from '../cli/errors.ts';
import type { Context } from '../cli/ports.ts';
import { readDocument, SeveralRecords } from '../fs/document.ts';
import { nearest } from '../model/names.ts';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import { quote, shortened } from '../model/text.ts';
import type { Kind } from '../seed/entry.ts';

/** A kind of record as the contract has it. */
export interface Known {
  /** What a file may call it: exports do. */
  readonly kind: Kind;
  /** How messages call one: `an invitation`. */
  readonly noun: string;
  readonly fields: readonly string[];
  /** The names in those fields that are records, which `extra` may add to. */
  readonly records?: ReadonlyMap<string, readonly string[]>;
  /** Our name of a field as the service spells it: where the two differ, its spelling is refused. */
  readonly fieldName: (spelt: string) => string;
  /** Paths of fields that the contract does not name: they may stand under `extra` all the same. */
  readonly further?: ReadonlySet<string>;
}

/** What a file says of one record; its values are not yet checked. */
export interface FileFields {
  /** How messages name the file. */
  readonly name: string;
  /** Those that are known. */
  readonly fields: ServiceRecord;
  /** Fields that the contract does not name, sent as they are. */
  readonly extra: ServiceRecord;
  /** What is wrong with the names of its fields. */
  readonly problems: readonly Detail[];
}

/** What to do about fields that the contract does not name. */
export const EXTRA_HINT = 'Fields of your service that the contract does not name go under "extra:".';

/**
 * Reads the file of one record: YAML, or JSON by its ending.
 *
 * @param path `-` is stdin.
 * @param allowUnknown sends fields that the contract does not name, also where they do not stand under `extra`.
 * @throws {SeveralRecords} when it is for several records.
 * @throws {CliError} exit 2 when it cannot be read or is not valid.
 */
export async function readFields(
  path: string,
  known: Known,
  allowUnknown: boolean,
  { stdin, signal }: Pick<Context, 'stdin' | 'signal'>,
): Promise<FileFields> {
  const { name, fields: document } = await readDocument(path, stdin, signal);
  const { extra, ...fields } = withoutKind(document, known);
  const named = Object.entries(fields).filter(([field]) => known.fields.includes(field));
  const others = Object.entries(fields).filter(([field]) => !known.fields.includes(field));
  if (named.length === 0 && !allowUnknown) refuseList(others, name);
  const withExtra = { ...known, fields: [...known.fields, 'extra'] };
  const unknown = allowUnknown ? [] : unknownFields(Object.fromEntries(others), withExtra, `${name}: `);
  return {
    name,
    fields: Object.fromEntries(named),
    extra: { ...Object.fromEntries(others), ...(isRecord(extra) ? extra : {}) },
    problems: [
      ...unknown,
      ...problemsOfExtra(extra, Object.fromEntries(named), known, name),
      ...foreignNames(allowUnknown ? fields : {}, known, `${name}: `),
      ...foreignNames(isRecord(extra) ? extra : {}, known, `${name}: extra.`),
    ],
  };
}

/** Names in the spelling of the service: sent beside the same field in our own, one of the two would be lost. */
function foreignNames(
  record: ServiceRecord,
  known: Pick<Known, 'fieldName'>,
  place: string,
): readonly Detail[] {
  return Object.entries(record).flatMap(([field, value]) => {
    const own = known.fieldName(field);
    const inside = isRecord(value) && holders.has(own) ? foreignNames(value, known, `${place}${field}.`) : [];
    const reason = own === field ? undefined : `is a known field: write ${own}`;
    return [...detailsFor(`${place}${shortened(field)}`, reason), ...inside];
  });
}

/** Fields that hold fields, and no languages. */
const holders: ReadonlySet<string> = new Set(['location', 'bank_account']);

function withoutKind({ kind, ...fields }: ServiceRecord, known: Known): ServiceRecord {
  return kind === undefined || kind === null || kind === known.kind ? fields : { kind, ...fields };
}

/** What is wrong with the names of a record's fields; `place` stands in front of them in messages. */
export function unknownFields(
  record: ServiceRecord,
  { noun, fields }: Pick<Known, 'noun' | 'fields'>,
  place: string,
): readonly Detail[] {
  const names = Object.keys(record).filter((field) => !fields.includes(field));
  return names.map((field) => {
    const meant = nearest(field, fields);
    const guess = meant === undefined ? '' : `: did you mean ${meant}?`;
    return { field: `${place}${shortened(field)}`, reason: `is no field of ${noun}${guess}` };
  });
}

/** Records under one name, `invitations: [...]`, or as a list prints them, with their count. */
function refuseList(fields: readonly (readonly [string, unknown])[], name: string): void {
  const list = fields.find(([, value]) => Array.isArray(value) && value.some(isRecord));
  if (list !== undefined)
    throw new SeveralRecords(`${name} holds a list under ${quote(list[0])}; one record is wanted.`);
}

function problemsOfExtra(
  extra: unknown,
  named: ServiceRecord,
  { fields, records, further }: Known,
  name: string,
): readonly Detail[] {
  if (extra === undefined || extra === null) return [];
  if (!isRecord(extra)) return [{ field: `${name}: extra`, reason: 'must hold fields and values' }];
  const judged = (path: string, outside: unknown) =>
    detailsFor(
      `${name}: extra.${path}`,
      further?.has(path) === true
        ? twice(path, outside)
        : `is a field of the contract: write ${path} outside extra`,
    );
  return Object.entries(extra).flatMap(([field, value]) => {
    const inside = records?.get(field);
    if (inside === undefined) return fields.includes(field) ? judged(field, named[field]) : [];
    if (value === null) return [];
    if (!isRecord(value))
      return [{ field: `${name}: extra.${field}`, reason: 'must hold fields and values' }];
    const outside = isRecord(named[field]) ? named[field] : {};
    return Object.keys(value)
      .filter((inner) => inside.includes(inner))
      .flatMap((inner) => judged(`${field}.${inner}`, outside[inner]));
  });
}

function twice(path: string, outside: unknown): string | undefined {
  return outside === undefined || outside === null
    ? undefined
    : `is given twice: ${path} stands outside extra too`;
}
