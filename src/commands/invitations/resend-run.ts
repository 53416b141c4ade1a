import type { Session } from '../../cli/session.ts';
import { heldEmailProblem } from '../../model/segment.ts';
import { counted, sameName } from '../../model/text.ts';
import { type Entry, shownEntry } from '../../seed/entry.ts';
import type { Recalled } from '../../seed/history.ts';
import type { Item } from '../../seed/item.ts';
import { planResends } from '../../seed/plan-resend.ts';
import { serviceLine } from '../lines.ts';
import {
  type Asked,
  isOfFile,
  type JobFlags,
  type JobPlan,
  type NamedPerson,
  readNamed,
  runJob,
} from '../several/journalled.ts';
import { resolveAll, wordProblems } from '../several/resolve.ts';
import { permitEach } from '../several/run.ts';
import { addressProblems, invitations } from './reference.ts';

const COMMAND = 'invitations resend';

const columns = [{ name: 'email', isNeeded: true, isUnique: true, problem: heldEmailProblem }] as const;

/**
 * Withdraws invitations and invites again. What an earlier run withdrew and did not send again is in the journal, which all
 * command lines share.
 *
 * @throws {CliError} exit 3 with all addresses that are not invited; what `runJob` throws.
 */
export async function resend(session: Session, asked: Asked, flags: JobFlags): Promise<void> {
  const job = { command: COMMAND, asked, flags } as const;
  const problems = wordProblems(asked.references, addressProblems);
  const naming = { ...job, kind: 'invitation', columns, problems, permits: 'createInvitation' } as const;
  const { people } = await readNamed(naming, session);
  const addresses = people.map(({ reference }) => reference);
  permitEach('deleteInvitation', addresses, session);
  const plan = (memory: Recalled) => planNamed(people, memory, flags, session);
  await runJob({ ...job, plan, isOnlyInJournal: true }, session);
}

async function planNamed(
  people: readonly NamedPerson[],
  memory: Recalled,
  { runId = memory.runId }: JobFlags,
  session: Session,
): Promise<JobPlan> {
  const { api, context } = session;
  const entries = people.map(({ reference, entry }) => entry ?? entryOf(reference));
  const isAsked = new Set(entries.map(({ name }) => sameName(name)));
  const left = memory.kept().flatMap(({ name }) => (isAsked.has(sameName(name)) ? [] : [entryOf(name)]));
  const options = { memory, runId, now: context.clock.now };
  const planned = await planResends([...entries, ...left], api, options);
  await warnOfLeft(planned.slice(entries.length), session);
  const items = planned.slice(0, entries.length);
  const mailed = items.flatMap(({ name, isMailed }) => (isMailed === true ? [name] : []));
  if (mailed.length > 0) await session.out.warn(`A second mail is possible: ${mailed.join(', ')}.`);
  const found = isOfFile(people) ? items : await named(people, items, session);
  return { rows: found.map((item) => ({ item, names: [] })) };
}

function entryOf(email: string): Entry {
  return shownEntry('invitation', email, { email });
}

/** Warns of invitations that an earlier run withdrew, and that this one does not send. */
async function warnOfLeft(items: readonly Item[], { out, globals }: Session): Promise<void> {
  const left = items.filter(({ resends, action }) => resends === 'withdrawn' || action === 'cannot_tell');
  const names = left.map(({ name }) => name);
  if (names.length === 0) return;
  const line = serviceLine(globals, ...COMMAND.split(' '), ...names);
  await out.warn(
    `An earlier run withdrew ${counted(names.length, 'invitation')} without sending again: ${line}`,
  );
}

/** The items that the command line names, each once. @throws {CliError} with all addresses that are not invited. */
async function named(
  people: readonly NamedPerson[],
  items: readonly Item[],
  session: Session,
): Promise<readonly Item[]> {
  const words = people.map(({ reference }) => reference);
  const planned = new Map(words.map((email, index) => [email, items[index]]));
  const find = async (email: string) => {
    const item = planned.get(email);
    if (item === undefined) throw new Error('every reference is planned');
    if (item.error?.code === 'not_found') throw item.error;
    // It is in no file.
    return { ...item, entry: undefined };
  };
  return resolveAll(words, invitations, { find, idOf: ({ name }) => sameName(name) }, session);
}
