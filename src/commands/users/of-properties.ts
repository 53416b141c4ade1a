import type { Session } from '../../cli/session.ts';
import type { Page } from '../../model/records.ts';
import { namedProperties } from '../properties/named.ts';
import { type Listed, remembering } from '../remember/remember.ts';
import { lookingInto, refuseUnlisted, suggesting } from '../suggest.ts';
import { misspeltProperties } from './reference.ts';
import { userShape } from './shape.ts';

/**
 * Prints the users of some properties, and tells a person who else reaches them.
 *
 * @throws {CliError} exit 3 where there are none, and the service does not list one of the properties.
 */
export async function printUsersOf(ids: readonly string[], listed: Listed, session: Session): Promise<void> {
  const { api, out, context } = session;
  let isAdminListed = false;
  const pages = async function* (): AsyncGenerator<Page> {
    for await (const page of listed.pages) {
      isAdminListed ||= page.items.some(({ is_account_admin: isAdmin }) => isAdmin === true);
      yield page;
    }
  };
  const look = () => refuseUnlisted(namedProperties(ids, session), out);
  await remembering(session, { ...listed, pages: lookingInto(pages(), look) }, (all) =>
    out.records(userShape, all).catch(suggesting(...misspeltProperties(ids, api))),
  );
  if (context.presentation.json) return;
  const others = isAdminListed ? 'Open invitations' : 'Account admins and open invitations';
  await out.note(`${others} reach ${ids.join(', ')} too; they are not in this list.`);
}
