import type { Context } from '../../cli/ports.ts';
import { shortListCommands } from '../short-list.ts';

/**
 * `roles list`: the roles of the account.
 *
 * GET /api/v1/roles. The contract does not show the fields; the public service gives bare names. The list does not show
 * which roles can be used in invitations.
 */
export function rolesCommands(context: Context) {
  return shortListCommands(context, {
    name: 'roles',
    singular: 'role',
    operation: 'listRoles',
    description: 'List the roles of the account.',
    columns: [{ field: 'name', header: 'Name' }],
  });
}
