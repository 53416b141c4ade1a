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

/** Columns of invitations, all the public service's: the contract does not define their fields. */
const shapeOfOne: Shape = shapeWith({ field: 'role', header: 'Role', otherwise: 'roles' });

/** `role` is the older field, with only the first role. */
const shapeOfSeveral: Shape = {
  ...shapeWith({ field: 'roles', header: 'Roles', otherwise: 'role' }),
  others: ['role'],
};

/** The columns for the invitations of a dialect. */
export function invitationShapeFor(dialect: Dialect): Shape {
  return takes(dialect, 'createInvitation', 'roles') ? shapeOfSeveral : shapeOfOne;
}

function shapeWith(role: Column): Shape {
  return {
    noun: ['invitation', 'invitations'],
    columns: [
      { field: 'email', header: 'E-mail' },
      role,
      { field: 'properties', header: 'Properties' },
      { field: 'is_account_admin', header: 'Account admin' },
      { field: 'invited_by', header: 'Invited by' },
      { field: 'created', header: 'Created', format: 'date' },
    ],
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
