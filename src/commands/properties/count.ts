import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { withSession } from '../../session.ts';

/** `properties count`: how many properties the account has. GET /inventory/v1/properties/$count. */
export function countProperties(context: Context) {
  return new DescribedCommand('count', {
    effect: 'reads',
    on: 'service',
    examples: ['properties count', 'properties count --json'],
  })
    .summary('count the properties')
    .description('Print how many properties the account has.')
    .action(
      withSession(context, async ({ api, out }) => {
        const count = await api.properties.count();
        await out.line(String(count), { count });
      }),
    );
}
