import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { listRoles } from './list.ts';

/** `roles ...`: which roles there are. */
export function rolesCommands(context: Context) {
  return new DescribedCommand('roles', { examples: ['roles list'] })
    .alias('role')
    .summary('list roles')
    .description('List the roles of the account.')
    .addCommand(listRoles(context));
}
