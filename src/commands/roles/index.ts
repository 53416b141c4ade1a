import { Command } from '@commander-js/extra-typings';
import type { Context } from '../../context.ts';
import { listRoles } from './list.ts';

/** `roles ...`: which roles there are. */
export function rolesCommands(context: Context) {
  return new Command('roles')
    .alias('role')
    .description('Roles that the account knows.')
    .addCommand(listRoles(context));
}
