import { Command } from '@commander-js/extra-typings';
import type { Context } from '../../context.ts';
import { withSession } from '../../session.ts';
import { examples } from '../examples.ts';
import { listFrom, withListFlags } from '../list-flags.ts';
import { printOpenList } from '../open-list.ts';
import { countryShape } from './shape.ts';

/**
 * `countries list`: in which countries a property may be.
 *
 * GET /inventory/v1/types/countries. The service does not page; --limit and --page-number are applied here.
 */
export function listCountries(context: Context) {
  return withListFlags(
    new Command('list')
      .alias('ls')
      .summary('list countries')
      .description('List the countries in which a property may be.'),
  )
    .addHelpText('after', examples('countries list --all', 'countries list --all --json'))
    .action(
      withSession(context, async ({ api, out }, options) => {
        const { filter, extent } = listFrom(options, 'listCountries');
        await printOpenList(out, countryShape, api.countries.list(filter, extent));
      }),
    );
}
