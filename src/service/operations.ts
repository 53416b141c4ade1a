import { type Kind, parametersOf } from '../model/kinds.ts';
import type { Method } from '../model/ports.ts';
import type { Safety } from './retry.ts';

/** The services that innctl speaks with, by how they spell the operations. */
export const dialectNames = ['contract', 'apaleo'] as const;
export type DialectName = (typeof dialectNames)[number];

/** The reason for refusing what only the public service has. Of an error with it the session says how to go on. */
export const needsApaleo = 'needs dialect apaleo (this profile uses contract)';

/** What an operation does to its record; `destroys` cannot be undone. */
export type OperationEffect = 'reads' | 'creates' | 'changes' | 'destroys';

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
  /** Fields of the body, at any depth, with ids that guards judge, too. */
  readonly bodyIds: readonly string[];
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

/** Fields that hold ids in the bodies of every operation. What a person may reach (`properties`) is not protected by it. */
export const bodyIds = ['property_id', 'unit_group_id', 'unit_id'];

/** The contract's fifteen endpoints. */
export const contractOperations = {
  listInvitations: row('GET', '/api/v1/invitations', 'list the invitations', { query: ['property_id'] }),
  createInvitation: row('POST', '/api/v1/invitations', 'create the invitation', {
    bodyIds: [...bodyIds, 'email'],
  }),
  deleteInvitation: row('DELETE', '/api/v1/invitations/{email}', 'delete the invitation', { consent: 'yes' }),
  listRoles: row('GET', '/api/v1/roles', 'list the roles'),
  listUsers: row('GET', '/api/v1/users', 'list the users', {
    query: ['property_ids', 'page_size', 'page_number'],
  }),
  getUser: row('GET', '/api/v1/identity/users/{subjectId}', 'get the user'),
  updateUser: row('PATCH', '/api/v1/identity/users/{subjectId}', 'update the user'),
  getCurrentUser: row('GET', '/api/v1/users/me', 'get the current user'),
  listProperties: row('GET', '/inventory/v1/properties', 'list the properties', {
    query: ['page_size', 'page_number'],
  }),
  createProperty: row('POST', '/inventory/v1/properties', 'create the property', {
    safety: 'keyed',
    bodyIds: ['code'],
  }),
  countProperties: row('GET', '/inventory/v1/properties/$count', 'count the properties'),
  getProperty: row('GET', '/inventory/v1/properties/{id}', 'get the property', {
    query: ['languages', 'expand'],
  }),
  updateProperty: row('PATCH', '/inventory/v1/properties/{id}', 'update the property'),
  deleteProperty: row('DELETE', '/inventory/v1/properties/{id}', 'delete the property', { consent: 'name' }),
  listCountries: row('GET', '/inventory/v1/types/countries', 'list the countries'),
};

const property = '/inventory/v1/properties/{id}';
const propertyActions = '/inventory/v1/property-actions/{id}';
const groups = '/inventory/v1/unit-groups';
const units = '/inventory/v1/units';
const attributes = '/inventory/v1/unit-attributes';

const pages = ['page_size', 'page_number'];
const [groupFilters, unitFilters] = [parametersOf('unit_group'), parametersOf('unit')];
const views = ['languages', 'expand'];
const keyed = { safety: 'keyed' } as const;
const byName = { consent: 'name' } as const;
/** A change that cannot be undone. */
const final = { effect: 'destroys', consent: 'name' } as const;

/** The endpoints that only the public service has. */
const furtherOperations = {
  propertyExists: row('HEAD', property, 'ask whether the property exists'),
  cloneProperty: row('POST', `${propertyActions}/clone`, 'clone the property', {
    ...keyed,
    bodyIds: ['code'],
  }),
  setPropertyLive: row('PUT', `${propertyActions}/set-live`, 'set live the property', byName),
  archiveProperty: row('PUT', `${propertyActions}/archive`, 'archive the property', final),
  resetProperty: row(
    'PUT',
    `${propertyActions}/reset`,
    'delete all transactional data of the property',
    final,
  ),
  listUnitGroups: row('GET', groups, 'list the unit groups', {
    query: [...groupFilters, ...pages, 'expand'],
  }),
  countUnitGroups: row('GET', `${groups}/$count`, 'count the unit groups', { query: groupFilters }),
  unitGroupExists: row('HEAD', `${groups}/{id}`, 'ask whether the unit group exists'),
  getUnitGroup: row('GET', `${groups}/{id}`, 'get the unit group', { query: views }),
  createUnitGroup: row('POST', groups, 'create the unit group', keyed),
  replaceUnitGroup: row('PUT', `${groups}/{id}`, 'update the unit group'),
  deleteUnitGroup: row('DELETE', `${groups}/{id}`, 'delete the unit group', byName),
  listUnits: row('GET', units, 'list the units', { query: [...unitFilters, ...pages, 'expand'] }),
  countUnits: row('GET', `${units}/$count`, 'count the units', { query: unitFilters }),
  unitExists: row('HEAD', `${units}/{id}`, 'ask whether the unit exists'),
  getUnit: row('GET', `${units}/{id}`, 'get the unit', { query: views }),
  createUnit: row('POST', units, 'create the unit', keyed),
  createUnits: row('POST', `${units}/bulk`, 'create the units', keyed),
  updateUnit: row('PATCH', `${units}/{id}`, 'update the unit'),
  updateUnits: row('PATCH', units, 'update the units', { query: ['unit_ids'] }),
  deleteUnit: row('DELETE', `${units}/{id}`, 'delete the unit', byName),
  archiveUnit: row('PUT', '/inventory/v1/unit-actions/{id}/archive', 'archive the unit', final),
  listUnitAttributes: row('GET', attributes, 'list the unit attributes', { query: pages }),
  unitAttributeExists: row('HEAD', `${attributes}/{id}`, 'ask whether the unit attribute exists'),
  getUnitAttribute: row('GET', `${attributes}/{id}`, 'get the unit attribute'),
  createUnitAttribute: row('POST', attributes, 'create the unit attribute', keyed),
  updateUnitAttribute: row('PATCH', `${attributes}/{id}`, 'update the unit attribute'),
  deleteUnitAttribute: row('DELETE', `${attributes}/{id}`, 'delete the unit attribute', byName),
};

/** All endpoints. Client, dialects, sandbox and reference read this. */
export const operations = { ...contractOperations, ...furtherOperations };

function row<const Path extends Operation['path']>(
  method: Method,
  path: Path,
  does: string,
  more: Partial<Pick<Operation, 'query' | 'safety' | 'effect' | 'bodyIds' | 'consent'>> = {},
): Operation & { readonly path: Path } {
  const area = path.startsWith('/api/') ? 'identity' : 'inventory';
  return { area, method, path, does, query: [], bodyIds, consent: undefined, ...methods[method], ...more };
}

/** The query parameters of the operations that only the public service has. */
export const furtherQueries: Readonly<Partial<Record<OperationId, readonly string[]>>> = Object.fromEntries(
  Object.entries(furtherOperations).map(([id, { query }]) => [id, query]),
);

/** The commands of operations that are not named by their verb and noun. */
const otherCommands: Partial<Record<OperationId, string>> = {
  getCurrentUser: 'users me',
  propertyExists: 'properties exists',
  setPropertyLive: 'properties set-live',
  unitGroupExists: 'unit-groups exists',
  replaceUnitGroup: 'unit-groups update',
  unitExists: 'units exists',
  unitAttributeExists: 'unit-attributes exists',
};

/** The words of the command of an operation: `unit-groups create` of `createUnitGroup`. */
export function commandOf(id: OperationId): string {
  const words = id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const [verb, ...noun] = words.replace(/y$/, 'ie').replace(/s?$/, 's').split('-');
  return otherCommands[id] ?? `${noun.join('-')} ${verb}`;
}

/** Whether only the public service has all operations of a command or a group. The contract answers `properties exists` by a GET. */
export function isBeyond(words: string): boolean {
  // The keys of the table are ids by definition.
  const ids = Object.keys(operations) as OperationId[];
  const own = ids.filter((id) => `${commandOf(id)} `.startsWith(`${words} `));
  return own.length > 0 && own.every((id) => id in furtherOperations && id !== 'propertyExists');
}

/** The kind of record that an operation is about: `unit_group`. */
export function kindOf(id: OperationId): string {
  const [noun = ''] = /UnitAttribute|UnitGroup|Unit|Property|User|Invitation/i.exec(id) ?? [];
  return noun.replaceAll(/(?!^)[A-Z]/g, '_$&').toLowerCase();
}

/** The operations that list and write records of each kind. What is not created is changed instead; `change` replaces, if nothing changes. */
export const kindOperations = {
  property: {
    list: 'listProperties',
    create: 'createProperty',
    change: 'updateProperty',
    delete: 'deleteProperty',
  },
  invitation: {
    list: 'listInvitations',
    create: 'createInvitation',
    change: 'createInvitation',
    delete: 'deleteInvitation',
  },
  user: { list: 'listUsers', create: 'updateUser', change: 'updateUser', delete: 'updateUser' },
  unit_attribute: {
    list: 'listUnitAttributes',
    create: 'createUnitAttribute',
    change: 'updateUnitAttribute',
    delete: 'deleteUnitAttribute',
  },
  unit_group: {
    list: 'listUnitGroups',
    create: 'createUnitGroup',
    change: 'replaceUnitGroup',
    delete: 'deleteUnitGroup',
  },
  unit: { list: 'listUnits', create: 'createUnits', change: 'updateUnit', delete: 'deleteUnit' },
} as const satisfies Record<Kind, Readonly<Record<'list' | 'create' | 'change' | 'delete', OperationId>>>;

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

/** A token of the public service needs one of these scopes; none are listed where any token is enough. */
export function apaleoScopes(id: OperationId): readonly string[] {
  const { method, effect } = operations[id];
  const [kind, isRead] = [kindOf(id), effect === 'reads'];
  // Any token may read properties, roles and countries.
  if (kind === '' || (kind === 'property' && isRead)) return [];
  if (kind === 'user' || kind === 'invitation')
    return (isRead ? ['read', 'manage'] : ['manage']).map((verb) => `identity:account-users.${verb}`);
  if (id === 'archiveUnit') return ['setup.manage'];
  const area = kind === 'property' ? 'properties' : `${kind.replace('_', '')}s`;
  if (isRead) return [`${area}.read`, 'setup.read', 'setup.manage'];
  const isDelete = method === 'DELETE' && kind !== 'property';
  const verb = effect === 'creates' ? 'create' : isDelete ? 'delete' : 'manage';
  return [`${area}.${verb}`, 'setup.manage'];
}
