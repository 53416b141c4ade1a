import type { Column, Shape } from '../../out/output.ts';
import { type Dialect, takes } from '../../service/dialect.ts';

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
