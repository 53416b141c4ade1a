import type { PropertyField } from '../../checks/property-fields.ts';
import { isRecord, type ServiceRecord } from '../../records.ts';
import type { Session } from '../../session.ts';
import { type Draft, missingIn, put, valueAt } from './body.ts';
import { suggestingProperty } from './by-id.ts';

/** Fields that are a property's own, and never another one's. */
const own: ReadonlySet<string> = new Set(['code', 'name']);

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

/** The words of a command line without `--like`: the property may change until they are typed again. */
export function withoutLike(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  const isFlag = (index: number) => end === -1 || index < end;
  return argv.filter(
    (word, index) =>
      !isFlag(index) || !(word === '--like' || word.startsWith('--like=') || argv[index - 1] === '--like'),
  );
}
