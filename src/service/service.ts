import type { Page } from '../model/records.ts';
import type { Call, Check, Permit } from './client.ts';
import type { Dialect, Query } from './dialect.ts';
import type { Credentials } from './exchange.ts';
import { invitationsApi } from './invitations.ts';
import { type Extent, type WalkOptions, whole } from './paging.ts';
import { propertiesApi } from './properties.ts';
import type { Raw } from './raw.ts';
import { ask, readList } from './reading.ts';
import type { UpdateOptions } from './updating.ts';
import { usersApi } from './users.ts';

/** What command bodies work with: one member for each resource, one method for each verb. */
export type Api = ReturnType<typeof createApi>;

/** What the resources need besides a way to call operations. */
export interface ApiOptions extends UpdateOptions {
  readonly dialect: Dialect;
  readonly permit: Permit;
  readonly check: Check;
  readonly raw: Raw;
  /** Whether the service is known to honour idempotency keys: its documents say so, or a setting names their header. */
  readonly trustsKeys: boolean;
  /** How the caller proved who it is. */
  readonly grant: Credentials['grant'];
  readonly warn: (sentence: string) => Promise<void>;
  /** How many pages of a list may be under way besides the one that is waited for. */
  readonly ahead: () => number;
}

/** Builds the resources on top of one way to call operations. */
export function createApi(call: Call, options: ApiOptions) {
  return {
    /** How the service spells things, and what it has beside the contract. */
    dialect: options.dialect,
    permit: options.permit,
    check: options.check,
    raw: options.raw,
    trustsKeys: options.trustsKeys,
    invitations: invitationsApi(call, options),
    roles: rolesApi(call, options),
    users: usersApi(call, options),
    properties: propertiesApi(call, options),
    countries: countriesApi(call, options),
  };
}

/** Countries in which a property may be. */
function countriesApi(call: Call, { warn }: Pick<WalkOptions, 'warn'>) {
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

/** Roles of the current account. */
function rolesApi(call: Call, { warn }: Pick<WalkOptions, 'warn'>) {
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
