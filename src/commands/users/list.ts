import { serviceLine } from '../../change/lines.ts';
import { misspeltProperties, ofListedProperties, suggest } from '../../change/suggest.ts';
import { hasFullAccess, personName, placedRoles, plain, rolesByProperty } from '../../model/access.ts';
import { isFurther, kindTable, oneRoleProblem } from '../../model/kinds.ts';
import type { Check, Context } from '../../model/ports.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { guess, quote, sameName } from '../../model/text.ts';
import { folded } from '../../print/text.ts';
import { collectList, serviceCommand } from '../../session/command-line.ts';
import { withSession } from '../../session/session.ts';
import {
  type FilterFlag,
  listOfProperties,
  listPassing,
  printList,
  roleFilter,
  withFilters,
  withListFlags,
} from '../list.ts';
import { userShape } from '../shapes.ts';

/** Fields to sort by, under our names and the service's own. */
const personal = kindTable.user.fields.filter((each) => isFurther(each) && each.type === 'text');
const names = personal.map(({ name }) => name);
const sortFields = [...names, 'email', ...names.map((name) => name.replace('_', ''))];
const sorting = `${names.join(', ')} or email`;

/**
 * `users list`: the users of the account, or of some properties, page by page.
 *
 * GET /api/v1/users. The contract does not define the fields of a user, nor the default and maximum page size; its only
 * filter is property_ids. The public service also has email, enabled and sort. Other filters are answered here.
 */
export function listUsers(context: Context) {
  const command = serviceCommand('list ls', 'reads', [
    'users list',
    'users list --property BER,VIE --json',
    'users list --role FrontDesk --search ben --enabled',
    `users list --enabled false --sort ${names.toReversed().join(',')}`,
    'users list -o ndjson',
  ])
    .summary('list users')
    .description('List the users of the account, or of specific properties.')
    .option('--property-ids <ids>', 'filter by property: BER,VIE', collectList)
    .option('--property <ids>', 'same as --property-ids', collectList)
    .option('--search <text>', 'filter by a part of the name or e-mail address')
    .option('--role <names>', 'filter by role at any property: FrontDesk,Auditor (repeatable)', collectList)
    .option('--email <address>', 'filter by e-mail address')
    .option('--enabled [true|false]', 'filter by enabled users, or with false by disabled ones')
    .option(
      '--sort <fields>',
      `sort by ${sorting}, with :desc to reverse (dialect apaleo, repeatable)`,
      collectList,
    );
  return withListFlags(command).action(
    withSession(context, async (session, options) => {
      const { api, out, context, globals } = session;
      const listed = await listOfProperties('property_ids', options, 'listUsers', session);
      const { filter: others, extent, ids } = listed;
      const found = withFilters('listUsers', filters(), options, others, session);
      const filter = { ...found.filter, property_ids: ids };
      const all = listPassing(api.users, { filter, extent }, found.tests, userShape.noun, session);
      const pages = ofListedProperties(all, ids, session);
      const list = { kind: 'user-emails', shape: userShape, filter, extent, pages } as const;
      await printList(list, session).catch(suggest(misspeltProperties(ids ?? [], api)));
      if (ids === undefined || context.presentation.json) return;
      const line = serviceLine(globals, 'access', 'report', '--property', ids.join(','));
      await out.note(`Account admins and open invitations may reach ${ids.join(', ')} too: ${line}`);
    }),
  );
}

/** Filters that the contract does not name, and how they are answered here. */
const tests: Readonly<Record<string, NonNullable<FilterFlag['here']>>> = {
  email: (wanted) => ({
    needs: 'an e-mail address',
    passes: ({ email }) =>
      typeof email === 'string' ? sameName(email) === sameName(`${wanted}`) : undefined,
  }),
  enabled: (wanted) => ({
    needs: 'a readable state',
    passes: ({ enabled }) => (typeof enabled === 'boolean' ? enabled === wanted : undefined),
  }),
  search: (wanted) => ({
    needs: 'a name and an e-mail address',
    passes: (user) => {
      const text = folded(`${personName(user)}\n${user['email'] ?? ''}`);
      return text === '\n' ? undefined : text.includes(folded(`${wanted}`));
    },
  }),
};

/** The roles of a user at all properties; an account admin needs none. */
function rolesOf(user: ServiceRecord): readonly string[] | undefined {
  const roles = rolesByProperty(user[placedRoles]);
  if (roles === undefined) return hasFullAccess(user) ? [] : undefined;
  return [...roles.values()].flat();
}

/** The role list also has the name for full access, which is at no property. */
function placedRoleProblem(role: string): string | undefined {
  if (plain(role) !== 'accountadmin') return oneRoleProblem(role);
  return `${quote(role)} is no role at a property: innctl access report shows account admins`;
}

/** The filters that the contract does not name. */
function filters(): readonly FilterFlag[] {
  return [
    ...kindTable.user.filters.filter(isFurther).map((each) => ({ ...each, here: tests[each.parameter] })),
    { parameter: 'search', flag: 'search', value: 'text', here: tests['search'] },
    { ...roleFilter(rolesOf), check: placedRoleProblem },
    {
      ...{ parameter: 'sort', flag: 'sort', check: sortCheck() },
      value: 'names',
      // The service ignores entries without a direction.
      read: (text: string) => {
        const { field, direction } = parseSort(text);
        return `${field}:${direction}`;
      },
    },
  ];
}

/** The parts of `last_name:desc`; `field` is the service's name of it. */
function parseSort(text: string) {
  const [name = '', direction = 'asc'] = text.split(/:(.*)/s);
  return { name, field: name.replace('_', ''), direction };
}

/** Makes the check of the entries of one --sort. */
function sortCheck(): Check {
  const seen = new Set<string>();
  return (text) => {
    if (text === '') return 'must not be empty';
    const { name, field, direction } = parseSort(text);
    if (!sortFields.includes(name)) {
      const known = guess(name, sortFields, `write ${sorting}`);
      return `${quote(text)} is not a field to sort users by${known}`;
    }
    if (!['asc', 'desc'].includes(direction)) return `${quote(text)} ends neither with :asc nor with :desc`;
    if (seen.has(field)) return `names ${name} twice`;
    seen.add(field);
    return undefined;
  };
}
