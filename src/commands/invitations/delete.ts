import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import { nearestAddress } from '../../model/names.ts';
import { forgetCreation } from '../creation.ts';
import { inDoubt, settledByRepeating } from '../lines.ts';
import { MOST_LOOKED_THROUGH, namesIn, suggesting } from '../suggest.ts';
import { ignoreNotFoundFlag, ignoringNotFound, reportWrite, unlessIgnored } from '../write.ts';

/**
 * `invitations delete <email>`: withdraw an invitation, after a question.
 *
 * DELETE /api/v1/invitations/{email}. An address that could not be invited is sent too: whatever the service lists can be
 * withdrawn. What becomes of the link in the mail is not shown.
 */
export function deleteInvitation(context: Context) {
  return new DescribedCommand('delete', {
    effect: 'destroys',
    on: 'service',
    examples: ['invitations delete ana@example.com', 'invitations delete ana@example.com --yes --json'],
  })
    .alias('rm')
    .summary('withdraw an invitation')
    .description('Withdraw an invitation, and verify that it is gone.')
    .argument('<email>', 'invited e-mail address')
    .option(...ignoreNotFoundFlag)
    .option('--no-verify', 'do not verify that it is gone')
    .action(
      withSession(context, async (session, email, { verify, ignoreNotFound }) => {
        const { api, out, confirm } = session;
        api.permit('deleteInvitation', email);
        // Nobody is asked about an address that cannot be sent.
        api.check('deleteInvitation', { email });
        await confirm(`Withdraw the invitation to ${email}?`);
        const listed = () => namesIn(api.invitations.list({}, { limit: MOST_LOOKED_THROUGH }), 'email');
        const withdraw = async () => {
          const found = await api.invitations
            .delete(email, { verify })
            .catch(suggesting({ word: email, listed, pick: nearestAddress }))
            .catch(inDoubt(settledByRepeating(context.argv, { more: ignoringNotFound(ignoreNotFound) })));
          await forgetCreation(email, session);
          await reportWrite(out, `Withdrew the invitation to ${email}`, { email, deleted: true }, found);
        };
        const missing = () => out.done(`There is no invitation to ${email}.`, { email, deleted: false });
        await withdraw().catch(unlessIgnored(ignoreNotFound, missing));
      }),
    );
}
