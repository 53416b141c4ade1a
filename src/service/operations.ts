import type { Method } from '../cli/ports.ts';
import type { OperationEffect } from './guard.ts';
import type { Safety } from './retry.ts';

/** The services that innctl speaks with, by how they spell the operations; see docs/adr/0023. */
export const dialectNames = ['contract', 'apaleo'] as const;
export type DialectName = (typeof dialectNames)[number];

/** The reason for refusing what the contract does not have. */
export const notInContract = 'is not part of the contract: a service of the dialect apaleo has it';

/** One row of the contract. */
export interface Operation {
  /** Which of the two base URLs. */
  readonly area: 'identity' | 'inventory';
  readonly method: Method;
  readonly path: `/${string}`;
  /** What it does, to complete `Could not ...`. */
  readonly does: string;
  /** Names of the query parameters, as the contract writes them. */
  readonly query: readonly string[];
  /** How often the request may be sent. */
  readonly safety: Safety;
  /** What guards judge. */
  readonly effect: OperationEffect;
  /** What `api` asks for before it sends the request: a yes, or the name of the record typed again. */
  readonly consent: 'yes' | 'name' | undefined;
}

/** What a method means where nothing else is known. */
export const methods = {
  GET: { safety: 'read', effect: 'reads' },
  HEAD: { safety: 'read', effect: 'reads' },
  POST: { safety: 'once', effect: 'creates' },
  PATCH: { safety: 'patch', effect: 'changes' },
  PUT: { safety: 'patch', effect: 'changes' },
  DELETE: { safety: 'delete', effect: 'destroys' },
} as const satisfies Record<Method, Pick<Operation, 'safety' | 'effect'>>;

/** The contract's fifteen endpoints. */
export const contractOperations = {
  listInvitations: row('identity', 'GET', '/api/v1/invitations', 'list the invitations', {
    query: ['property_id'],
  }),
  createInvitation: row('identity', 'POST', '/api/v1/invitations', 'create the invitation'),
  deleteInvitation: row('identity', 'DELETE', '/api/v1/invitations/{email}', 'delete the invitation', {
    consent: 'yes',
  }),
  listRoles: row('identity', 'GET', '/api/v1/roles', 'list the roles'),
  listUsers: row('identity', 'GET', '/api/v1/users', 'list the users', {
    query: ['property_ids', 'page_size', 'page_number'],
  }),
  getUser: row('identity', 'GET', '/api/v1/identity/users/{subjectId}', 'get the user'),
  updateUser: row('identity', 'PATCH', '/api/v1/identity/users/{subjectId}', 'update the user'),
  getCurrentUser: row('identity', 'GET', '/api/v1/users/me', 'get the current user'),
  listProperties: row('inventory', 'GET', '/inventory/v1/properties', 'list the properties', {
    query: ['page_size', 'page_number'],
  }),
  createProperty: row('inventory', 'POST', '/inventory/v1/properties', 'create the property', {
    safety: 'keyed',
  }),
  countProperties: row('inventory', 'GET', '/inventory/v1/properties/$count', 'count the properties'),
  getProperty: row('inventory', 'GET', '/inventory/v1/properties/{id}', 'get the property', {
    query: ['languages', 'expand'],
  }),
  updateProperty: row('inventory', 'PATCH', '/inventory/v1/properties/{id}', 'update the property'),
  deleteProperty: row('inventory', 'DELETE', '/inventory/v1/properties/{id}', 'delete the property', {
    consent: 'name',
  }),
  listCountries: row('inventory', 'GET', '/inventory/v1/types/countries', 'list the countries'),
};

/** The contract's endpoints and one that a service may have besides. Client, dialects, sandbox and reference read this. */
export const operations = {
  ...contractOperations,
  propertyExists: row(
    'inventory',
    'HEAD',
    '/inventory/v1/properties/{id}',
    'ask whether the property exists',
  ),
};

function row<const Path extends Operation['path']>(
  area: Operation['area'],
  method: Method,
  path: Path,
  does: string,
  more: Partial<Pick<Operation, 'query' | 'safety' | 'consent'>> = {},
): Operation & { readonly path: Path } {
  return { area, method, path, does, query: [], consent: undefined, ...methods[method], ...more };
}

/** What is known of a path that only `api` reaches. */
export type FurtherOperation = Pick<Operation, 'method' | 'path' | 'effect' | 'consent' | 'does'>;

/** Operations of the public service without a command: `api` reaches them, and asks for consent as commands do. */
export const furtherOperations: readonly FurtherOperation[] = [
  {
    ...byName('POST', '/inventory/v1/property-actions/{id}/clone', 'clone the property'),
    effect: 'creates',
    consent: undefined,
  },
  {
    ...byName('PUT', '/inventory/v1/property-actions/{id}/set-live', 'set live the property'),
    effect: 'changes',
  },
  byName('PUT', '/inventory/v1/property-actions/{id}/archive', 'archive the property'),
  byName('PUT', '/inventory/v1/property-actions/{id}/reset', 'delete all transactional data of the property'),
  byName('PUT', '/inventory/v1/unit-actions/{id}/archive', 'archive the unit'),
  byName('DELETE', '/inventory/v1/units/{id}', 'delete the unit'),
  byName('DELETE', '/inventory/v1/unit-groups/{id}', 'delete the unit group'),
  byName('DELETE', '/inventory/v1/unit-attributes/{id}', 'delete the unit attribute'),
];

/** One that destroys, and needs the name typed. */
function byName(method: Method, path: Operation['path'], does: string): FurtherOperation {
  return { method, path, does, effect: 'destroys', consent: 'name' };
}

export type ContractOperationId = keyof typeof contractOperations;
export type OperationId = keyof typeof operations;

type Placeholders<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

/** The placeholders of an operation's path: a misspelt one does not compile. */
export type PathValues<Id extends OperationId> = Readonly<
  Record<Placeholders<(typeof operations)[Id]['path']>, string>
>;

/** The paths of the public service that differ from the contract's. */
export const apaleoPaths: Partial<Record<OperationId, string>> = {
  listInvitations: '/api/v1/account/invitations',
  createInvitation: '/api/v1/account/invitations',
  deleteInvitation: '/api/v1/account/invitations/{email}',
  getUser: '/api/v1/users/{subjectId}',
  updateUser: '/api/v1/users/{subjectId}',
};

const readUsers = ['identity:account-users.read', 'identity:account-users.manage'];
const manageUsers = ['identity:account-users.manage'];
const manageProperties = ['properties.manage', 'setup.manage'];

/** A token of the public service needs one of these scopes. Any token may read properties, roles and countries. */
export const apaleoScopes: Partial<Record<OperationId, readonly string[]>> = {
  listInvitations: readUsers,
  createInvitation: manageUsers,
  deleteInvitation: manageUsers,
  listUsers: readUsers,
  getUser: readUsers,
  updateUser: manageUsers,
  getCurrentUser: readUsers,
  createProperty: ['properties.create', 'setup.manage'],
  updateProperty: manageProperties,
  deleteProperty: manageProperties,
};
