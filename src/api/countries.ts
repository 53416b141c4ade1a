import type { Page } from '../records.ts';
import type { Call } from './client.ts';
import type { Query } from './dialects/dialect.ts';
import { type Extent, type WalkOptions, whole } from './paging.ts';
import { ask, readList } from './reading.ts';

/** Countries in which a property may be. */
export function countriesApi(call: Call, { warn }: Pick<WalkOptions, 'warn'>) {
  const read = (query: Query) =>
    ask(call, 'listCountries', {}, (answer) => readList(answer, 'countryCodes', 'code'), { query });
  return {
    /**
     * GET /inventory/v1/types/countries; the service does not page. A country that is a bare string becomes `{ code }`.
     *
     * @param filter query parameters that the contract does not name, sent as they are.
     */
    list: (filter: Query, extent: Extent): AsyncGenerator<Page> => whole(read(filter), extent, warn),
  };
}
