import { resolve } from 'node:path';
import { type Detail, detailsFor, invalidInput, usageError } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import { rolesOf } from '../../model/access.ts';
import { emailProblem } from '../../model/segment.ts';
import { checkEvidenceFolder } from '../../people/evidence-folder.ts';
import { type Item, isPending, makesAdmin } from '../../seed/item.ts';
import type { Recalled } from '../../seed/journal.ts';
import { unsent } from '../apply/run.ts';
import { sessionWith } from '../ask.ts';
import { keepAround, type PersonRows } from '../evidence/around.ts';
import { evidenceProblems } from '../evidence/flags.ts';
import { withEquivalentLine } from '../lines.ts';
import { type Asked, type Begun, refuseUnclear, runJob } from '../several/journalled.ts';
import { wordProblems } from '../several/resolve.ts';
import { permitEach } from '../several/run.ts';
import { flagProblems, namedOnLine, type OnboardFlags, readJoiners, wantedBy } from './joiners.ts';
import { type PlannedJoiner, planJoiners } from './onboard-plan.ts';

const COMMAND = 'people onboard';

/**
 * Gives people access: invites those who have no user, enables those who are disabled, and adds the properties that users lack.
 * Roles of users cannot be set, so those that they lack are named.
 *
 * @throws {CliError} exit 2 for a line or file that does not say what to give; exit 3, 6 or 12 for people on the command line
 *   who cannot get it; what `runJob` throws.
 */
export async function onboard(session: Session, asked: Asked, typed: OnboardFlags): Promise<void> {
  refuseUnclear(asked, typed, COMMAND);
  // A run may be resumed in another folder.
  const flags = { ...typed, evidence: typed.evidence && resolve(typed.evidence) };
  const given = wantedBy(flags);
  if (given === undefined && asked.file === undefined && session.mayAsk())
    return askAndOnboard(session, asked, flags);
  const problems = [
    ...wordProblems(asked.references, problemsOfAddress),
    ...(await flagProblems(flags, session)),
    ...evidenceProblems(typed),
  ];
  if (problems.length > 0) throw invalidInput(problems);
  if (flags.evidence !== undefined) checkEvidenceFolder(flags.evidence, session.context.uid);
  permitEach('createInvitation', asked.references, session);
  const joiners =
    asked.file === undefined
      ? namedOnLine(asked.references, given, session)
      : await unsent(readJoiners(asked.file, given, flags, session));
  let planned: readonly PlannedJoiner[] = [];
  const plan = async (memory: Recalled) => {
    planned = await planJoiners(joiners, memory, flags, session);
    return planned.map(({ item }) => ({ item, names: [] }));
  };
  const asks = (items: readonly Item[]) =>
    items.length > 1 || items.some((item) => item.steps.length > 0 || makesAdmin(item));
  const begin = async (_: unknown, runId: string) => {
    const notes = notesOn(planned, session);
    return flags.evidence === undefined
      ? { conclude: async () => notes }
      : keepOf(planned, notes, { ...flags, folder: flags.evidence, runId }, session);
  };
  await runJob({ command: COMMAND, asked, flags, plan, asks, begin }, session);
}

/** Keeps evidence around the rows; what is told of them comes first. */
async function keepOf(
  planned: readonly PlannedJoiner[],
  { facts, notes }: ReturnType<typeof notesOn>,
  { folder, runId, reason, ticket }: OnboardFlags & { readonly folder: string; readonly runId: string },
  session: Session,
): Promise<Begun> {
  const about = { job: COMMAND, folder, runId, reason, ticket, cannotTell: [] };
  const begun = await keepAround(planned.flatMap(personIn), about, session);
  return {
    ...begun,
    conclude: async (execution) => {
      const { facts: more, notes: others = [], ...conclusion } = (await begun.conclude?.(execution)) ?? {};
      return { ...conclusion, facts: { ...facts, ...more }, notes: [...notes, ...others] };
    },
  };
}

/** A joiner with the row about them, for the evidence. */
function personIn({ joiner: { email, entry }, person, item }: PlannedJoiner): readonly PersonRows[] {
  if (item.action === 'conflict') return [];
  const { reason, ticket } = (entry?.fields ?? {}) as Partial<Record<string, string>>;
  const { user, invitations = [], name = email } = person ?? {};
  return [
    { email: name, subjectId: user?.id, user: user?.record, invitations, items: [item], reason, ticket },
  ];
}

/** What rows need that nothing is sent for, or why nothing is. A plan that was shown has said it of the others. */
function notesOn(planned: readonly PlannedJoiner[], { globals }: Session) {
  const noted = planned.flatMap(({ item }) =>
    item.reason === undefined || item.action === 'conflict'
      ? []
      : [{ isShown: isPending(item) && globals.yes !== true, text: `${item.name}: ${item.reason}.` }],
  );
  return {
    facts: noted.length === 0 ? {} : { notes: noted.map(({ text }) => text) },
    notes: noted.filter(({ isShown }) => !isShown).map(({ text }) => text),
  };
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
