import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { withSession } from '../../session.ts';
import { listFrom, withListFlags } from '../list-flags.ts';
import { printOpenList } from '../open-list.ts';
import { remembering } from '../remember/remember.ts';
import { roleShape } from './shape.ts';

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
