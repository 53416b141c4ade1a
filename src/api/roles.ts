import type { Page } from '../records.ts';
import type { Call } from './client.ts';
import type { Query } from './dialects/dialect.ts';
import { type Extent, type WalkOptions, whole } from './paging.ts';
import { ask, readList } from './reading.ts';

/** Roles of the current account. */
export function rolesApi(call: Call, { warn }: Pick<WalkOptions, 'warn'>) {
  const read = (query: Query) =>
    ask(call, 'listRoles', {}, (answer) => readList(answer, 'roles', 'name'), { query });
  return {
    /**
     * GET /api/v1/roles; the service does not page. A role that is a bare string becomes `{ name }`.
     *
     * @param filter query parameters that the contract does not name, sent as they are.
     */
    list: (filter: Query, extent: Extent): AsyncGenerator<Page> => whole(read(filter), extent, warn),
  };
}
