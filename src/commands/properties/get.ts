import { withReferences } from '../../change/resolve.ts';
import { refusingUnlisted } from '../../change/suggest.ts';
import { Concluded, type Detail, ExitCode, refuseInvalid } from '../../model/errors.ts';
import { kindTable } from '../../model/kinds.ts';
import type { Check, Context } from '../../model/ports.ts';
import { onePage, type Page, type ServiceRecord } from '../../model/records.ts';
import { capitalised, quote } from '../../model/text.ts';
import type { Query } from '../../service/dialect.ts';
import type { View } from '../../service/inventory.ts';
import { type Action, actionsIn } from '../../service/property-names.ts';
import { collectList, serviceCommand } from '../../session/command-line.ts';
import { type Session, withSession } from '../../session/session.ts';
import { lettersOf, listFrom, printList, withFilters, withListFlags } from '../list.ts';
import { entryProblems } from '../options.ts';
import { propertyShape } from '../shapes.ts';
import { idsDetails, properties, propertiesArgument, resolveProperties } from './reference.ts';

/** All languages; must be the only value. */
const ALL = 'all';

/**
 * `properties get <id>`: one property.
 *
 * GET /inventory/v1/properties/{id}. The contract does not define the default languages, and shows one value of expand:
 * unitGroups. Other values are sent unchanged, unless the dialect lists all values.
 */
export function getProperty(context: Context) {
  return serviceCommand('get show', 'reads', [
    'properties get BER',
    'properties get BER --languages en,de',
    'properties get BER --languages all --expand unitGroups --json',
  ])
    .summary('show a property')
    .description('Show a property, optionally with its texts in other languages and related data.')
    .argument(...propertiesArgument)
    .option('--languages <codes>', 'languages of texts: en,de, or all (repeatable)', collectList)
    .option(
      '--expand <names>',
      'include related data: unitGroups, or actions in the dialect apaleo (repeatable)',
      collectList,
    )
    .action(withReferences(context, properties, { all: showProperties }));
}

async function showProperties(ids: readonly string[], flags: View, session: Session): Promise<void> {
  const { api, out } = session;
  const expansion = (name: string) => expansionProblem(name, api.dialect.expansions);
  const view = viewFrom(flags, await idsDetails(ids, api, session), expansion, session);
  const read = async (id: string) => ({ property: await api.properties.get(id, view) });
  const records = (await resolveProperties(ids, { read }, session)).flatMap(({ record }) =>
    record ? [record] : [],
  );
  const [one, ...others] = records;
  if (one === undefined || others.length > 0) return out.records(propertyShape, onePage(records));
  await out.record({ ...propertyShape, forPeople: withActionsInWords }, one);
}

/**
 * Parses the flags of a view.
 *
 * @param problems of the ids.
 * @param expansion checks a value of --expand.
 * @throws {CliError} exit 2 with all problems.
 */
export function viewFrom(
  { languages = [], expand }: View,
  problems: readonly Detail[],
  expansion: Check,
  { api }: Pick<Session, 'api'>,
): View {
  const field = '--languages';
  const codes = languages.filter((code) => code !== ALL);
  const isMixed = codes.length > 0 && codes.length < languages.length;
  refuseInvalid([
    ...problems,
    ...entryProblems(field, codes, api.dialect.languageProblem),
    ...(isMixed ? [{ field, reason: 'all cannot be combined with codes' }] : []),
    ...entryProblems('--expand', expand, expansion),
  ]);
  const several = languages.length === 0 ? undefined : [...new Set(languages)];
  return { languages: several, expand: expand && [...new Set(expand)] };
}

/** Adds a line per action for people; unchanged if the actions have another form. */
export function withActionsInWords(property: ServiceRecord): ServiceRecord {
  const actions = actionsIn(property);
  const names = new Set(actions.map(({ name }) => name));
  const isReadable = Array.isArray(property['actions']) && names.size === property['actions'].length;
  if (!isReadable || names.size === 0) return property;
  const { actions: _, ...others } = property;
  const named = actions.map((each) => [
    `${each.name.charAt(0).toLowerCase()}${each.name.slice(1)}`,
    inWords(each),
  ]);
  return { ...others, may: Object.fromEntries(named) };
}

function inWords({ isAllowed, reasons }: Action): string {
  if (isAllowed) return 'yes';
  return reasons.length === 0 ? 'no' : `no: ${reasons.map(({ reason }) => reason).join(' ')}`;
}

/**
 * `properties exists <id>`: check if a property exists; exit 3 if not.
 *
 * HEAD /inventory/v1/properties/{id}, which is not in the contract: there it is GET.
 */
export function propertyExists(context: Context) {
  return serviceCommand('exists', 'reads', ['properties exists BER', 'properties exists BER --json'])
    .summary('check if a property exists')
    .description('Check if a property exists. Exits with 3 if it does not.')
    .argument('<id>', 'id of the property')
    .action(
      withSession(context, async ({ api, out, globals }, id) => {
        refuseInvalid(await idsDetails([id], api));
        await reportExistence('property', id, await api.properties.exists(id), { out, globals });
      }),
    );
}

/** Says whether a record exists. @throws {Concluded} exit 3 if not. */
export async function reportExistence(
  noun: string,
  id: string,
  exists: boolean,
  { out, globals }: Pick<Session, 'out' | 'globals'>,
): Promise<void> {
  const isQuiet = globals.quiet === true;
  if (exists) return out.line(isQuiet ? id : `${capitalised(noun)} ${id} exists.`, { id, exists });
  if (!isQuiet) await out.line(`There is no ${noun} ${id}.`, { id, exists });
  throw new Concluded(ExitCode.notFound);
}

/** `properties count`: how many properties the account has. GET /inventory/v1/properties/$count. */
export function countProperties(context: Context) {
  return serviceCommand('count', 'reads', ['properties count', 'properties count --json'])
    .summary('count properties')
    .description('Print the number of properties in the account.')
    .action(
      withSession(context, async ({ api, out }) => {
        const count = await api.properties.count();
        await out.line(String(count), { count });
      }),
    );
}

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
      const { expansions } = api.dialect;
      const check = (name: string) => expansionProblem(name, expansions);
      const known = [
        ...kindTable.property.filters,
        { parameter: 'expand', flag: 'expand', value: 'names', check } as const,
      ];
      const { filter } = withFilters('listProperties', known, options, further, session);
      const pages = await refusingUnlistedCountries(filter, api.properties.list(filter, extent), session);
      await printList({ kind: 'properties', shape: propertyShape, filter, extent, pages }, session);
    }),
  );
}

/** The pages. Without records, countries that the service does not list are refused. */
async function refusingUnlistedCountries(filter: Query, pages: AsyncIterable<Page>, session: Session) {
  const words = Object.entries(filter).flatMap(([name, value]) =>
    lettersOf(name) === COUNTRIES ? value : [],
  );
  const named = {
    noun: ['country', 'countries'],
    words: words.flatMap((word) => String(word).split(',')),
    list: () => session.api.countries.list({}, {}),
    fields: ['code'],
  } as const;
  return refusingUnlisted(pages, named, session);
}

/** The only value of expand in the contract. */
const EXPANSION = 'unitGroups';

/**
 * The problem with a value of --expand, or `undefined`.
 *
 * @param expansions all known values; `undefined` if unknown.
 */
function expansionProblem(name: string, expansions: readonly string[] | undefined) {
  if (expansions !== undefined) {
    if (expansions.includes(name)) return undefined;
    return `${quote(name)} is not known to this service: write ${expansions.join(' or ')}`;
  }
  if (/^[A-Za-z\d]{1,100}$/.test(name)) return undefined;
  return `${quote(name)} is not a name of letters and digits such as ${EXPANSION}`;
}
