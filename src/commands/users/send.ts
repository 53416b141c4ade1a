import type { UserChanges } from '../../api/users.ts';
import type { Session } from '../../session.ts';
import type { PatchFlags } from '../patch-flags.ts';
import { explaining, type NamedUser, reportUpdate } from './outcome.ts';

/** Sends the changes of a user that was found and consented to, and reports how that ended. */
export async function sendChanges(
  user: NamedUser,
  changes: UserChanges,
  flags: PatchFlags & { readonly verify: boolean },
  session: Pick<Session, 'api' | 'globals' | 'context' | 'out'>,
): Promise<void> {
  const done = await session.api.users
    .update(user.subjectId, changes, { verify: flags.verify })
    .catch(explaining(user.reference, changes, flags, session));
  await reportUpdate(user, changes, done, session.out);
}
