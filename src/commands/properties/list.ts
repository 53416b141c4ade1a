import { Command } from '@commander-js/extra-typings';
import { operations } from '../../api/operations.ts';
import type { Context } from '../../context.ts';
import { withSession } from '../../session.ts';
import { examples } from '../examples.ts';
import { collect, extentFrom, paramsFrom } from '../options.ts';
import { propertyShape } from './shape.ts';

/**
 * `properties list`: the properties of the account, page by page.
 *
 * GET /inventory/v1/properties. The contract mentions further filters without naming them: --param sends them.
 */
export function listProperties(context: Context) {
  return new Command('list')
    .alias('ls')
    .summary('list properties')
    .description('List the properties of the account.')
    .option('--limit <n>', 'at most so many (default: 100)')
    .option('--all', 'all of them, page by page')
    .option('--page-number <n>', 'exactly this page, counted from 1')
    .option('--page-size <n>', 'records that one request asks for (default: 100)')
    .option('--param <name=value>', 'a further query parameter (repeatable)', collect)
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
        const extent = extentFrom(options);
        await out.records(
          propertyShape,
          api.properties.list(paramsFrom(options.param, operations.listProperties.query), extent),
        );
      }),
    );
}
