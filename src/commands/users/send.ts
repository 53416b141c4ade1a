import type { Session } from '../../session.ts';
import type { PatchFlags } from '../patch-flags.ts';
import type { AccessUpdate } from './access.ts';
import { explaining, reportUpdate } from './outcome.ts';

/** Sends the changes of a user that was found and consented to, and reports how that ended. */
export async function sendChanges(
  update: AccessUpdate,
  flags: PatchFlags & { readonly verify: boolean },
  session: Pick<Session, 'api' | 'globals' | 'context' | 'out'>,
): Promise<void> {
  const { user, changes } = update;
  const done = await session.api.users
    .update(user.subjectId, changes, { verify: flags.verify })
    .catch(explaining(user.reference, changes, flags, session));
  await reportUpdate(update, done, session.out);
}
