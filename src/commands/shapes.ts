import type { Column, Shape } from '../out/output.ts';
import { type Dialect, takes } from '../service/dialect.ts';

/** How users are listed. The contract names the id, enabled and properties; the rest is the public service's. */
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

/** How invitations are listed. The contract does not show their fields; these are the public service's. */
const shapeOfOne: Shape = shapeWith({ field: 'role', header: 'Role', otherwise: 'roles' });

/** Of several roles `role` is only the first, by an older name. */
const shapeOfSeveral: Shape = {
  ...shapeWith({ field: 'roles', header: 'Roles', otherwise: 'role' }),
  others: ['role'],
};

/** How the invitations of a service are listed. */
export function invitationShapeFor(dialect: Pick<Dialect, 'further'>): Shape {
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

/** How properties are listed: the contract shows id and name in lists, the public service the rest. */
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
