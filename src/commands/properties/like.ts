import { type PropertyField, propertyFields, serviceFields } from '../../checks/property-fields.ts';
import { isRecord, type ServiceRecord } from '../../records.ts';
import { clip, neutraliseLine } from '../../render/text.ts';
import type { Session } from '../../session.ts';
import { type Draft, missingIn, put, valueAt } from './body.ts';
import { suggestingProperty } from './by-id.ts';

/** Fields that are a property's own, and never another one's. */
const own: ReadonlySet<string> = new Set(['code', 'name']);

/** All that is taken, or that a new property gets anyway. */
const known: ReadonlySet<string> = new Set([
  ...serviceFields,
  ...propertyFields.flatMap(({ path }) => [path[0], path.join('.')]),
]);

/** Names that are told of what was not taken, and the code units of one. */
const [MOST_TOLD, LONGEST_NAME] = [20, 60];

/**
 * The property that values are taken from; nothing is read where the draft lacks none that it could have.
 *
 * @throws {CliError} exit 3 naming the id that was probably meant.
 */
export async function siblingOf(
  id: string | undefined,
  { body }: Draft,
  { api }: Pick<Session, 'api'>,
): Promise<ServiceRecord> {
  if (id === undefined || missingIn(body).every(({ flag }) => own.has(flag))) return {};
  return api.properties.read(id).catch(suggestingProperty(api, id));
}

/** What a property has for a field of another one; `undefined` where it shows no text. */
export function valueLike(sibling: ServiceRecord, field: PropertyField): string | undefined {
  if (own.has(field.flag)) return undefined;
  const value = valueAt(sibling, field);
  return typeof value === 'string' ? value : undefined;
}

/** The draft with what it lacks and a property shows; a location that is no record stays, to be judged. */
export function takenFrom(sibling: ServiceRecord, draft: Draft): Draft {
  const isMisshapen = !isRecord(draft.body['location'] ?? {});
  const body = missingIn(draft.body).reduce<Draft['body']>((before, field) => {
    const value = isMisshapen && field.path.length === 2 ? undefined : valueLike(sibling, field);
    return value === undefined ? before : put(before, field, value);
  }, draft.body);
  return { ...draft, body };
}

/** The fields that a draft lacks because the property does not show them. */
export function unshownIn(sibling: ServiceRecord, { body }: Draft): readonly PropertyField[] {
  return missingIn(body).filter((field) => !own.has(field.flag) && valueLike(sibling, field) === undefined);
}

/** Says which values of a property are not taken, for the contract creates none with them; `undefined` where all are. */
export function leftBehind(id: string, sibling: ServiceRecord, { body }: Draft): string | undefined {
  const { location } = sibling;
  const inLocation = isRecord(location) ? namesLeft(location, body['location'], 'location.') : [];
  const names = [...namesLeft(sibling, body, ''), ...inLocation];
  if (names.length === 0) return undefined;
  const more = names.length - MOST_TOLD;
  const told = names.slice(0, MOST_TOLD).map((name) => clip(neutraliseLine(name), LONGEST_NAME));
  const list = `${told.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `Not taken from ${id}: ${list}. The contract creates properties without them.`;
}

/** The names under which a record has something that neither a property nor the draft has. */
function namesLeft(record: ServiceRecord, draft: unknown, above: string): readonly string[] {
  return Object.entries(record)
    .filter(([name, value]) => !isEmpty(value) && !(isRecord(draft) && Object.hasOwn(draft, name)))
    .map(([name]) => `${above}${name}`)
    .filter((path) => !known.has(path));
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object') return value === undefined || value === '';
  return value === null || Object.keys(value).length === 0;
}

/** The words of a command line without `--like`: the property may change until they are typed again. */
export function withoutLike(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  const isFlag = (index: number) => end === -1 || index < end;
  return argv.filter(
    (word, index) =>
      !isFlag(index) || !(word === '--like' || word.startsWith('--like=') || argv[index - 1] === '--like'),
  );
}
