import type { Shape } from '../../out/output.ts';

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
