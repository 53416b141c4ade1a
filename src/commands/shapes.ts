import type { Column, Shape } from '../out/output.ts';
import { type Dialect, takes } from '../service/dialect.ts';

/** Columns of users. The contract names the id, enabled and properties; the rest are the public service's. */
export const userShape: Shape = {
  noun: ['user', 'users'],
  columns: [
    { field: 'subject_id', header: 'Subject id' },
    { field: 'email', header: 'E-mail' },
    { field: 'first_name', header: 'First name' },
    { field: 'last_name', header: 'Last name' },
    { field: 'enabled', header: 'Enabled' },
    { field: 'is_account_admin', header: 'Account admin' },
    { field: 'is_mfa_enabled', header: 'MFA' },
    { field: 'properties', header: 'Properties', beside: 'property_roles' },
  ],
};

/**
 * Columns of invitations, all the public service's: the contract does not define their fields. In a dialect with several
 * roles `role` is the older field, with only the first one.
 */
export function invitationShapeFor(dialect: Pick<Dialect, 'further'>): Shape {
  const isSeveral = takes(dialect, 'createInvitation', 'roles');
  const role: Column = { field: 'role', header: 'Role', otherwise: 'roles' };
  const roles: Column = { field: 'roles', header: 'Roles', otherwise: 'role' };
  return {
    noun: ['invitation', 'invitations'],
    columns: [
      { field: 'email', header: 'E-mail' },
      isSeveral ? roles : role,
      { field: 'properties', header: 'Properties' },
      { field: 'is_account_admin', header: 'Account admin' },
      { field: 'invited_by', header: 'Invited by' },
      { field: 'created', header: 'Created', format: 'date' },
    ],
    ...(isSeveral ? { others: ['role'] } : {}),
  };
}

/** Columns of properties: the contract defines id and name in lists, the public service the rest. */
export const propertyShape: Shape = {
  noun: ['property', 'properties'],
  columns: [
    { field: 'id', header: 'Id' },
    { field: 'name', header: 'Name', format: 'language' },
    { field: 'location.city', header: 'City' },
    { field: 'location.country_code', header: 'Country' },
    { field: 'currency_code', header: 'Currency' },
    { field: 'status', header: 'Status' },
  ],
};
