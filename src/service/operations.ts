import type { Method } from '../cli/ports.ts';
import type { OperationEffect } from './guard.ts';
import type { Safety } from './retry.ts';

/** The services that innctl speaks with, by how they spell the operations; see docs/adr/0023. */
export const dialectNames = ['contract', 'apaleo'] as const;
export type DialectName = (typeof dialectNames)[number];

/** Said of what the contract does not have. */
export const notInContract = 'is not part of the contract: a service of the dialect apaleo has it';

/** One row of the contract. */
export interface Operation {
  /** Which of the two base URLs. */
  readonly area: 'identity' | 'inventory';
  readonly method: Method;
  readonly path: `/${string}`;
  /** Names of the query parameters, as the contract writes them. */
  readonly query: readonly string[];
  /** How often the request may be sent. */
  readonly safety: Safety;
  /** What the setting `safety` judges. */
  readonly effect: OperationEffect;
  /** What `api` asks for before it sends one: a yes, or the name of the record typed again. */
  readonly consent?: 'yes' | 'name';
  /** What it does, as the end of `Could not ...`. */
  readonly does: string;
}

/** The contract's fifteen endpoints. */
export const contractOperations = {
  listInvitations: {
    area: 'identity',
    method: 'GET',
    path: '/api/v1/invitations',
    query: ['property_id'],
    safety: 'read',
    effect: 'reads',
    does: 'list the invitations',
  },
  createInvitation: {
    area: 'identity',
    method: 'POST',
    path: '/api/v1/invitations',
    query: [],
    safety: 'once',
    effect: 'creates',
    does: 'create the invitation',
  },
  deleteInvitation: {
    area: 'identity',
    method: 'DELETE',
    path: '/api/v1/invitations/{email}',
    query: [],
    safety: 'delete',
    effect: 'destroys',
    consent: 'yes',
    does: 'delete the invitation',
  },
  listRoles: {
    area: 'identity',
    method: 'GET',
    path: '/api/v1/roles',
    query: [],
    safety: 'read',
    effect: 'reads',
    does: 'list the roles',
  },
  listUsers: {
    area: 'identity',
    method: 'GET',
    path: '/api/v1/users',
    query: ['property_ids', 'page_size', 'page_number'],
    safety: 'read',
    effect: 'reads',
    does: 'list the users',
  },
  getUser: {
    area: 'identity',
    method: 'GET',
    path: '/api/v1/identity/users/{subjectId}',
    query: [],
    safety: 'read',
    effect: 'reads',
    does: 'get the user',
  },
  updateUser: {
    area: 'identity',
    method: 'PATCH',
    path: '/api/v1/identity/users/{subjectId}',
    query: [],
    safety: 'patch',
    effect: 'changes',
    does: 'update the user',
  },
  getCurrentUser: {
    area: 'identity',
    method: 'GET',
    path: '/api/v1/users/me',
    query: [],
    safety: 'read',
    effect: 'reads',
    does: 'get the current user',
  },
  listProperties: {
    area: 'inventory',
    method: 'GET',
    path: '/inventory/v1/properties',
    query: ['page_size', 'page_number'],
    safety: 'read',
    effect: 'reads',
    does: 'list the properties',
  },
  createProperty: {
    area: 'inventory',
    method: 'POST',
    path: '/inventory/v1/properties',
    query: [],
    safety: 'keyed',
    effect: 'creates',
    does: 'create the property',
  },
  countProperties: {
    area: 'inventory',
    method: 'GET',
    path: '/inventory/v1/properties/$count',
    query: [],
    safety: 'read',
    effect: 'reads',
    does: 'count the properties',
  },
  getProperty: {
    area: 'inventory',
    method: 'GET',
    path: '/inventory/v1/properties/{id}',
    query: ['languages', 'expand'],
    safety: 'read',
    effect: 'reads',
    does: 'get the property',
  },
  updateProperty: {
    area: 'inventory',
    method: 'PATCH',
    path: '/inventory/v1/properties/{id}',
    query: [],
    safety: 'patch',
    effect: 'changes',
    does: 'update the property',
  },
  deleteProperty: {
    area: 'inventory',
    method: 'DELETE',
    path: '/inventory/v1/properties/{id}',
    query: [],
    safety: 'delete',
    effect: 'destroys',
    consent: 'name',
    does: 'delete the property',
  },
  listCountries: {
    area: 'inventory',
    method: 'GET',
    path: '/inventory/v1/types/countries',
    query: [],
    safety: 'read',
    effect: 'reads',
    does: 'list the countries',
  },
} as const satisfies Record<string, Operation>;

/**
 * The contract's endpoints, and one that a service may have beside them. Client, dialects, sandbox and reference read
 * this table.
 */
export const operations = {
  ...contractOperations,
  propertyExists: {
    area: 'inventory',
    method: 'HEAD',
    path: '/inventory/v1/properties/{id}',
    query: [],
    safety: 'read',
    effect: 'reads',
    does: 'ask whether the property exists',
  },
} as const satisfies Record<string, Operation>;

/** What is known of a path that only `api` reaches. */
export type FurtherOperation = Pick<Operation, 'method' | 'path' | 'effect' | 'consent' | 'does'>;

/** Operations of the public service without a command: `api` reaches them, and asks for consent as commands do. */
export const furtherOperations: readonly FurtherOperation[] = [
  {
    method: 'POST',
    path: '/inventory/v1/property-actions/{id}/clone',
    effect: 'creates',
    does: 'clone the property',
  },
  {
    method: 'PUT',
    path: '/inventory/v1/property-actions/{id}/archive',
    effect: 'destroys',
    consent: 'name',
    does: 'archive the property',
  },
  {
    method: 'PUT',
    path: '/inventory/v1/property-actions/{id}/set-live',
    effect: 'changes',
    consent: 'name',
    does: 'set live the property',
  },
  {
    method: 'PUT',
    path: '/inventory/v1/property-actions/{id}/reset',
    effect: 'destroys',
    consent: 'name',
    does: 'delete all transactional data of the property',
  },
  {
    method: 'PUT',
    path: '/inventory/v1/unit-actions/{id}/archive',
    effect: 'destroys',
    consent: 'name',
    does: 'archive the unit',
  },
  ...(['unit', 'unit-group', 'unit-attribute'] as const).map(
    (noun): FurtherOperation => ({
      method: 'DELETE',
      path: `/inventory/v1/${noun}s/{id}`,
      effect: 'destroys',
      consent: 'name',
      does: `delete the ${noun.replace('-', ' ')}`,
    }),
  ),
];

export type ContractOperationId = keyof typeof contractOperations;
export type OperationId = keyof typeof operations;

type Placeholders<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

/** The placeholders of an operation's path: a misspelt one does not compile. */
export type PathValues<Id extends OperationId> = Readonly<
  Record<Placeholders<(typeof operations)[Id]['path']>, string>
>;
