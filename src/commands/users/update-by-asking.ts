import { emailOf } from '../../api/find-user.ts';
import type { UserChanges } from '../../api/users.ts';
import { invalidInput } from '../../errors.ts';
import type { Session } from '../../session.ts';
import { suggestingId } from '../meant.ts';
import { tellingLine, withFlags } from '../one-line.ts';
import type { PatchFlags } from '../patch-flags.ts';
import { review } from '../review.ts';
import { askForUserChanges } from './ask-changes.ts';
import { mindDisabling } from './disabling.ts';
import { misspeltUser, orListed } from './misspelt.ts';
import type { NamedUser } from './outcome.ts';
import { findPermitted, referenceProblems } from './reference.ts';
import { sendChanges } from './send.ts';
import { isDisabling } from './steps.ts';

interface UpdateFlags extends PatchFlags {
  readonly confirm?: string;
  readonly verify: boolean;
}

/** Reads the user, asks what is to change, and sends it once the person looked at it. */
export async function updateByAsking(reference: string, flags: UpdateFlags, session: Session): Promise<void> {
  const { api, out, globals, context } = session;
  const wrong = referenceProblems(reference);
  if (wrong.length > 0) throw invalidInput(wrong);
  const found = await findPermitted(reference, session);
  const { subjectId } = found;
  const record = await api.users
    .read(subjectId)
    .catch(suggestingId(misspeltUser(subjectId, api)))
    .catch(orListed(globals));
  const user = { reference, subjectId, email: found.email ?? emailOf(record) };
  const asked = await askForUserChanges(record, session);
  if (asked.lines.length === 0) {
    return out.done('Nothing was changed.', { subject_id: subjectId, updated: false });
  }
  const argv = withFlags(context.argv, asked.flags);
  await tellingLine(argv, session, async () => {
    await review(asked.lines, 'identity', session);
    await consentTo(asked.changes, user, flags.confirm, session);
    await sendChanges(user, asked.changes, flags, { ...session, context: { ...context, argv } });
  });
}

/** Whoever typed the name of a user to disable has said yes; --confirm alone said it before there was anything to see. */
async function consentTo(
  changes: UserChanges,
  { reference, subjectId, email }: NamedUser,
  given: string | undefined,
  session: Session,
): Promise<void> {
  await mindDisabling([reference, subjectId, email ?? reference], changes, given, session);
  if (!isDisabling(changes) || given !== undefined) await session.confirm('Send it?');
}
