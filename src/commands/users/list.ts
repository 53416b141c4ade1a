import { DescribedCommand } from '../../cli/described-command.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import type { Page } from '../../model/records.ts';
import { listFrom, type PrintedList, printList, withListFlags } from '../list.ts';
import { propertyIds } from '../options.ts';
import { userShape } from '../shapes.ts';
import { filtersFrom } from './filters.ts';

/**
 * `users list`: the users of the account, or of some properties, page by page.
 *
 * GET /api/v1/users. The contract does not define the fields of a user, nor the default and maximum page size; its only
 * filter is property_ids, others need --param. The public service also has email, enabled and sort.
 */
export function listUsers(context: Context) {
  const command = new DescribedCommand('list', {
    effect: 'reads',
    on: 'service',
    examples: [
      'users list',
      'users list --property BER,VIE --json',
      'users list --enabled false --sort last_name,first_name',
      'users list -o ndjson',
    ],
  })
    .alias('ls')
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
      const { filter: others, extent } = listFrom(options, 'listUsers', { property_ids: byId ?? property });
      const { property_ids: further } = others;
      const given = { '--property-ids': byId, '--property': property, '--param': further };
      const ids = await propertyIds(given, api);
      const filter = { ...others, property_ids: ids, ...filtersFrom(options, others, session) };
      const pages = api.users.list(filter, extent);
      const list = { kind: 'user-emails', shape: userShape, filter, extent, pages } as const;
      await (ids === undefined ? printList(list, session) : printUsersOf(ids, list, session));
    }),
  );
}

/** Prints the users of some properties, and notes who else has access. */
async function printUsersOf(ids: readonly string[], list: PrintedList, session: Session): Promise<void> {
  const { misspeltProperties, ofListedProperties, suggest } = await import('../suggest.ts');
  const { api, out, context } = session;
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
  await out.note(`${others} reach ${ids.join(', ')} too; they are not in this list.`);
}
