import { type FileFlags, readGivenFile } from '../../change/existing.ts';
import { keepAnswers, withoutFlag } from '../../change/lines.ts';
import type { RecordFile } from '../../files/record.ts';
import { type Detail, refuseInvalid } from '../../model/errors.ts';
import { valueProblems } from '../../model/field-values.ts';
import { type Field, kindTable, namesOf } from '../../model/kinds.ts';
import { isRecord, type ServiceRecord, valueAt } from '../../model/records.ts';
import { withFlags } from '../../print/text.ts';
import type { Session } from '../../session/session.ts';
import { typedFields } from '../fields.ts';
import { suggestReference } from '../options.ts';
import { askValue, textsByLanguage } from './ask.ts';
import { properties } from './reference.ts';

/** The fields of a property that contain other fields. */
const outerFields = ['location', 'bank_account'] as const;

/** A create-property body that may be incomplete, and the sources of its values. */
interface Draft {
  readonly body: ServiceRecord;
  /** The fields of the dialect. */
  readonly fields: readonly Field[];
  /** Names of fields from a file in messages: file and path. Other fields are named by their flags. */
  readonly places: ReadonlyMap<Field, string>;
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
  const { given, details } = typedFields(flags, kindTable.property.fields, fields);
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
function placeIn(file: RecordFile | undefined, field: Field): string | undefined {
  if (file === undefined) return undefined;
  const { extra } = file.fields;
  const path = field.name;
  if (valueAt(file.fields, field.path) !== undefined) return `${file.name}: ${path}`;
  return isRecord(extra) && valueAt(extra, field.path) !== undefined
    ? `${file.name}: extra.${path}`
    : undefined;
}

/** Fields in which two properties differ: prompts ask for them. */
export const ownFields: ReadonlySet<string> = new Set(namesOf('property', ({ isOwn }) => isOwn === true));

/**
 * The draft with what another property shows; not requested if the draft lacks no field that could be copied. Parts of an address
 * or a bank account that may be missing are copied only with the rest of it.
 *
 * @throws {CliError} exit 3 with a similar id.
 */
export async function copyMissing(draft: Draft, like: string | undefined, { api }: Session): Promise<Draft> {
  const wanted = unsetFields(draft).filter(({ flag }) => !draft.own.has(flag));
  if (like === undefined || wanted.length === 0) return draft;
  const languages = wanted.some(({ type }) => type === 'languages') ? ['all'] : undefined;
  const sibling = await api.properties.read(like, languages).catch(suggestReference(properties, like, api));
  const isPart = ({ path: [outer, inner], isOptional }: Field) =>
    inner !== undefined && draft.body[outer] !== undefined && (isOptional || !isRecord(draft.body[outer]));
  const body = wanted.reduce<Draft['body']>((before, field) => {
    const value = isPart(field) ? undefined : valueLike(sibling, field);
    return value === undefined ? before : put(before, field, value);
  }, draft.body);
  return { ...draft, body };
}

/** The value of a field to copy; `undefined` if it is not shown as text. A value in place of an object is refused later. */
function valueLike(sibling: ServiceRecord, { path, type }: Field) {
  const value = valueAt(sibling, path);
  const texts = textsByLanguage(value);
  if (type === 'languages') return Object.keys(texts).length === 0 ? undefined : texts;
  return typeof value === 'string' ? value : undefined;
}

/** The missing fields, in the contract's order. */
function unsetFields({ body, fields }: Draft): readonly Field[] {
  return fields.filter((field) => (valueAt(body, field.path) ?? undefined) === undefined);
}

/** The missing required fields. */
export function missingFields(draft: Draft): readonly Field[] {
  return unsetFields(draft).filter(({ isOptional }) => isOptional !== true);
}

/** Adds a value to the body; language maps are merged. */
function put(body: ServiceRecord, field: Field, value: unknown): ServiceRecord {
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

/**
 * Refuses a draft that is not complete, or wrong.
 *
 * @param help the command for help: `innctl properties create --help`.
 * @throws {CliError} exit 2 with all missing and invalid values.
 */
export function refuseIncomplete(draft: Draft, like: string | undefined, help: string): void {
  const details = draftProblems(draft, true);
  const isNamed = (flag: string) => details.some(({ field }) => field === `--${flag}`);
  const unshown = missingFields(draft).filter(({ flag }) => !draft.own.has(flag) && isNamed(flag));
  const flags = unshown.map(({ flag, example }) => `--${flag} ${example ?? 'VALUE'}`);
  const isCopied = like !== undefined && flags.length > 0;
  const hint = isCopied ? `${like} does not show this; give it: ${flags.join(' ')}` : help;
  refuseInvalid(details, hint);
}

/**
 * The session, as if all values of a draft had been typed, without --like: the property may have changed when the line is run again.
 *
 * @param given what file and flags gave.
 */
export function withLineOf(draft: Draft, given: Draft, session: Session): Session {
  const { context } = session;
  const argv = withChanged(draft, given, withoutFlag(context.argv, '--like'));
  return { ...session, context: { ...context, argv } };
}

/** The command line with the values that a draft had not before. */
function withChanged({ body, fields }: Draft, before: Draft, argv: readonly string[]): readonly string[] {
  const changed = fields.filter(({ path }) => valueAt(body, path) !== valueAt(before.body, path));
  const kept = changed.reduce<readonly string[]>((line, { flag }) => withoutFlag(line, `--${flag}`), argv);
  const words = changed.flatMap(({ path, flag }) => {
    const value = valueAt(body, path) ?? undefined;
    const texts = isRecord(value) ? Object.entries(value).map(([tag, text]) => `${tag}=${text}`) : [value];
    return texts.flatMap((text) => (text === undefined ? [] : [`--${flag}`, String(text)]));
  });
  return withFlags(kept, words);
}

/** Prompts for each missing field. @param given what file and flags gave. */
export async function askForMissing(start: Draft, given: Draft, session: Session): Promise<Draft> {
  let draft = start;
  const missing = missingFields(start);
  for (const [index, field] of missing.entries()) {
    const count = `${index + 1} of ${missing.length} · `;
    const answer = await askValue(field, field.usual, session, { count, record: draft.body }).catch(
      keepAnswers(withLineOf(draft, given, session)),
    );
    const value = field.type === 'languages' ? { en: answer } : answer;
    draft = { ...draft, body: put(draft.body, field, value) };
  }
  return draft;
}
