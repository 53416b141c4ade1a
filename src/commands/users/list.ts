import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { collectList } from '../../global-options.ts';
import { withSession } from '../../session.ts';
import { listFrom, withListFlags } from '../list-flags.ts';
import { suggesting } from '../meant.ts';
import { propertyIds } from '../options.ts';
import { remembering } from '../remember/remember.ts';
import { misspeltProperties } from './misspelt.ts';
import { userShape } from './shape.ts';

/**
 * `users list`: the users of the account, or of some properties, page by page.
 *
 * GET /api/v1/users. The contract does not show the fields of a user, nor the default and the largest page size;
 * further filters go through --param.
 */
export function listUsers(context: Context) {
  const command = new DescribedCommand('list', {
    effect: 'reads',
    on: 'service',
    examples: ['users list', 'users list --property BER,VIE --json', 'users list --all -o ndjson'],
  })
    .alias('ls')
    .summary('list users')
    .description('List the users of the account, or of some properties.')
    .option('--property-ids <ids>', 'only users of these properties: BER,VIE', collectList)
    .option('--property <ids>', 'the same as --property-ids', collectList);
  return withListFlags(command).action(
    withSession(context, async (session, options) => {
      const { api, out } = session;
      const { filter: others, extent } = listFrom(options, 'listUsers');
      const ids = propertyIds({ '--property-ids': options.propertyIds, '--property': options.property });
      const filter = { ...others, property_ids: ids };
      const listed = { filter, extent, pages: api.users.list(filter, extent) };
      await remembering(session, { kind: 'user-emails', ...listed }, (pages) =>
        out.records(userShape, pages).catch(suggesting(...misspeltProperties(ids ?? [], api))),
      );
    }),
  );
}
