import type { Call } from './client.ts';
import { invitationsApi, type SettleOptions } from './invitations.ts';
import { propertiesApi } from './properties.ts';
import { rolesApi } from './roles.ts';

/** What command bodies work with: one member for each resource, one method for each verb. */
export type Api = ReturnType<typeof createApi>;

/** Builds the resources on top of one way to call operations. */
export function createApi(
  call: Call,
  options: SettleOptions & { readonly warn: (sentence: string) => Promise<void> },
) {
  return {
    invitations: invitationsApi(call, options),
    properties: propertiesApi(call, options.warn),
    roles: rolesApi(call),
  };
}
