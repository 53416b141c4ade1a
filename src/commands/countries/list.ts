import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import type { Shape } from '../../out/output.ts';
import { listFrom, printOpenList, withListFlags } from '../list.ts';
import { remembering } from '../remember/remember.ts';

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
      .description('List the countries available for properties.'),
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

/** How countries are listed. The contract does not show their fields; the public service gives bare codes. */
const countryShape: Shape = {
  noun: ['country', 'countries'],
  columns: [
    { field: 'code', header: 'Code' },
    { field: 'name', header: 'Name', format: 'language' },
  ],
};
