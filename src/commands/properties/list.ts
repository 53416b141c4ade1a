import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { withSession } from '../../session.ts';
import { listFrom, withListFlags } from '../list-flags.ts';
import { remembering } from '../remember/remember.ts';
import { propertyShape } from './shape.ts';

/**
 * `properties list`: the properties of the account, page by page.
 *
 * GET /inventory/v1/properties. The contract mentions further filters without naming them: --param sends them.
 */
export function listProperties(context: Context) {
  const command = new DescribedCommand('list', {
    effect: 'reads',
    on: 'service',
    examples: [
      'properties list',
      'properties list --all -o ndjson',
      'properties list --param status=Live --json',
    ],
  })
    .alias('ls')
    .summary('list properties')
    .description('List the properties of the account.');
  return withListFlags(command).action(
    withSession(context, async (session, options) => {
      const { api, out } = session;
      const { filter, extent } = listFrom(options, 'listProperties');
      const listed = {
        kind: 'properties',
        filter,
        extent,
        pages: api.properties.list(filter, extent),
      } as const;
      await remembering(session, listed, (pages) => out.records(propertyShape, pages));
    }),
  );
}
