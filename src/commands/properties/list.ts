import { DescribedCommand } from '../../cli/described-command.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import type { Page } from '../../model/records.ts';
import type { Query } from '../../service/dialect.ts';
import { serviceLine } from '../lines.ts';
import { lettersOf, listFrom, printList, withListFlags } from '../list.ts';
import { propertyShape } from '../shapes.ts';
import { filterFrom } from './list-filters.ts';

const COUNTRIES = lettersOf('country_code');

/**
 * `properties list`: the properties of the account, page by page.
 *
 * GET /inventory/v1/properties. The contract mentions further filters without naming them: --param sends them. The
 * dialect apaleo has three.
 */
export function listProperties(context: Context) {
  const command = new DescribedCommand('list', {
    effect: 'reads',
    on: 'service',
    examples: ['properties list', 'properties list -o ndjson', 'properties list --param status=Live --json'],
  })
    .alias('ls')
    .summary('list properties')
    .description('List the properties of the account.')
    .option('--status <names>', 'filter by status: Test,Live (dialect apaleo, repeatable)', collectList)
    .option('--country-code <codes>', 'filter by country: DE,AT (dialect apaleo, repeatable)', collectList)
    .option('--expand <names>', 'include related data: actions (dialect apaleo)', collectList)
    .option('--include-archived', 'include archived properties (dialect apaleo)');
  return withListFlags(command).action(
    withSession(context, async (session, options) => {
      const { api } = session;
      const { filter: further, extent } = listFrom(options, 'listProperties');
      const filter = filterFrom(options, further, session);
      const pages = await known(filter, api.properties.list(filter, extent), session);
      await printList({ kind: 'properties', shape: propertyShape, filter, extent, pages }, session);
    }),
  );
}

/** The pages. Without records, countries that the service does not list are refused. */
async function known(filter: Query, pages: AsyncIterable<Page>, session: Session) {
  const words = Object.entries(filter).flatMap(([name, value]) =>
    lettersOf(name) === COUNTRIES ? value : [],
  );
  if (words.length === 0) return pages;
  const { refusingUnlisted } = await import('../suggest.ts');
  const { api, globals, out } = session;
  const named = {
    noun: ['country', 'countries'],
    words: words.flatMap((word) => String(word).split(',')),
    list: () => api.countries.list({}, {}),
    fields: ['code'],
    hint: serviceLine(globals, 'countries', 'list'),
  } as const;
  return refusingUnlisted(pages, named, out);
}
