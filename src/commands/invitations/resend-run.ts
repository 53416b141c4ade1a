import { isInDoubt, isoText, mayShowLater } from '../../change/creation-rules.ts';
import { withRunFlags } from '../../change/flags.ts';
import { permitEach } from '../../change/guards.ts';
import { type Item, itemFor } from '../../change/item.ts';
import { serviceLine } from '../../change/lines.ts';
import { type PlanApi, type PlanOptions, readListing } from '../../change/listing.ts';
import { resolveAll, wordProblems } from '../../change/resolve.ts';
import { type Entry, shownEntry } from '../../files/entry.ts';
import type { Past, Recalled } from '../../journal/history.ts';
import { CliError, ExitCode } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import { counted, heldEmailProblem, sameName } from '../../model/text.ts';
import { invitationFrom } from '../../service/invitations.ts';
import { serviceCommand } from '../../session/command-line.ts';
import { type Session, withSession } from '../../session/session.ts';
import { type Asked, type JobFlags, type JobPlan, type NamedPerson, readNamed, runJob } from '../job.ts';
import { addressProblems, invitations } from './delete.ts';

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
  const found = people[0]?.entry !== undefined ? items : await named(people, items, session);
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
  return resolveAll(
    words,
    invitations,
    { find, idOf: ({ name }) => sameName(name), isNameless: true, isJob: true },
    session,
  );
}

/** What planning to send invitations again needs of a run. */
type ResendOptions = Pick<PlanOptions, 'memory' | 'runId' | 'now'>;

/**
 * Plans to withdraw invitations and invite again with the same content. An invitation that an earlier run withdrew is created
 * from the journal.
 *
 * @param entries invitations, of which only the address counts.
 * @throws {CliError} `incomplete_list`.
 */
async function planResends(
  entries: readonly Entry[],
  api: Pick<PlanApi, 'dialect' | 'invitations' | 'users' | 'properties'>,
  options: ResendOptions,
): Promise<readonly Item[]> {
  const invitations = await readListing('invitation', api.invitations.listAll());
  // Somebody who is a user cannot be invited again.
  const users = await readListing('user', api.users.listAll());
  const hotels = await hotelsOf(
    entries.flatMap(({ name }) => invitations.withName(name)),
    api,
  );
  return entries.map((entry) => {
    const before = options.memory.recall('invitation', entry.name);
    const listed = invitations.withName(entry.name);
    const isUser = users.withName(entry.name).length > 0;
    const how = { dialect: api.dialect, hotels, ...options };
    if (listed.length > 0) return planListed(entry, listed, isUser, before, how);
    return planUnlisted(entry, isUser, before, options);
  });
}

interface ListedOptions extends ResendOptions, Pick<PlanApi, 'dialect'> {
  readonly hotels: ReadonlySet<unknown>;
}

/** The ids and codes of all properties, read only if an invitation gives some: none that is gone can be given again. */
async function hotelsOf(
  invitations: readonly ServiceRecord[],
  { properties, dialect }: Pick<PlanApi, 'dialect' | 'properties'>,
): Promise<ReadonlySet<unknown>> {
  const isNeeded = invitations.some(({ properties: ids }) => Array.isArray(ids) && ids.length > 0);
  if (!isNeeded) return new Set();
  const hotels = await readListing('property', properties.listAll(dialect.withArchived));
  return new Set(hotels.records().flatMap(({ id, code }) => [id, code]));
}

function planListed(
  entry: Entry,
  listed: readonly ServiceRecord[],
  isUser: boolean,
  before: Past | undefined,
  { dialect, hotels, runId }: ListedOptions,
): Item {
  const [record = {}] = listed;
  const creation = before?.creation;
  const isSent = creation?.sent.run === runId && creation?.sent.start.command === 'invitations resend';
  if (creation !== undefined && (isSent || isInDoubt(before)))
    return itemFor(entry, 'same', { entry, reason: `was sent again at ${isoText(creation.lastAt)}` });
  const conflict = (why: string) => itemFor(entry, 'conflict', { entry, reason: why });
  if (isUser) return conflict('has a user already and cannot be invited again: withdraw the invitation');
  if (listed.length > 1) return conflict(`has ${listed.length} invitations: withdraw them and invite again`);
  const body = invitationFrom(record, dialect);
  if (typeof body === 'string') return conflict(`${body}: withdraw it and invite again`);
  const gone = body.properties?.filter((each) => !hotels.has(each)) ?? [];
  if (gone.length > 0) return conflict(`gives properties that are gone: ${gone.join(', ')}`);
  const { created } = record;
  const day = typeof created === 'string' ? ` of ${created.slice(0, 10)}` : '';
  const more = { reason: `sent again: the invitation${day} is withdrawn first`, resends: 'listed' } as const;
  return itemFor({ kind: 'invitation', name: body.email }, 'create', { entry, body, ...more });
}

/** Nothing shows it: an earlier run withdrew it, or it may have been sent, and sending it now is a second mail. */
function planUnlisted(entry: Entry, isUser: boolean, past: Past | undefined, { now }: ResendOptions): Item {
  const withdrawn = past?.withdrawn;
  const mailed = mayShowLater(past, now()) ? past.creation : undefined;
  const perhaps = mailed?.row.after;
  const body = withdrawn?.body ?? (isRecord(perhaps) ? perhaps : undefined);
  if (body === undefined) return missing(entry, isUser);
  if (isUser) return itemFor(entry, 'same', { entry, reason: 'has accepted it and is a user now' });
  const reason =
    mailed === undefined
      ? `sent again: run ${withdrawn?.run} withdrew it`
      : `sent again: a mail may have gone out at ${isoText(mailed.lastAt)}, so that a second one is possible`;
  const isMailed = mailed === undefined ? undefined : true;
  const resends = withdrawn === undefined ? undefined : 'withdrawn';
  const name = String(body['email'] ?? entry.name);
  return itemFor({ kind: 'invitation', name }, 'create', { entry, body, reason, isMailed, resends });
}

function missing(entry: Entry, isUser: boolean): Item {
  const why = isUser ? 'has a user already' : 'has no invitation';
  const error = new CliError('not_found', `${entry.name} ${why}.`, { exitCode: ExitCode.notFound });
  return itemFor(entry, 'conflict', { entry, reason: why, error });
}

/**
 * `invitations resend [email...]`: withdraw invitations, and invite again with the same content.
 *
 * DELETE and POST /api/v1/invitations: no operation sends a mail again.
 */
export function resendInvitations(context: Context) {
  const command = serviceCommand('resend', 'destroys', [
    'invitations resend paul@example.com',
    'invitations resend paul@example.com mia@example.com --yes',
    'invitations resend --file people.csv --dry-run',
  ])
    .exitsWith('partlyDone')
    .summary('send invitations again')
    .description(
      'Withdraw invitations and invite again with the same content: a new mail, with a new link. The content is kept in the ' +
        'journal until then: run the same command again to finish an interrupted run.',
    )
    .argument('[email...]', 'invited e-mail address')
    .option(
      '--file <path>',
      'people from a file with a column email (.csv, .xlsx, .yaml, .json, .ndjson); - for stdin',
    );
  return withRunFlags(command).action(
    withSession(context, async (session, references, { file, ...flags }) => {
      const { resend } = await import('./resend-run.ts');
      await resend(session, { references, file }, flags);
    }),
  );
}
