import { CliError, refuseInvalid } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Session } from '../../cli/session.ts';
import { itemFor } from '../../seed/item.ts';
import { emailOf } from '../../service/find-user.ts';
import { sessionWith } from '../ask.ts';
import { openAddresses, resolveAll, wordProblems } from '../several/resolve.ts';
import { changeSeveral, permitEach } from '../several/run.ts';
import { ignoringNotFound } from '../write.ts';
import { addressProblems, invitations } from './reference.ts';

/**
 * Withdraws several invitations; reads one list for all of them.
 *
 * @throws {CliError} exit 3 with all addresses that are not invited; what `changeSeveral` throws.
 */
export async function deleteInvitations(
  emails: readonly string[],
  { ignoreNotFound }: { readonly ignoreNotFound?: true },
  session: Session,
): Promise<void> {
  const { api } = session;
  permitEach('deleteInvitation', emails, session);
  refuseInvalid(wordProblems(emails, addressProblems));
  const listed = openAddresses(api.invitations.listAll, 'invitations');
  const missing = new CliError('not_found', 'not found', { exitCode: ExitCode.notFound });
  const find = async (word: string) => {
    const [record] = await listed(word);
    if (record === undefined && ignoreNotFound !== true) throw missing;
    return { email: (record && emailOf(record)) ?? word, record };
  };
  const found = await resolveAll(emails, invitations, { find, idOf: ({ email }) => email }, session);
  const rows = found.map(({ email: name, record }) => {
    const action = record === undefined ? 'same' : 'delete';
    return { item: itemFor({ kind: 'invitation', name }, action), names: [] };
  });
  await changeSeveral(rows, {}, session, sessionWith(ignoringNotFound(ignoreNotFound), session));
}
