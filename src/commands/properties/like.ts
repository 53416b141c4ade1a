import { type PropertyField, serviceFields } from '../../model/property-fields.ts';
import { isRecord, type ServiceRecord, valueAt } from '../../model/records.ts';
import { languageProblem } from '../../model/values.ts';
import { clip, neutraliseLine } from '../../out/text.ts';
import type { Api } from '../../service/service.ts';
import { suggestProperty } from './get.ts';
import { type Draft, missingIn, openIn, outerFields, put } from './given.ts';

/** Fields that are never copied. */
const own: ReadonlySet<string> = new Set(['code', 'name']);

/** Limits for the list of values that were not copied: names, and code units of each. */
const [MOST_NAMED, LONGEST_NAME] = [20, 60];

/**
 * The property of --like; not requested if the draft lacks no field that could be copied.
 *
 * @throws {CliError} exit 3 with a similar id.
 */
export async function siblingOf(
  id: string | undefined,
  draft: Draft,
  { api }: { readonly api: Api },
): Promise<ServiceRecord> {
  const wanted = openIn(draft).filter(({ flag }) => !own.has(flag));
  if (id === undefined || wanted.length === 0) return {};
  const languages = wanted.some(({ kind }) => kind === 'languages') ? ['all'] : undefined;
  return api.properties.read(id, languages).catch(suggestProperty(api, id));
}

/** The value of a field to copy; `undefined` if it is not shown as text. */
export function valueLike(
  sibling: ServiceRecord,
  field: PropertyField,
): string | Readonly<Record<string, string>> | undefined {
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

/** The texts of a language map that can be sent; what is not a text in a language is left out. */
export function textsByLanguage(value: unknown): Readonly<Record<string, string>> {
  const entries = isRecord(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.flatMap(([language, text]) =>
      typeof text === 'string' && languageProblem(language) === undefined ? [[language, text]] : [],
    ),
  );
}

/** The draft completed from a property; a value in place of an object is kept and refused later. */
export function takenFrom(sibling: ServiceRecord, draft: Draft): Draft {
  const withNeeded = taking(missingIn(draft), sibling, draft);
  const optional = openIn(withNeeded).filter((field) => isLikeAround(field, sibling, withNeeded));
  return taking(optional, sibling, withNeeded);
}

function taking(fields: readonly PropertyField[], sibling: ServiceRecord, draft: Draft): Draft {
  const body = fields.reduce<Draft['body']>((before, field) => {
    const isMisshapen = field.path.length === 2 && !isRecord(before[field.path[0]] ?? {});
    const value = isMisshapen ? undefined : valueLike(sibling, field);
    return value === undefined ? before : put(before, field, value);
  }, draft.body);
  return { ...draft, body };
}

/** Parts of an address or bank account are copied only if the rest matches. */
function isLikeAround({ path }: PropertyField, sibling: ServiceRecord, { body, fields }: Draft): boolean {
  const around = path.length === 1 ? [] : fields.filter((other) => other.path[0] === path[0]);
  return around.every((other) => {
    const value = valueAt(body, other.path) ?? undefined;
    return value === undefined || value === valueAt(sibling, other.path);
  });
}

/** Missing fields that the property does not show. */
export function unshownIn(sibling: ServiceRecord, draft: Draft): readonly PropertyField[] {
  return missingIn(draft).filter((field) => !own.has(field.flag) && valueLike(sibling, field) === undefined);
}

/** A sentence on the values that were not copied; `undefined` if all were. */
export function leftBehind(id: string, sibling: ServiceRecord, { body, fields }: Draft): string | undefined {
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
  const more = names.length - MOST_NAMED;
  const shown = names.slice(0, MOST_NAMED).map((name) => clip(neutraliseLine(name), LONGEST_NAME));
  const list = `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `Not taken from ${id}: ${list}. A property is created without them.`;
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
