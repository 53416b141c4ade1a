import { serviceCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import { nearestAddress } from '../../model/names.ts';
import { reportDeletion } from '../deletion.ts';
import { ignoreNotFoundFlag } from '../write.ts';

/**
 * `invitations delete <email>`: withdraw an invitation, after confirmation.
 *
 * DELETE /api/v1/invitations/{email}. Invalid addresses are sent too, because the service may list them. The contract
 * does not say what happens to the link in the mail.
 */
export function deleteInvitation(context: Context) {
  return serviceCommand('delete rm', 'destroys', [
    'invitations delete ana@example.com',
    'invitations delete ana@example.com --yes --json',
  ])
    .summary('withdraw an invitation')
    .description('Withdraw an invitation, and verify that it is gone.')
    .argument('<email>', 'invited e-mail address')
    .option(...ignoreNotFoundFlag)
    .option('--no-verify', 'do not verify that it is gone')
    .action(
      withSession(context, async (session, email, options) => {
        const { api } = session;
        api.permit('deleteInvitation', email);
        // Fail before prompting if the address cannot be sent.
        api.check('deleteInvitation', { email });
        await session.confirm(`Withdraw the invitation to ${email}?`);
        const deletion = {
          id: email,
          facts: { email },
          done: `Withdrew the invitation to ${email}`,
          missing: `There is no invitation to ${email}.`,
          misspelt: { words: [email], resource: api.invitations, fields: ['email'], pick: nearestAddress },
        };
        await reportDeletion(api.invitations.delete(email, options), deletion, options, session);
      }),
    );
}
