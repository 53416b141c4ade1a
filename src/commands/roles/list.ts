import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import type { Shape } from '../../out/output.ts';
import { listFrom, printOpenList, withListFlags } from '../list.ts';
import { remembering } from '../remember/remember.ts';

/**
 * `roles list`: the roles that the account knows.
 *
 * GET /api/v1/roles. The service does not page; --limit and --page-number are applied here. Which of them one can be
 * invited to is not shown.
 */
export function listRoles(context: Context) {
  return withListFlags(
    new DescribedCommand('list', {
      effect: 'reads',
      on: 'service',
      examples: ['roles list', 'roles list --json'],
    })
      .alias('ls')
      .summary('list roles')
      .description('List the roles of the account.'),
  ).action(
    withSession(context, async (session, options) => {
      const { api, out } = session;
      const { filter, extent } = listFrom(options, 'listRoles');
      const listed = { kind: 'roles', filter, extent, pages: api.roles.list(filter, extent) } as const;
      await remembering(session, listed, (pages) => printOpenList(out, roleShape, pages));
    }),
  );
}

/** How roles are listed. The contract does not show their fields; the public service gives bare names. */
const roleShape: Shape = {
  noun: ['role', 'roles'],
  columns: [{ field: 'name', header: 'Name' }],
};
