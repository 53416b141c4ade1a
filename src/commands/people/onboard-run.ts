import { type Detail, detailsFor, usageError } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import { rolesOf } from '../../model/access.ts';
import { emailProblem } from '../../model/segment.ts';
import type { Recalled } from '../../seed/history.ts';
import { type Item, makesAdmin } from '../../seed/item.ts';
import { sessionWith } from '../ask.ts';
import { withEquivalentLine } from '../lines.ts';
import { type Asked, readNamed, runJob } from '../several/journalled.ts';
import { wordProblems } from '../several/resolve.ts';
import { columns, flagProblems, joinersOf, type OnboardFlags, wantedBy } from './joiners.ts';
import { planJoiners } from './onboard-plan.ts';

/**
 * Gives people access: invites those who have no user, enables those who are disabled, and adds the properties that users lack.
 * Roles of users cannot be set, so those that they lack are named.
 *
 * @throws {CliError} exit 2 for a line or file that does not say what to give; exit 3, 6 or 12 for people on the command line
 *   who cannot get it; what `runJob` throws.
 */
export async function onboard(session: Session, asked: Asked, flags: OnboardFlags): Promise<void> {
  const given = wantedBy(flags);
  const isAsking = given === undefined && asked.references.length > 0 && session.mayAsk();
  if (isAsking && asked.file === undefined && flags.map === undefined)
    return askAndOnboard(session, asked, flags);
  const problems = [
    ...wordProblems(asked.references, problemsOfAddress),
    ...(await flagProblems(flags, session)),
  ];
  const job = { command: 'people onboard', asked, flags } as const;
  const naming = { ...job, kind: 'invitation', columns, problems, permits: 'createInvitation' } as const;
  const { people } = await readNamed(naming, session);
  const joiners = joinersOf(people, given, session);
  const plan = (memory: Recalled) => planJoiners(joiners, memory, session);
  await runJob({ ...job, plan, asks }, session);
}

/** A single invitation, or the properties of a user, need no question. */
function asks(items: readonly Item[]): boolean {
  return items.length > 1 || items.some((item) => item.steps.length > 0 || makesAdmin(item));
}

/** Asks for role and properties. */
async function askAndOnboard(session: Session, asked: Asked, flags: OnboardFlags): Promise<void> {
  const { completeInvitation } = await import('../invitations/given.ts');
  const { invitation, answers = [] } = await completeInvitation(
    { email: asked.references[0] ?? '' },
    {},
    session,
  );
  const { properties = [] } = invitation;
  const words = answers.map((word) => (word === '--roles' ? '--role' : word));
  const typed = sessionWith(words, session);
  if (properties.length === 0) throw usageError('No property was chosen; nothing was sent.');
  await withEquivalentLine(
    true,
    typed,
    onboard(typed, asked, { ...flags, role: rolesOf(invitation), properties }),
  );
}

function problemsOfAddress(word: string): readonly Detail[] {
  return detailsFor('email', emailProblem(word));
}
