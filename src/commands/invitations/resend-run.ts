import { detailsFor, invalidInput } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import { nearestAddress } from '../../model/names.ts';
import { heldEmailProblem } from '../../model/segment.ts';
import { counted, sameName } from '../../model/text.ts';
import { type Entry, shownEntry } from '../../seed/entry.ts';
import type { Item } from '../../seed/item.ts';
import type { Recalled } from '../../seed/journal.ts';
import { planResends } from '../../seed/plan-resend.ts';
import { unsent } from '../apply/run.ts';
import { serviceLine } from '../lines.ts';
import { type Asked, type JobFlags, refuseUnclear, runJob } from '../several/journalled.ts';
import { resolveAll, wordProblems } from '../several/resolve.ts';
import { permitEach } from '../several/run.ts';

const COMMAND = 'invitations resend';

const columns = [{ name: 'email', isNeeded: true, isUnique: true, problem: heldEmailProblem }] as const;

/**
 * Withdraws invitations and invites again. What an earlier run withdrew and did not send again is in the journal, which all
 * command lines share.
 *
 * @throws {CliError} exit 3 with all addresses that are not invited; what `runJob` throws.
 */
export async function resend(session: Session, asked: Asked, flags: JobFlags): Promise<void> {
  const { api, context } = session;
  const { references, file } = asked;
  refuseUnclear(asked, flags, COMMAND);
  const problems = wordProblems(references, (email) => detailsFor('email', heldEmailProblem(email)));
  if (problems.length > 0) throw invalidInput(problems);
  api.permit('createInvitation');
  const entries =
    file === undefined ? references.map(entryOf) : await unsent(entriesIn(file, flags, session));
  const addresses = entries.map(({ name }) => name);
  permitEach('deleteInvitation', addresses, session);
  const isAsked = new Set(addresses.map(sameName));
  const plan = async (memory: Recalled) => {
    const { runId = memory.runId, resendUnknown } = flags;
    const left = memory.kept().flatMap(({ name }) => (isAsked.has(sameName(name)) ? [] : [entryOf(name)]));
    const options = { memory, runId, resendUnknown, now: context.clock.now };
    const planned = await planResends([...entries, ...left], api, options);
    await warnOfLeft(planned.slice(entries.length), session);
    const items = planned.slice(0, entries.length);
    const found = file === undefined ? await named(references, items, session) : items;
    return found.map((item) => ({ item, names: [] }));
  };
  const shared = { sharesJournal: true, finishesRows: true };
  await runJob({ command: COMMAND, asked, flags, plan, ...shared }, session);
}

function entryOf(email: string): Entry {
  return shownEntry('invitation', email, { email });
}

async function entriesIn(
  file: string,
  { map }: JobFlags,
  { context, out }: Session,
): Promise<readonly Entry[]> {
  const { readPeople } = await import('../../seed/people-file.ts');
  const rows = await readPeople(file, columns, { context, map, warn: out.warn });
  return rows.map((row) => ({ kind: 'invitation', name: String(row.fields['email']), ...row }));
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
  references: readonly string[],
  items: readonly Item[],
  { api, globals }: Session,
): Promise<readonly Item[]> {
  const planned = new Map(references.map((email, index) => [email, items[index]]));
  return resolveAll(references, {
    noun: ['invitation', 'invitations'],
    find: async (email) => {
      const item = planned.get(email);
      if (item === undefined) throw new Error('every reference is planned');
      if (item.error?.code === 'not_found') throw item.error;
      // It is in no file.
      return { ...item, entry: undefined };
    },
    idOf: ({ name }) => sameName(name),
    misspelt: { resource: api.invitations, fields: ['email'], pick: nearestAddress },
    list: serviceLine(globals, 'invitations', 'list'),
  });
}
