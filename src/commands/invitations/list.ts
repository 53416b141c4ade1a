import { DescribedCommand } from '../../cli/described-command.ts';
import { usageError } from '../../cli/errors.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import type { Page } from '../../model/records.ts';
import type { Api } from '../../service/service.ts';
import { listFrom, withListFlags } from '../list.ts';
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
      .option('--property-id <id>', 'filter by property', collectList)
      .option('--property <id>', 'same as --property-id', collectList),
  ).action(
    withSession(context, async (session, options) => {
      const { api, out } = session;
      const { propertyId, property } = options;
      const { filter: others, extent } = listFrom(options, 'listInvitations', {
        property_id: propertyId ?? property,
      });
      const id = await onlyOne({ propertyId, property, param: others['property_id'] }, api);
      const filter = { ...others, property_id: id };
      const pages = api.invitations.list(filter, extent);
      const listed = { filter, extent, pages: id === undefined ? pages : await known(id, pages, session) };
      await remembering(session, { kind: 'invitation-emails', ...listed }, (all) =>
        out.records(invitationShapeFor(api.dialect), all),
      );
    }),
  );
}

interface PropertyFlags {
  readonly propertyId?: readonly string[] | undefined;
  readonly property?: readonly string[] | undefined;
  readonly param?: readonly string[] | undefined;
}

/** The pages, unless there are no records and the service does not list the property. */
async function known(id: string, pages: AsyncIterable<Page>, session: Session) {
  const { lookingInto, refuseUnlisted } = await import('../suggest.ts');
  const { namedProperties } = await import('../properties/named.ts');
  return lookingInto(pages, () => refuseUnlisted(namedProperties([id], session), session.out));
}

async function onlyOne(
  { propertyId, property, param }: PropertyFlags,
  api: Api,
): Promise<string | undefined> {
  const ids = await propertyIds(
    { '--property-id': propertyId, '--property': property, '--param': param },
    api,
  );
  if (ids !== undefined && ids.length > 1)
    throw usageError('Invitations can be listed for one property at a time.');
  return ids?.[0];
}
