import { Command } from '@commander-js/extra-typings';
import type { Context } from '../../context.ts';
import { withSession } from '../../session.ts';
import { examples } from '../examples.ts';

/** `properties count`: how many properties the account has. GET /inventory/v1/properties/$count. */
export function countProperties(context: Context) {
  return new Command('count')
    .summary('count the properties')
    .description('Print how many properties the account has.')
    .addHelpText('after', examples('properties count', 'properties count --json'))
    .action(
      withSession(context, async ({ api, out }) => {
        const count = await api.properties.count();
        await out.line(String(count), { count });
      }),
    );
}
