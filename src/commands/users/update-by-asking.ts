import { emailOf } from '../../api/find-user.ts';
import type { UserChanges } from '../../api/users.ts';
import { invalidInput } from '../../errors.ts';
import type { Session } from '../../session.ts';
import { suggestingId } from '../meant.ts';
import { tellingLine, withFlags } from '../one-line.ts';
import { review } from '../review.ts';
import { askForUserChanges } from './ask-changes.ts';
import type { ChangeFlags } from './changes.ts';
import { mindDisabling } from './disabling.ts';
import { misspeltUser, orListed } from './misspelt.ts';
import type { NamedUser } from './outcome.ts';
import { findPermitted, referenceProblems } from './reference.ts';
import { sendChanges } from './send.ts';
import { isDisabling } from './steps.ts';

interface UpdateFlags extends ChangeFlags {
  readonly confirm?: string;
  readonly verify: boolean;
}

/** Whether the command line leaves it to the person what is to change. */
export function namesNothing(flags: ChangeFlags): boolean {
  const { enable, disable, addProperties, property, setProperties, set, add, remove, patch } = flags;
  const changes = [enable, disable, addProperties, property, setProperties, set, add, remove, patch];
  return changes.every((flag) => flag === undefined);
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
  await review(asked.lines, session);
  await consentTo(asked.changes, user, flags.confirm, session);
  const argv = withFlags(context.argv, asked.flags);
  await tellingLine(argv, session, () =>
    sendChanges(user, asked.changes, flags, { ...session, context: { ...context, argv } }),
  );
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
