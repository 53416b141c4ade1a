import { serviceLine } from '../../change/lines.ts';
import { serviceCommand } from '../../cli/described-command.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { guess } from '../../model/names.ts';
import type { Page } from '../../model/records.ts';
import { emailProblem } from '../../model/segment.ts';
import { quote } from '../../model/text.ts';
import { listFrom, type PrintedList, printList, withFilters, withListFlags } from '../list.ts';
import { propertyIds, type TruthFlag, truthOf, truthProblem } from '../options.ts';
import { userShape } from '../shapes.ts';

/**
 * `users list`: the users of the account, or of some properties, page by page.
 *
 * GET /api/v1/users. The contract does not define the fields of a user, nor the default and maximum page size; its only
 * filter is property_ids, others need --param. The public service also has email, enabled and sort.
 */
export function listUsers(context: Context) {
  const command = serviceCommand('list ls', 'reads', [
    'users list',
    'users list --property BER,VIE --json',
    'users list --enabled false --sort last_name,first_name',
    'users list -o ndjson',
  ])
    .summary('list users')
    .description('List the users of the account, or of specific properties.')
    .option('--property-ids <ids>', 'filter by property: BER,VIE', collectList)
    .option('--property <ids>', 'same as --property-ids', collectList)
    .option('--email <address>', 'filter by e-mail address (dialect apaleo)')
    .option(
      '--enabled [true|false]',
      'filter by enabled users, or with false by disabled ones (dialect apaleo)',
    )
    .option(
      '--sort <fields>',
      'sort by first_name, last_name or email, with :desc to reverse (dialect apaleo, repeatable)',
      collectList,
    );
  return withListFlags(command).action(
    withSession(context, async (session, options) => {
      const { api } = session;
      const { propertyIds: byId, property } = options;
      const { filter: others, extent } = await listFrom(options, 'listUsers', session, {
        property_ids: byId ?? property,
      });
      const { property_ids: further } = others;
      const given = { '--property-ids': byId, '--property': property, '--param': further };
      const ids = await propertyIds(given, api);
      const filter = { ...withFilters('listUsers', filtersOf(options), others, session), property_ids: ids };
      const pages = api.users.list(filter, extent);
      const list = { kind: 'user-emails', shape: userShape, filter, extent, pages } as const;
      await (ids === undefined ? printList(list, session) : printUsersOf(ids, list, session));
    }),
  );
}

interface FilterFlags {
  readonly email?: string;
  readonly enabled?: TruthFlag;
  readonly sort?: readonly string[];
}

function filtersOf({ email, enabled, sort }: FilterFlags) {
  return {
    email: { typed: email, value: email, problems: [emailProblem(email ?? '')] },
    enabled: { typed: enabled, value: truthOf(enabled), problems: [truthProblem(enabled)] },
    sort: {
      typed: sort,
      // The service ignores entries without a direction.
      value: sort?.map(parseSort).map(({ field, direction }) => `${field}:${direction}`),
      problems: sort?.map(sortProblem) ?? [],
    },
  } as const;
}

/** Prints the users of some properties, and notes who else has access. */
async function printUsersOf(ids: readonly string[], list: PrintedList, session: Session): Promise<void> {
  const { misspeltProperties, ofListedProperties, suggest } = await import('../../change/suggest.ts');
  const { api, out, context, globals } = session;
  let isAdminListed = false;
  const watched = async function* (): AsyncGenerator<Page> {
    for await (const page of list.pages) {
      isAdminListed ||= page.items.some(({ is_account_admin: isAdmin }) => isAdmin === true);
      yield page;
    }
  };
  const pages = ofListedProperties(watched(), ids, session);
  await printList({ ...list, pages }, session).catch(suggest(misspeltProperties(ids, api)));
  if (context.presentation.json) return;
  const others = isAdminListed ? 'Open invitations' : 'Account admins and open invitations';
  const line = serviceLine(globals, 'access', 'report', '--property', ids.join(','));
  await out.note(`${others} reach ${ids.join(', ')} too: ${line}`);
}

/** Fields to sort by, under our names and the service's own. */
const sortFields = ['first_name', 'last_name', 'email', 'firstname', 'lastname'];

/** The parts of `last_name:desc`; `field` is the service's name of it. */
function parseSort(text: string) {
  const [name = '', direction = 'asc'] = text.split(/:(.*)/s);
  return { name, field: name.replace('_', ''), direction };
}

function sortProblem(text: string, index: number, all: readonly string[]): string | undefined {
  if (text === '') return 'must not be empty';
  const { name, field, direction } = parseSort(text);
  if (!sortFields.includes(name)) {
    const known = guess(name, sortFields, 'write first_name, last_name or email');
    return `${quote(text)} is not a field to sort users by${known}`;
  }
  if (!['asc', 'desc'].includes(direction)) return `${quote(text)} ends neither with :asc nor with :desc`;
  const isRepeated = all.slice(0, index).some((other) => parseSort(other).field === field);
  return isRepeated ? `names ${name} twice` : undefined;
}
