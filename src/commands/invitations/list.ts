import { Command } from '@commander-js/extra-typings';
import type { Context } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { withSession } from '../../session.ts';
import { examples } from '../examples.ts';
import { listFrom, withListFlags } from '../list-flags.ts';
import { collectList, propertyIds } from '../options.ts';
import { invitationShape } from './shape.ts';

/**
 * `invitations list`: the invitations of the account, or of one property.
 *
 * GET /api/v1/invitations. The service does not page; --limit and --page-number are applied here.
 */
export function listInvitations(context: Context) {
  return withListFlags(
    new Command('list')
      .alias('ls')
      .summary('list invitations')
      .description('List the invitations of the account, or of one property.')
      .option('--property-id <id>', 'only invitations to this property', collectList)
      .option('--property <id>', 'the same as --property-id', collectList),
  )
    .addHelpText('after', examples('invitations list', 'invitations list --property BER --json'))
    .action(
      withSession(context, async ({ api, out }, options) => {
        const { filter, extent } = listFrom(options, 'listInvitations');
        const pages = api.invitations.list({ ...filter, property_id: onlyOne(options) }, extent);
        await out.records(invitationShape, pages);
      }),
    );
}

interface PropertyFlags {
  readonly propertyId?: readonly string[];
  readonly property?: readonly string[];
}

function onlyOne({ propertyId, property }: PropertyFlags): string | undefined {
  const ids = propertyIds({ '--property-id': propertyId, '--property': property });
  if (ids !== undefined && ids.length > 1)
    throw usageError('Invitations can be listed for one property at a time.');
  return ids?.[0];
}
