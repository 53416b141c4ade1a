import type { ServiceRecord } from '../records.ts';
import type { Call } from './client.ts';
import { readList } from './reading.ts';

/** Roles of the current account. */
export function rolesApi(call: Call) {
  return {
    /** GET /api/v1/roles; a role that is a bare string becomes `{ name }`. */
    list: async (): Promise<readonly ServiceRecord[]> =>
      readList(await call('listRoles', {}), 'roles', 'name').items,
  };
}
