import { sessionWith } from '../../change/ask.ts';
import type { Row } from '../../change/consent.ts';
import { type Item, itemFor } from '../../change/item.ts';
import { serviceLine, settleBy, settledByRepeating } from '../../change/lines.ts';
import { openListing } from '../../change/listing.ts';
import { withReferences } from '../../change/references.ts';
import { resolveAll, wordProblems } from '../../change/resolve.ts';
import { changeOne, changeRows } from '../../change/rows.ts';
import { suggest } from '../../change/suggest.ts';
import { ignoreNotFoundFlag, ignoringNotFound, tellOne } from '../../change/tell.ts';
import { serviceCommand } from '../../cli/described-command.ts';
import { CliError, OutcomeUnknown, refuseInvalid, usageError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { emailOf } from '../../service/find-user.ts';
import { Accepted } from '../../service/invitations.ts';
import { addressProblems, invitations } from './reference.ts';

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
    operation: 'deleteInvitation',
    all: deleteInvitations,
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

/** Withdraws invitations; reads one list for several, and sends a single one directly. */
async function deleteInvitations(
  emails: readonly string[],
  flags: DeleteFlags,
  session: Session,
): Promise<void> {
  const { api, context, out } = session;
  const { verify, ignoreNotFound } = flags;
  const safely = ignoringNotFound(ignoreNotFound);
  const [email = '', ...others] = emails;
  if (others.length > 0) {
    const rows = await listedRows(emails, flags, session);
    return changeRows(rows, {}, session, sessionWith(safely, session));
  }
  // Fail before prompting if the address cannot be sent.
  api.check('deleteInvitation', { email });
  const about = { mustExist: ignoreNotFound !== true, isReadBack: verify };
  const item = itemFor({ kind: 'invitation', name: email }, 'delete', about);
  const question = `Withdraw the invitation to ${email}?`;
  const result = await changeOne({ item, names: [], question }, {}, session)
    .catch(explain(email, flags, session))
    .catch(suggest({ ...invitations.misspelt([email], api), inPath: true }))
    .catch(settleBy(settledByRepeating(context.argv, false, ...safely)));
  const undone = `There is no invitation to ${email}.`;
  const told = { done: `Withdrew the invitation to ${email}`, undone, facts: { email } };
  await tellOne(result, { ...told, fact: 'deleted' }, out);
}

/** @throws {CliError} exit 3 with all addresses that are not invited. */
async function listedRows(
  emails: readonly string[],
  { ignoreNotFound }: DeleteFlags,
  session: Session,
): Promise<readonly Row[]> {
  refuseInvalid(wordProblems(emails, addressProblems));
  const listed = openListing('invitation', session.api.invitations.listAll);
  const missing = new CliError('not_found', 'not found', { exitCode: ExitCode.notFound });
  const find = async (word: string) => {
    const [record] = await listed(word);
    if (record === undefined && ignoreNotFound !== true) throw missing;
    const name = (record && emailOf(record)) ?? word;
    return itemFor({ kind: 'invitation', name }, record === undefined ? 'same' : 'delete');
  };
  const resolving = { find, idOf: ({ name }: Item) => name, isNameless: true } as const;
  const found = await resolveAll(emails, invitations, resolving, session);
  return found.map((item) => ({ item, names: [] }));
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
