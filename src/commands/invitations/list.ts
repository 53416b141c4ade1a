import { ofListedProperties } from '../../change/suggest.ts';
import { usageError } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { serviceCommand } from '../../session/described-command.ts';
import { collectList } from '../../session/flags.ts';
import { withSession } from '../../session/session.ts';
import { listOfProperties, printList, withListFlags } from '../list.ts';
import { invitationShapeFor } from '../shapes.ts';

/**
 * `invitations list`: the invitations of the account, or of one property.
 *
 * GET /api/v1/invitations. The service does not page; --limit and --page-number are applied here.
 */
export function listInvitations(context: Context) {
  return withListFlags(
    serviceCommand('list ls', 'reads', [
      'invitations list',
      'invitations list --property BER --json',
      'invitations list --older-than 30d',
    ])
      .summary('list invitations')
      .description('List the invitations of the account, or of one property.')
      .option('--property-id <id>', 'filter by property', collectList)
      .option('--property <id>', 'same as --property-id', collectList)
      .option('--older-than <duration>', 'only those invited longer ago than this: 12h, 30d, 2w'),
  ).action(
    withSession(context, async (session, options) => {
      const { api } = session;
      const { olderThan } = options;
      const listed = await listOfProperties('property_id', options, 'listInvitations', session);
      const { filter: others, extent, ids: [id, second] = [] } = listed;
      if (second !== undefined) throw usageError('Invitations can be listed for one property at a time.');
      const filter = { ...others, property_id: id };
      const all =
        olderThan === undefined
          ? api.invitations.list(filter, extent)
          : (await import('./delete.ts')).listOlder(olderThan, filter, extent, session);
      const pages = id === undefined ? all : ofListedProperties(all, [id], session);
      const shape = invitationShapeFor(api.dialect);
      await printList({ kind: 'invitation-emails', shape, filter, extent, pages }, session);
    }),
  );
}
