import { serviceLine } from '../../change/lines.ts';
import { serviceCommand } from '../../cli/described-command.ts';
import { collectList } from '../../cli/flags.ts';
import type { Check, Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { countryProblem } from '../../model/codes.ts';
import { statusNamed, statusProblem } from '../../model/property-fields.ts';
import type { Page } from '../../model/records.ts';
import { entryReasons, quote } from '../../model/text.ts';
import type { Dialect, Query } from '../../service/dialect.ts';
import { lettersOf, listFrom, printList, withFilters, withListFlags } from '../list.ts';
import { propertyShape } from '../shapes.ts';

const COUNTRIES = lettersOf('country_code');

/**
 * `properties list`: the properties of the account, page by page.
 *
 * GET /inventory/v1/properties. The contract mentions further filters without naming them: --param sends them. The
 * dialect apaleo has three.
 */
export function listProperties(context: Context) {
  const command = serviceCommand('list ls', 'reads', [
    'properties list',
    'properties list -o ndjson',
    'properties list --page-size 50 --json',
  ])
    .summary('list properties')
    .description('List the properties of the account.')
    .option('--status <names>', 'filter by status: Test,Live (dialect apaleo, repeatable)', collectList)
    .option('--country-code <codes>', 'filter by country: DE,AT (dialect apaleo, repeatable)', collectList)
    .option('--expand <names>', 'include related data: actions (dialect apaleo)', collectList)
    .option('--include-archived', 'include archived properties (dialect apaleo)');
  return withListFlags(command).action(
    withSession(context, async (session, options) => {
      const { api } = session;
      const { filter: further, extent } = await listFrom(options, 'listProperties', session);
      const filter = withFilters('listProperties', filtersOf(options, api.dialect), further, session);
      const pages = await refusingUnlistedCountries(filter, api.properties.list(filter, extent), session);
      await printList({ kind: 'properties', shape: propertyShape, filter, extent, pages }, session);
    }),
  );
}

interface FilterFlags {
  readonly status?: readonly string[];
  readonly countryCode?: readonly string[];
  readonly expand?: readonly string[];
  readonly includeArchived?: true;
}

function filtersOf({ status, countryCode, expand, includeArchived }: FilterFlags, { expansions }: Dialect) {
  const filter = (typed: readonly string[] | undefined, problem: Check, value = typed) => ({
    typed,
    value: [...new Set(value)],
    problems: entryReasons(typed, problem),
  });
  const statuses = status?.map((text) => statusNamed(text) ?? text);
  return {
    status: filter(status, statusProblem, statuses),
    country_code: filter(countryCode, countryProblem),
    expand: filter(expand, (name) => expansionProblem(name, expansions)),
    include_archived: { typed: includeArchived, value: true, problems: [] },
  } as const;
}

/** The pages. Without records, countries that the service does not list are refused. */
async function refusingUnlistedCountries(filter: Query, pages: AsyncIterable<Page>, session: Session) {
  const words = Object.entries(filter).flatMap(([name, value]) =>
    lettersOf(name) === COUNTRIES ? value : [],
  );
  if (words.length === 0) return pages;
  const { refusingUnlisted } = await import('../../change/suggest.ts');
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

/** The only value of expand in the contract. */
export const EXPANSION = 'unitGroups';

/**
 * The problem with a value of --expand, or `undefined`.
 *
 * @param expansions all known values; `undefined` if unknown.
 */
export function expansionProblem(name: string, expansions: readonly string[] | undefined) {
  if (expansions !== undefined) {
    if (expansions.includes(name)) return undefined;
    return `${quote(name)} is not known to this service: write ${expansions.join(' or ')}`;
  }
  if (/^[A-Za-z\d]{1,100}$/.test(name)) return undefined;
  return `${quote(name)} is not a name of letters and digits such as ${EXPANSION}`;
}
