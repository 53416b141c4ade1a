import { Command } from '@commander-js/extra-typings';
import type { Context } from '../../context.ts';
import { withSession } from '../../session.ts';
import { examples } from '../examples.ts';
import { listFrom, withListFlags } from '../list-flags.ts';
import { suggesting } from '../meant.ts';
import { collectList, propertyIds } from '../options.ts';
import { misspeltProperties } from './misspelt.ts';
import { userShape } from './shape.ts';

/**
 * `users list`: the users of the account, or of some properties, page by page.
 *
 * GET /api/v1/users. The contract does not show the fields of a user, nor the default and the largest page size;
 * further filters go through --param.
 */
export function listUsers(context: Context) {
  const command = new Command('list')
    .alias('ls')
    .summary('list users')
    .description('List the users of the account, or of some properties.')
    .option('--property-ids <ids>', 'only users of these properties: BER,VIE', collectList)
    .option('--property <ids>', 'the same as --property-ids', collectList);
  return withListFlags(command)
    .addHelpText(
      'after',
      examples('users list', 'users list --property BER,VIE --json', 'users list --all -o ndjson'),
    )
    .action(
      withSession(context, async ({ api, out }, options) => {
        const { filter, extent } = listFrom(options, 'listUsers');
        const ids = propertyIds({ '--property-ids': options.propertyIds, '--property': options.property });
        const pages = api.users.list({ ...filter, property_ids: ids }, extent);
        await out.records(userShape, pages).catch(suggesting(...misspeltProperties(ids ?? [], api)));
      }),
    );
}
