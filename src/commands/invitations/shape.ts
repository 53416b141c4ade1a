import type { Shape } from '../../render/output.ts';

/** How invitations are listed. The contract does not show their fields; these are the public service's. */
export const invitationShape: Shape = {
  noun: ['invitation', 'invitations'],
  columns: [
    { field: 'email', header: 'E-mail' },
    { field: 'role', header: 'Role' },
    { field: 'properties', header: 'Properties' },
    { field: 'is_account_admin', header: 'Account admin' },
    { field: 'invited_by', header: 'Invited by' },
    { field: 'created', header: 'Created', format: 'date' },
  ],
};
