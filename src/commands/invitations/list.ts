import { serviceCommand } from '../../cli/described-command.ts';
import { usageError } from '../../cli/errors.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import { listFrom, printList, withListFlags } from '../list.ts';
import { propertyIds } from '../options.ts';
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
      const { propertyId, property, olderThan } = options;
      const own = { property_id: propertyId ?? property };
      const { filter: others, extent } = await listFrom(options, 'listInvitations', session, own);
      const { property_id: param } = others;
      const given = { '--property-id': propertyId, '--property': property, '--param': param };
      const [id, second] = (await propertyIds(given, api)) ?? [];
      if (second !== undefined) throw usageError('Invitations can be listed for one property at a time.');
      const filter = { ...others, property_id: id };
      const all =
        olderThan === undefined
          ? api.invitations.list(filter, extent)
          : (await import('./older.ts')).listOlder(olderThan, filter, extent, session);
      const pages =
        id === undefined
          ? all
          : (await import('../../change/suggest.ts')).ofListedProperties(all, [id], session);
      const shape = invitationShapeFor(api.dialect);
      await printList({ kind: 'invitation-emails', shape, filter, extent, pages }, session);
    }),
  );
}
