import type { Credentials } from '../http/authorization.ts';
import type { Call, Check, Permit } from './client.ts';
import { countriesApi } from './countries.ts';
import type { Dialect } from './dialects/dialect.ts';
import { invitationsApi } from './invitations.ts';
import { propertiesApi } from './properties.ts';
import type { Raw } from './raw.ts';
import { rolesApi } from './roles.ts';
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
