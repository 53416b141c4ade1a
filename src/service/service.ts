import type { Page, ServiceRecord } from '../model/records.ts';
import { fillPath } from '../model/text.ts';
import type { Answer } from './answer.ts';
import type { Query } from './dialect.ts';
import { type Guard, idsInBody } from './guard.ts';
import { inventoryApi } from './inventory.ts';
import { invitationsApi } from './invitations.ts';
import { type OperationId, operations, type PathValues } from './operations.ts';
import { type Extent, whole } from './paging.ts';
import { createRaw } from './raw.ts';
import { type ApiOptions, ask, createCall, readList, type Service } from './reading.ts';
import type { Send } from './send.ts';
import { usersApi } from './users.ts';

/** What command bodies work with: one member for each resource, one method for each verb. */
export type Api = ReturnType<typeof createApi>;

/** Builds the resources of one service. */
export function createApi(service: Service, send: Send, guard: Guard, options: ApiOptions) {
  const call = createCall(service, send);
  const { dialect } = service;
  /** A list that the service does not page. @param bare the field for a record that is a bare text. */
  const wholeList = (
    id: 'listRoles' | 'listCountries',
    key: string,
    bare: string,
    required: readonly string[],
  ) => ({
    /** @param filter query parameters that the contract does not name, sent unchanged. */
    list: (filter: Query, extent: Extent): AsyncGenerator<Page> => {
      const read = (answer: Answer) => readList(answer, key, bare, required);
      return whole(ask(call, id, {}, read, { query: filter }), extent, options.warn);
    },
  });
  return {
    dialect,
    trustsKeys: options.trustsKeys,
    kept: options.kept,

    /**
     * Returns when the settings allow an operation, before anything is asked or read for it.
     *
     * @param about ids and bodies, as far as known.
     * @throws {CliError} `blocked`, exit 11.
     */
    permit(id: OperationId, ...about: readonly (string | ServiceRecord)[]): void {
      const { effect, does, safety } = operations[id];
      if (safety === 'read') return;
      const idsIn = (each: string | ServiceRecord) =>
        typeof each === 'string' ? [each] : idsInBody(JSON.stringify(each), operations[id]);
      guard({ effect, does, ids: about.flatMap(idsIn) });
    },

    /** Returns when the settings allow to take away what cannot be given back. @throws {CliError} `blocked`, exit 11. */
    permitLoss: (does: string): void => guard({ effect: 'destroys', does, ids: [] }),

    /**
     * Returns when these ids fit into the path of an operation: so that no question is asked about an impossible one.
     *
     * @throws {CliError} exit 2, naming the placeholder.
     */
    check<Id extends OperationId>(id: Id, path: PathValues<Id>): void {
      fillPath(dialect.path(id), path);
    },

    raw: createRaw(service, send, guard, options.warn),
    invitations: invitationsApi(call, dialect, options),
    users: usersApi(call, dialect, options),
    ...inventoryApi(call, dialect, options),
    /** GET /api/v1/roles, of the current account. A role that is a bare string becomes `{ name }`. */
    roles: wholeList('listRoles', 'roles', 'name', dialect.required.role),
    /** GET /inventory/v1/types/countries, where properties may be. A bare string becomes `{ code }`. */
    countries: wholeList('listCountries', 'countryCodes', 'code', dialect.required.country),
  };
}
