import { ofListedProperties } from '../../change/suggest.ts';
import { newerRoles } from '../../model/access.ts';
import { usageError } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { collectList, serviceCommand } from '../../session/command-line.ts';
import { withSession } from '../../session/session.ts';
import { listOfProperties, listPassing, printList, roleFilter, withFilters, withListFlags } from '../list.ts';
import { invitationShapeFor } from '../shapes.ts';

/**
 * `invitations list`: the invitations of the account, or of one property.
 *
 * GET /api/v1/invitations. The service does not page; all flags but --property are applied here.
 */
export function listInvitations(context: Context) {
  return withListFlags(
    serviceCommand('list ls', 'reads', [
      'invitations list',
      'invitations list --property BER --json',
      'invitations list --role Auditor --older-than 30d',
    ])
      .summary('list invitations')
      .description('List the invitations of the account, or of one property.')
      .option('--property-id <id>', 'filter by property', collectList)
      .option('--property <id>', 'same as --property-id', collectList)
      .option('--role <names>', 'filter by role: FrontDesk,Auditor (repeatable)', collectList)
      .option('--older-than <duration>', 'only those invited longer ago than this: 12h, 30d, 2w'),
  ).action(
    withSession(context, async (session, options) => {
      const { api } = session;
      const { olderThan } = options;
      const listed = await listOfProperties('property_id', options, 'listInvitations', session);
      const { filter: others, extent, ids: [id, second] = [] } = listed;
      if (second !== undefined) throw usageError('Invitations can be listed for one property at a time.');
      const found = withFilters('listInvitations', [roleFilter(newerRoles)], options, others, session);
      const filter = { ...found.filter, property_id: id };
      const old = async (typed: string) => (await import('./delete.ts')).olderTest(typed, session.context);
      const tests = [...found.tests, ...(olderThan === undefined ? [] : [await old(olderThan)])];
      const shape = invitationShapeFor(api.dialect);
      const all = listPassing(api.invitations, { filter, extent }, tests, shape.noun, session);
      const pages = ofListedProperties(all, id, session);
      await printList({ kind: 'invitation-emails', shape, filter, extent, pages }, session);
    }),
  );
}
