import { serviceCommand } from '../../cli/described-command.ts';
import { CliError, OutcomeUnknown, usageError } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { Accepted, withdraw } from '../../service/invitations.ts';
import { reportDeletion } from '../deletion.ts';
import { serviceLine } from '../lines.ts';
import { withReferences } from '../references.ts';
import { ignoreNotFoundFlag } from '../write.ts';
import { invitations } from './reference.ts';

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
    'invitations delete --older-than 30d --yes --max-deletes 20',
  ])
    .summary('withdraw an invitation')
    .description('Withdraw an invitation, and verify that it is gone.')
    .argument(`[${invitations.argument}...]`, 'invited e-mail address')
    .option(...ignoreNotFoundFlag)
    .option('--no-verify', 'do not verify that it is gone')
    .option('--older-than <duration>', 'withdraw all that were sent longer ago than this: 12h, 30d, 2w')
    .option('--max-deletes <n>', 'with --older-than: maximum number of invitations to withdraw (default: 0)')
    .action((emails, flags, command) =>
      (flags.olderThan === undefined && flags.maxDeletes === undefined ? byAddress(context) : byAge(context))(
        emails,
        flags,
        command,
      ),
    );
}

function byAddress(context: Context) {
  return withReferences<DeleteFlags>(context, invitations, {
    one: deleteOne,
    several: async (...given) => (await import('./delete-several.ts')).deleteInvitations(...given),
  });
}

function byAge(context: Context) {
  return withSession(
    context,
    async (session, _: readonly string[], { olderThan = '', maxDeletes }: DeleteFlags) => {
      const { deleteOlder } = await import('./older.ts');
      await deleteOlder(olderThan, { maxDeletes }, session);
    },
    (_, emails, { olderThan }) => {
      const help = 'innctl invitations delete --help';
      if (olderThan === undefined) throw usageError('--max-deletes is for --older-than.', help);
      if (emails.length > 0)
        throw usageError('--older-than and e-mail addresses cannot be given together.', help);
    },
  );
}

interface DeleteFlags {
  readonly verify: boolean;
  readonly ignoreNotFound?: true;
  readonly olderThan?: string;
  readonly maxDeletes?: string;
}

async function deleteOne(email: string, flags: DeleteFlags, session: Session): Promise<void> {
  const { api } = session;
  api.permit('deleteInvitation', email);
  // Fail before prompting if the address cannot be sent.
  api.check('deleteInvitation', { email });
  await session.confirm(`Withdraw the invitation to ${email}?`);
  const deletion = {
    facts: { email },
    done: `Withdrew the invitation to ${email}`,
    missing: `There is no invitation to ${email}.`,
    misspelt: invitations.misspelt([email], api),
  };
  const deleting = withdraw(email, flags, api).catch(explain(email, flags, session));
  await reportDeletion(deleting, deletion, flags, session);
}

/** For `catch`: there is no invitation, perhaps because it was accepted. */
function explain(email: string, { ignoreNotFound }: DeleteFlags, { globals }: Session) {
  return (error: unknown): never => {
    if (error instanceof Accepted)
      throw error.withHint(`To disable the user: ${serviceLine(globals, 'people', 'offboard', email)}`);
    const { cause } = error instanceof OutcomeUnknown ? error : {};
    // With --ignore-not-found it would count as done.
    const isMissing = cause instanceof CliError && cause.code === 'not_found' && ignoreNotFound !== true;
    throw isMissing ? cause : error;
  };
}
