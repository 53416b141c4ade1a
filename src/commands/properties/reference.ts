import { CliError, type Detail, detailsFor } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import { isRecord, type ServiceRecord, valueAt } from '../../model/records.ts';
import { translationIn } from '../../print/cells.ts';
import { idProblem } from '../../service/path.ts';
import { propertyNameProblem } from '../../service/property-names.ts';
import { openNames } from '../options.ts';
import { nameTest, type Referred, usable } from '../references.ts';
import { resolveAll, wordProblems } from '../several/resolve.ts';
import { misspeltProperties } from '../suggest.ts';

/** Properties as a command line names them. */
export const properties: Referred = {
  noun: ['property', 'properties'],
  argument: 'id',
  field: 'id',
  list: (api) => api.properties.list({}, {}),
  listWords: ['properties', 'list'],
  misspelt: misspeltProperties,
  referenceOf: ({ id }) => usable(id, idProblem),
  namesOf: (record) => [
    nameIn(record),
    ...[valueAt(record, ['location', 'city']), record['code']].filter((each) => typeof each === 'string'),
  ],
  detailsOf: (record) => [valueAt(record, ['location', 'city']), record['status']],
};

/** The argument of commands that take several properties. */
export const propertiesArgument = [
  `[${properties.argument}...]`,
  'id of the property; at a terminal also its name',
] as const;

/** A property that a word of the command line names; `undefined` if a missing one is ignored. */
export interface NamedProperty {
  readonly word: string;
  readonly record: ServiceRecord | undefined;
}

/** The problems of several ids, each named by its word. With blanks one may be a property's name. */
export async function idsDetails(ids: readonly string[], session: Session): Promise<readonly Detail[]> {
  const isName = nameTest(session);
  const named = await openNames(
    ids.filter((id) => !isName(id)),
    session.api,
  );
  return wordProblems(
    ids,
    (id) => detailsFor(properties.field, propertyNameProblem(id, named(id)) ?? idProblem(id)),
    isName,
  );
}

/** The properties that words name, each once. @param ignoreNotFound whether a missing one is no error. */
export function resolveProperties(
  words: readonly string[],
  effect: 'reads' | 'writes',
  read: (id: string) => Promise<ServiceRecord>,
  session: Session,
  ignoreNotFound = false,
): Promise<readonly NamedProperty[]> {
  const ignoring = (error: unknown): undefined => {
    const isMissing = error instanceof CliError && error.code === 'not_found';
    if (!ignoreNotFound || !isMissing) throw error;
  };
  const find = async (word: string) => ({ word, record: await read(word).catch(ignoring) });
  const idOf = ({ word, record }: NamedProperty) => usable(record?.['id'], idProblem) ?? word;
  return resolveAll(words, properties, { find, idOf, named: effect }, session);
}

/** The name of a property, which is a text in lists and a language map elsewhere; an empty text if unknown. */
export function nameIn({ name }: ServiceRecord): string {
  const text = isRecord(name) ? translationIn(name) : name;
  return typeof text === 'string' ? text : '';
}
