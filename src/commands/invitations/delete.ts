import { serviceCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { rolesOf } from '../../model/access.ts';
import { nearestAddress } from '../../model/names.ts';
import { heldEmailProblem } from '../../model/segment.ts';
import { emailOf } from '../../service/find-user.ts';
import { reportDeletion } from '../deletion.ts';
import { type Referred, usable, withReferences } from '../references.ts';
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
    'invitations delete ana@example.com ben@example.com',
    'invitations delete ana@example.com --yes --json',
  ])
    .summary('withdraw an invitation')
    .description('Withdraw an invitation, and verify that it is gone.')
    .argument(`[${invitations.argument}...]`, 'invited e-mail address')
    .option(...ignoreNotFoundFlag)
    .option('--no-verify', 'do not verify that it is gone')
    .action(
      withReferences(context, invitations, {
        one: deleteOne,
        several: async (...given) => (await import('./delete-several.ts')).deleteInvitations(...given),
        choosesSeveral: () => true,
      }),
    );
}

interface DeleteFlags {
  readonly verify: boolean;
  readonly ignoreNotFound?: true;
}

async function deleteOne(email: string, flags: DeleteFlags, session: Session): Promise<void> {
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
  await reportDeletion(api.invitations.delete(email, flags), deletion, flags, session);
}

/** Invitations as a command line names them. */
const invitations: Referred = {
  noun: ['invitation', 'invitations'],
  argument: 'email',
  field: 'email',
  list: (api) => api.invitations.list({}, {}),
  referenceOf: (record) => usable(emailOf(record), heldEmailProblem),
  namesOf: () => [],
  detailsOf: (record) => [
    rolesOf(record).join(', '),
    typeof record['created'] === 'string' ? `invited ${record['created'].slice(0, 10)}` : undefined,
  ],
};
