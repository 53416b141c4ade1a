import { DescribedCommand, serviceCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import type { Shape } from '../../out/output.ts';
import { listFrom, printList, withListFlags, withOpenShape } from '../list.ts';

/** `countries ...`: in which countries a property may be. */
export function countriesCommands(context: Context) {
  return new DescribedCommand('countries', { examples: ['countries list'] })
    .alias('country')
    .summary('list countries')
    .description('List the countries available for properties.')
    .addCommand(listCountries(context));
}

/**
 * `countries list`: in which countries a property may be.
 *
 * GET /inventory/v1/types/countries. The service does not page; --limit and --page-number are applied here.
 */
function listCountries(context: Context) {
  return withListFlags(
    serviceCommand('list', 'reads', ['countries list', 'countries list --json'])
      .alias('ls')
      .summary('list countries')
      .description('List the countries available for properties.'),
  ).action(
    withSession(context, async (session, options) => {
      const { filter, extent } = listFrom(options, 'listCountries');
      const pages = session.api.countries.list(filter, extent);
      const list = { kind: 'countries', shape: countryShape, filter, extent, pages } as const;
      await printList(await withOpenShape(list), session);
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
