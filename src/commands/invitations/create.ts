import { Command } from '@commander-js/extra-typings';
import type { Api } from '../../api/api.ts';
import type { NewInvitation } from '../../api/invitations.ts';
import type { Context } from '../../context.ts';
import { type Session, withSession } from '../../session.ts';
import { examples } from '../examples.ts';
import { listedProperties, type Misspelt, MOST_LOOKED_THROUGH, namesIn, suggesting } from '../meant.ts';
import { collectList } from '../options.ts';
import { inDoubt, serviceLine } from '../settle.ts';
import { importing } from '../several.ts';
import { askForMissing } from './ask.ts';
import { givenInvitation } from './given.ts';

/**
 * `invitations create [email]`: invite a person to the account.
 *
 * POST /api/v1/invitations. Only the e-mail is known to be needed. Roles are open: the contract shows
 * Housekeeping and names no others, so that the service judges them.
 */
export function createInvitation(context: Context) {
  return new Command('create')
    .alias('new')
    .summary('invite a person')
    .description(
      'Invite a person to the account, from flags, a file, or both (flags win); on a terminal it asks for the rest.',
    )
    .argument('[email]', 'address to invite')
    .option('--file <path>', 'read one invitation from YAML or JSON; - is stdin')
    .option('--email <address>', 'the same as the argument')
    .option('--role <role>', 'role at the properties: Housekeeping')
    .option('--properties <ids>', 'properties the person may work with: BER,VIE', collectList)
    .option('--property <ids>', 'the same as --properties', collectList)
    .option('--is-account-admin', 'full access to every property')
    .option('--allow-unknown-fields', 'send fields of the file that the contract does not name')
    .addHelpText(
      'after',
      examples(
        'invitations create ana@example.com --role Housekeeping --properties BER,VIE',
        'invite create --role Housekeeping',
        'invitations create --file ana.yaml --dry-run',
        'invitations create ben@example.com --is-account-admin',
      ),
    )
    .action(
      withSession(context, async (session, email, options) => {
        const { api, globals, out } = session;
        api.permit('createInvitation');
        const given = await givenInvitation(email, options, context).catch(
          importing('invitations', options.file, globals),
        );
        const invitation = await askForMissing(given, session);
        await mindNoAccess(invitation, session);
        const look = serviceLine(globals, 'invitations', 'list', '--all');
        const answer = await api.invitations
          .create(invitation)
          .catch(suggesting(...misspeltIn(invitation, api)))
          .catch(inDoubt(`Look before inviting again: ${look}`));
        await out.done(`Invited ${invitation.email}.`, { ...invitation, ...answer, invited: true });
      }),
    );
}

/** A person at the terminal is asked before such a mail goes out; elsewhere a warning has to do. */
async function mindNoAccess(invitation: NewInvitation, session: Session): Promise<void> {
  const { is_account_admin: isAdmin, role, properties = [] } = invitation;
  if (isAdmin === true || (role !== undefined && properties.length > 0)) return;
  if (session.mayAsk()) {
    await session.confirm('Without a property the person will see nothing. Invite all the same?');
    return;
  }
  await session.out.warn(
    'Without --is-account-admin, or --role and --properties, the person will see nothing.',
  );
}

/** The words of an invitation that may be misspelt: its role and its properties. */
function misspeltIn({ role, properties = [] }: NewInvitation, api: Api): readonly Misspelt[] {
  const ids = listedProperties(api);
  const roles = () => namesIn(api.roles.list({}, { limit: MOST_LOOKED_THROUGH }), 'name');
  return [
    ...(role === undefined ? [] : [{ word: role, listed: roles }]),
    ...properties.map((word) => ({ word, listed: ids })),
  ];
}
