import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { withSession } from '../../session.ts';
import { listFrom, withListFlags } from '../list-flags.ts';
import { printOpenList } from '../open-list.ts';
import { remembering } from '../remember/remember.ts';
import { countryShape } from './shape.ts';

/**
 * `countries list`: in which countries a property may be.
 *
 * GET /inventory/v1/types/countries. The service does not page; --limit and --page-number are applied here.
 */
export function listCountries(context: Context) {
  return withListFlags(
    new DescribedCommand('list', {
      effect: 'reads',
      on: 'service',
      examples: ['countries list', 'countries list --json'],
    })
      .alias('ls')
      .summary('list countries')
      .description('List the countries in which a property may be.'),
  ).action(
    withSession(context, async (session, options) => {
      const { api, out } = session;
      const { filter, extent } = listFrom(options, 'listCountries');
      const listed = {
        kind: 'countries',
        filter,
        extent,
        pages: api.countries.list(filter, extent),
      } as const;
      await remembering(session, listed, (pages) => printOpenList(out, countryShape, pages));
    }),
  );
}
