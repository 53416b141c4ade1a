import { type FileFlags, readGivenFile } from '../../change/existing.ts';
import { type Detail, refuseInvalid } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import type { RecordFile } from '../../files/record.ts';
import { type PropertyField, serviceFields, valueProblems } from '../../model/property-fields.ts';
import { isRecord, type ServiceRecord, valueAt } from '../../model/records.ts';
import { firstOf } from '../../model/text.ts';
import { clip, neutraliseLine } from '../../print/text.ts';
import { textsByLanguage } from './ask.ts';
import { givenFields } from './given.ts';
import { suggestProperty } from './reference.ts';

/** The fields of a property that contain other fields. */
const outerFields = ['location', 'bank_account'] as const;

/** A create-property body that may be incomplete, and the sources of its values. */
export interface Draft {
  readonly body: ServiceRecord;
  /** The fields of the dialect. */
  readonly fields: readonly PropertyField[];
  /** Names of fields from a file in messages: file and path. Other fields are named by their flags. */
  readonly places: ReadonlyMap<PropertyField, string>;
  /** Flags of the fields that are not copied from another property. */
  readonly own: ReadonlySet<string>;
}

/**
 * Builds the body from file and flags; flags override the file, per language for texts with languages.
 *
 * @param own the fields that are not copied from another property.
 * @param earlier other problems, reported together.
 * @throws {CliError} exit 2 for an unreadable file, unknown fields, fields that the dialect does not have, and language
 * texts that are not `lang=text`.
 */
export async function assembleBody(
  flags: FileFlags,
  own: Draft['own'],
  session: Session,
  earlier: readonly Detail[],
) {
  const { propertyFields: fields } = session.api.dialect;
  const file = await readGivenFile('property', flags, session);
  const { given, details } = givenFields(flags, fields);
  refuseInvalid([...earlier, ...(file?.problems ?? []), ...details], file?.hint);
  const { bodyOf } = await import('../../files/entry.ts');
  const start = bodyOf({ fields: file?.fields ?? {} });
  const body = given.reduce<Draft['body']>((draft, { field, value }) => put(draft, field, value), start);
  const byFlag = new Set(given.map(({ field }) => field));
  const places = fields.flatMap((field) => {
    const place = byFlag.has(field) ? undefined : placeIn(file, field);
    return place === undefined ? [] : [[field, place] as const];
  });
  return { body, fields, places: new Map(places), own };
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

/** Fields in which two properties differ: prompts ask for them. */
export const ownFields: ReadonlySet<string> = new Set(['code', 'name']);

/**
 * The property to copy from; not requested if the draft lacks no field that could be copied.
 *
 * @throws {CliError} exit 3 with a similar id.
 */
export async function readSibling(id: string | undefined, draft: Draft, { api }: Session) {
  const wanted = unsetFields(draft).filter(({ flag }) => !draft.own.has(flag));
  if (id === undefined || wanted.length === 0) return {};
  const languages = wanted.some(({ kind }) => kind === 'languages') ? ['all'] : undefined;
  return api.properties.read(id, languages).catch(suggestProperty(api, id));
}

/** The value of a field to copy; `undefined` if it is not shown as text. */
export function valueLike(sibling: ServiceRecord, field: PropertyField, { own }: Pick<Draft, 'own'>) {
  if (own.has(field.flag)) return undefined;
  const value = valueAt(sibling, field.path);
  if (field.kind === 'languages') return textsIn(value);
  return typeof value === 'string' ? value : undefined;
}

/** A language map, only as a whole. */
function textsIn(value: unknown): Readonly<Record<string, string>> | undefined {
  const shown = isRecord(value) ? Object.values(value).filter((text) => text !== null) : [];
  const texts = textsByLanguage(value);
  const { length } = Object.keys(texts);
  return length === 0 || length < shown.length ? undefined : texts;
}

/** The draft completed from a property; a value in place of an object is kept and refused later. */
export function withCopied(sibling: ServiceRecord, draft: Draft): Draft {
  const withNeeded = copyFields(missingFields(draft), sibling, draft);
  const optional = unsetFields(withNeeded).filter((field) => matchesAround(field, sibling, withNeeded));
  return copyFields(optional, sibling, withNeeded);
}

export function copyFields(fields: readonly PropertyField[], sibling: ServiceRecord, draft: Draft): Draft {
  const body = fields.reduce<Draft['body']>((before, field) => {
    const isMisshapen = field.path.length === 2 && !isRecord(before[field.path[0]] ?? {});
    const value = isMisshapen ? undefined : valueLike(sibling, field, draft);
    return value === undefined ? before : put(before, field, value);
  }, draft.body);
  return { ...draft, body };
}

/** Parts of an address or bank account are copied only if the rest matches. */
export function matchesAround(
  { path }: PropertyField,
  sibling: ServiceRecord,
  { body, fields }: Draft,
): boolean {
  const around = path.length === 1 ? [] : fields.filter((other) => other.path[0] === path[0]);
  return around.every((other) => {
    const value = valueAt(body, other.path) ?? undefined;
    return value === undefined || value === valueAt(sibling, other.path);
  });
}

/** Missing fields that the property does not show. */
export function unshownIn(sibling: ServiceRecord, draft: Draft): readonly PropertyField[] {
  return missingFields(draft).filter(
    (field) => !draft.own.has(field.flag) && valueLike(sibling, field, draft) === undefined,
  );
}

/** Limits for the list of values that were not copied: names, and code units of each. */
const [MOST_NAMED, LONGEST_NAME] = [20, 60];

/** A sentence on the values that were not copied; `undefined` if all were. */
export function notCopiedText(
  id: string,
  sibling: ServiceRecord,
  { body, fields }: Draft,
): string | undefined {
  const needed = fields.filter(({ isOptional }) => isOptional !== true);
  const known = new Set([...serviceFields, ...needed.flatMap(({ path }) => [path[0], path.join('.')])]);
  const inside = outerFields.flatMap((outer) => {
    const { [outer]: seen } = sibling;
    const isJudged =
      known.has(outer) || fields.some(({ path }) => path[0] === outer && body[outer] !== undefined);
    return isJudged && isRecord(seen) ? namesLeft(seen, body[outer], `${outer}.`) : [];
  });
  const names = [...namesLeft(sibling, body, ''), ...inside].filter((path) => !known.has(path));
  if (names.length === 0) return undefined;
  const shown = firstOf(names, MOST_NAMED).map((name) => clip(neutraliseLine(name), LONGEST_NAME));
  return `Not taken from ${id}: ${shown.join(', ')}. A property is created without them.`;
}

/** The fields of a record that the draft does not have. */
function namesLeft(record: ServiceRecord, draft: unknown, above: string): readonly string[] {
  return Object.entries(record)
    .filter(([name, value]) => !isEmpty(value) && !(isRecord(draft) && Object.hasOwn(draft, name)))
    .map(([name]) => `${above}${name}`);
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object') return value === undefined || value === '';
  return value === null || Object.keys(value).length === 0;
}

/** The missing fields, in the contract's order. */
export function unsetFields({ body, fields }: Draft): readonly PropertyField[] {
  return fields.filter((field) => (valueAt(body, field.path) ?? undefined) === undefined);
}

/** The missing required fields. */
export function missingFields(draft: Draft): readonly PropertyField[] {
  return unsetFields(draft).filter(({ isOptional }) => isOptional !== true);
}

/** Adds a value to the body; language maps are merged. */
export function put(body: ServiceRecord, field: PropertyField, value: unknown): ServiceRecord {
  const [first, second] = field.path;
  const outer = isRecord(body[first]) ? body[first] : {};
  if (second !== undefined) return { ...body, [first]: { ...outer, [second]: value } };
  return { ...body, [first]: isRecord(value) ? { ...outer, ...value } : value };
}

/** The problems of the values of a draft, and of missing required fields if it should be complete. */
export function draftProblems(draft: Draft, isComplete: boolean): readonly Detail[] {
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
  return [...details, ...misshapen.map((field) => ({ field, reason: 'must hold fields and values' }))];
}
