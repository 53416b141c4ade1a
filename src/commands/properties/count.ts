import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';

/** `properties count`: how many properties the account has. GET /inventory/v1/properties/$count. */
export function countProperties(context: Context) {
  return new DescribedCommand('count', {
    effect: 'reads',
    on: 'service',
    examples: ['properties count', 'properties count --json'],
  })
    .summary('count properties')
    .description('Print the number of properties in the account.')
    .action(
      withSession(context, async ({ api, out }) => {
        const count = await api.properties.count();
        await out.line(String(count), { count });
      }),
    );
}
