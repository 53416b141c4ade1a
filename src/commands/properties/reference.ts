import { isIgnored } from '../../change/lines.ts';
import { nameTest, type Referred, resolveAll, usable, wordProblems } from '../../change/resolve.ts';
import { misspeltProperties } from '../../change/suggest.ts';
import { CliError, type Detail, detailsFor } from '../../model/errors.ts';
import { isRecord, type ServiceRecord, valueAt } from '../../model/records.ts';
import { idProblem } from '../../model/text.ts';
import { translationIn } from '../../print/cells.ts';
import { propertyNameProblem } from '../../service/property-names.ts';
import type { Api } from '../../service/service.ts';
import type { Session } from '../../session/session.ts';
import { openNames, suggestReference } from '../options.ts';

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

/** A property that a word of the command line names. */
export interface NamedProperty {
  readonly word: string;
  /** `undefined` if it was not read. */
  readonly record?: ServiceRecord | undefined;
  /** There is none, which is ignored. */
  readonly isMissing?: true;
  /** Of the read. */
  readonly requestId?: string | undefined;
}

/** The problems of ids, of several each named by its word. With blanks one may be a property's name. @param session at a terminal names are no problem. */
export async function idsDetails(
  ids: readonly string[],
  api: Api,
  session?: Session,
  field = properties.field,
): Promise<readonly Detail[]> {
  const isName = session && nameTest(session);
  const checked = ids.filter((id) => isName?.(id) !== true);
  const named = await openNames(checked, api);
  const problemsOf = (id: string) => detailsFor(field, propertyNameProblem(id, named(id)) ?? idProblem(id));
  return ids.length > 1 ? wordProblems(checked, problemsOf) : checked.flatMap(problemsOf);
}

/** How properties are read before something is done. */
interface Reading {
  readonly read: (
    id: string,
  ) => Promise<{ readonly property: ServiceRecord; readonly requestId?: string | undefined }>;
  /** A name at a terminal is asked for before it is written to. */
  readonly isWrite?: true;
  /** Whether a single one is read; several always are. Default: true. */
  readonly isRead?: boolean;
  /** Whether a single one that cannot be read is taken as it is: the service may know it. Default: no. */
  readonly mayFail?: ((error: CliError) => boolean) | undefined;
  readonly ignoreNotFound?: true | undefined;
}

/** The properties that words name, each once. @throws {CliError} exit 3 with all words that name none, about one with a suggestion. */
export function resolveProperties(
  words: readonly string[],
  { read, isWrite, isRead = true, mayFail, ignoreNotFound }: Reading,
  session: Session,
): Promise<readonly NamedProperty[]> {
  const isOne = words.length === 1;
  const find = async (word: string): Promise<NamedProperty> => {
    const isPlain = isOne && idProblem(word) === undefined;
    if (isPlain && !isRead && !nameTest(session)(word)) return { word };
    try {
      const { property: record, requestId } = await read(word);
      return { word, record, requestId };
    } catch (error) {
      if (isIgnored(error, ignoreNotFound)) return { word, isMissing: true };
      if (!isOne || !(error instanceof CliError)) throw error;
      if (isPlain && error.code !== 'not_found' && mayFail?.(error)) return { word };
      return suggestReference(properties, word, session.api)(error);
    }
  };
  const idOf = ({ word, record }: NamedProperty) => usable(record?.['id'], idProblem) ?? word;
  return resolveAll(words, properties, { find, idOf, isWrite }, session);
}

/** The name of a property, which is a text in lists and a language map elsewhere; an empty text if unknown. */
export function nameIn({ name }: ServiceRecord): string {
  const text = isRecord(name) ? translationIn(name) : name;
  return typeof text === 'string' ? text : '';
}
