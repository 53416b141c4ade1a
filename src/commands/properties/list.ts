import { Command } from '@commander-js/extra-typings';
import type { Context } from '../../context.ts';
import { withSession } from '../../session.ts';
import { examples } from '../examples.ts';
import { listFrom, withListFlags } from '../list-flags.ts';
import { propertyShape } from './shape.ts';

/**
 * `properties list`: the properties of the account, page by page.
 *
 * GET /inventory/v1/properties. The contract mentions further filters without naming them: --param sends them.
 */
export function listProperties(context: Context) {
  const command = new Command('list')
    .alias('ls')
    .summary('list properties')
    .description('List the properties of the account.');
  return withListFlags(command)
    .addHelpText(
      'after',
      examples(
        'properties list',
        'properties list --all -o ndjson',
        'properties list --param status=Live --json',
      ),
    )
    .action(
      withSession(context, async ({ api, out }, options) => {
        const { filter, extent } = listFrom(options, 'listProperties');
        await out.records(propertyShape, api.properties.list(filter, extent));
      }),
    );
}
