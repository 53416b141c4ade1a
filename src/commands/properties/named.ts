import type { Session } from '../../cli/session.ts';
import { serviceLine } from '../lines.ts';
import type { Named } from '../suggest.ts';

/**
 * The properties that a filter names, by an id or a code: the contract takes both. Archived ones are known too.
 *
 * @param words as typed.
 */
export function namedProperties(
  words: readonly string[],
  { api, globals }: Pick<Session, 'api' | 'globals'>,
): Named {
  return {
    noun: ['property', 'properties'],
    words,
    pages: () => api.properties.listAll(api.dialect.withArchived),
    fields: ['id', 'code'],
    hint: serviceLine(globals, 'properties', 'list'),
  };
}
