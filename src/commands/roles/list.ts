import { Command } from '@commander-js/extra-typings';
import type { Context } from '../../context.ts';
import { withSession } from '../../session.ts';
import { examples } from '../examples.ts';
import { listFrom, withListFlags } from '../list-flags.ts';
import { printOpenList } from '../open-list.ts';
import { roleShape } from './shape.ts';

/**
 * `roles list`: the roles that the account knows.
 *
 * GET /api/v1/roles. The service does not page; --limit and --page-number are applied here. Which of them one can be
 * invited to is not shown.
 */
export function listRoles(context: Context) {
  return withListFlags(
    new Command('list').alias('ls').summary('list roles').description('List the roles of the account.'),
  )
    .addHelpText('after', examples('roles list', 'roles list --json'))
    .action(
      withSession(context, async ({ api, out }, options) => {
        const { filter, extent } = listFrom(options, 'listRoles');
        await printOpenList(out, roleShape, api.roles.list(filter, extent));
      }),
    );
}
