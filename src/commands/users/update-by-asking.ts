import { emailOf } from '../../api/find-user.ts';
import { invalidInput } from '../../errors.ts';
import type { Session } from '../../session.ts';
import { tellingLine, withFlags } from '../one-line.ts';
import type { PatchFlags } from '../patch-flags.ts';
import { review } from '../review.ts';
import { type AccessFlags, accessProblems, mindAccess } from './access.ts';
import { askForUserChanges } from './ask-changes.ts';
import { findPermitted, readUserToChange, referenceProblems } from './reference.ts';
import { sendChanges } from './send.ts';

interface UpdateFlags extends PatchFlags, AccessFlags {
  readonly verify: boolean;
}

/** Reads the user, asks what is to change, and sends it once the person looked at it. */
export async function updateByAsking(reference: string, flags: UpdateFlags, session: Session): Promise<void> {
  const { out, context } = session;
  const wrong = [...referenceProblems(reference), ...accessProblems(flags)];
  if (wrong.length > 0) throw invalidInput(wrong);
  const found = await findPermitted(reference, session);
  const { subjectId } = found;
  const record = await readUserToChange(subjectId, session);
  const user = { reference, subjectId, email: found.email ?? emailOf(record) };
  const asked = await askForUserChanges(record, session);
  if (asked.lines.length === 0) {
    return out.done('Nothing was changed.', { subject_id: subjectId, updated: false });
  }
  const argv = withFlags(context.argv, asked.flags);
  await tellingLine(argv, session, async () => {
    await review(asked.lines, 'identity', session);
    const update = { user, changes: asked.changes, record };
    const asLine = { ...session, context: { ...context, argv } };
    await mindAccess(update, flags, asLine, 'Send it?');
    await sendChanges(update, flags, asLine);
  });
}
