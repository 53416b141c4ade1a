import { DescribedCommand, serviceCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import type { Shape } from '../../out/output.ts';
import { listFrom, printList, withListFlags, withOpenShape } from '../list.ts';

/** `roles ...`: list roles. */
export function rolesCommands(context: Context) {
  return new DescribedCommand('roles', { examples: ['roles list'] })
    .alias('role')
    .summary('list roles')
    .description('List the roles of the account.')
    .addCommand(listRoles(context));
}

/**
 * `roles list`: the roles of the account.
 *
 * GET /api/v1/roles. The service does not page; --limit and --page-number are applied here. It does not show which
 * roles can be used in invitations.
 */
function listRoles(context: Context) {
  return withListFlags(
    serviceCommand('list', 'reads', ['roles list', 'roles list --json'])
      .alias('ls')
      .summary('list roles')
      .description('List the roles of the account.'),
  ).action(
    withSession(context, async (session, options) => {
      const { filter, extent } = listFrom(options, 'listRoles');
      const pages = session.api.roles.list(filter, extent);
      const list = { kind: 'roles', shape: roleShape, filter, extent, pages } as const;
      await printList(await withOpenShape(list), session);
    }),
  );
}

/** How roles are listed. The contract does not show their fields; the public service gives bare names. */
const roleShape: Shape = {
  noun: ['role', 'roles'],
  columns: [{ field: 'name', header: 'Name' }],
};
