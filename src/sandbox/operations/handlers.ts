import type { OperationId } from '../../api/operations.ts';
import type { Handler } from './exchange.ts';
import { createInvitation, deleteInvitation, listInvitations } from './invitations.ts';
import {
  countProperties,
  createProperty,
  deleteProperty,
  getProperty,
  listProperties,
  propertyExists,
  updateProperty,
} from './properties.ts';
import { countryCodes, roles } from './reference-lists.ts';
import { getCurrentUser, getUser, listUsers, updateUser } from './users.ts';

/** What the sandbox does for each operation: one that is missing does not compile. */
export const handlers: { readonly [Id in OperationId]: Handler<Id> } = {
  listInvitations,
  createInvitation,
  deleteInvitation,
  listRoles: () => ({ status: 200, body: { roles } }),
  listUsers,
  getUser,
  updateUser,
  getCurrentUser,
  listProperties,
  createProperty,
  countProperties,
  getProperty,
  propertyExists,
  updateProperty,
  deleteProperty,
  listCountries: () => ({ status: 200, body: { count: countryCodes.length, items: countryCodes } }),
};
