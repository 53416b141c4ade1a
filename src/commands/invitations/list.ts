import type { Api } from '../../api/api.ts';
import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { usageError } from '../../errors.ts';
import { collectList } from '../../global-options.ts';
import { withSession } from '../../session.ts';
import { listFrom, withListFlags } from '../list-flags.ts';
import { propertyIds } from '../options.ts';
import { remembering } from '../remember/remember.ts';
import { invitationShapeFor } from './shape.ts';

/**
 * `invitations list`: the invitations of the account, or of one property.
 *
 * GET /api/v1/invitations. The service does not page; --limit and --page-number are applied here.
 */
export function listInvitations(context: Context) {
  return withListFlags(
    new DescribedCommand('list', {
      effect: 'reads',
      on: 'service',
      examples: ['invitations list', 'invitations list --property BER --json'],
    })
      .alias('ls')
      .summary('list invitations')
      .description('List the invitations of the account, or of one property.')
      .option('--property-id <id>', 'only invitations to this property', collectList)
      .option('--property <id>', 'the same as --property-id', collectList),
  ).action(
    withSession(context, async (session, options) => {
      const { api, out } = session;
      const { filter: others, extent } = listFrom(options, 'listInvitations');
      const filter = { ...others, property_id: await onlyOne(options, api) };
      const listed = { filter, extent, pages: api.invitations.list(filter, extent) };
      await remembering(session, { kind: 'invitation-emails', ...listed }, (pages) =>
        out.records(invitationShapeFor(api.dialect), pages),
      );
    }),
  );
}

interface PropertyFlags {
  readonly propertyId?: readonly string[];
  readonly property?: readonly string[];
}

async function onlyOne({ propertyId, property }: PropertyFlags, api: Api): Promise<string | undefined> {
  const ids = await propertyIds({ '--property-id': propertyId, '--property': property }, api);
  if (ids !== undefined && ids.length > 1)
    throw usageError('Invitations can be listed for one property at a time.');
  return ids?.[0];
}
