import { settleCreations } from '../../change/creation-rules.ts';
import { sinceText } from '../../change/existing.ts';
import { type Item, isPending, itemFor } from '../../change/item.ts';
import type { Recalled } from '../../change/journal/history.ts';
import { type ServiceChoice, serviceLine } from '../../change/lines.ts';
import { listingOf } from '../../change/listing.ts';
import { type PeopleContext, planInvitation } from '../../change/match.ts';
import { createResolver, readRoles } from '../../change/named.ts';
import { mapEach } from '../../change/workers.ts';
import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Session } from '../../cli/session.ts';
import { type Entry, shownEntry } from '../../files/entry.ts';
import { roleFields, shownProperties } from '../../model/access.ts';
import { userSteps } from '../../model/diff.ts';
import { andList } from '../../model/text.ts';
import { factsFrom } from '../../people/facts.ts';
import { type Access, accessLike, accessText, grantTo, type Refusal } from '../../people/onboard.ts';
import { aboutRecord, sameCommand } from '../../print/text.ts';
import { takes } from '../../service/dialect.ts';
import { unlessForbidden } from '../auth/probe.ts';
import type { JobPlan } from '../job.ts';
import { userItem } from '../users/access.ts';
import { hintUserList } from '../users/reference.ts';
import type { Joiner, Wanted } from './onboard.ts';
import { openPeople, type Person, personRows, rowProblem, type User } from './records.ts';

const WORKERS = 4;

/** The row about a person, and what the account has of them; `undefined` if it has nothing. */
interface Planned {
  readonly item: Item;
  readonly person: Person | undefined;
}

/** Plans what each of them lacks. @throws {CliError} for people on the command line who cannot get it; nothing was sent. */
export async function planJoiners(
  joiners: readonly Joiner[],
  memory: Recalled,
  session: Session,
): Promise<JobPlan> {
  const { api, context, out } = session;
  const people = await openPeople(session);
  // Without the list, references are taken as ids.
  const resolve = createResolver(await listingOf('property', '', api).catch(unlessForbidden), []);
  const entries = joiners.map(({ reference, wanted }) =>
    shownEntry('invitation', reference, roleFields(wanted.roles)),
  );
  const roles = await readRoles(entries, api, out.warn);
  const { clock, argv } = context;
  const options = { memory, honoursKeys: api.trustsKeys, now: clock.now };
  const planning = { api, options, resolve, roles, people, globals: session.globals, argv };
  const planned = await mapEach(joiners, WORKERS, async (joiner) => {
    const { item: wanted, person } = await planJoiner(joiner, planning).catch(conflictOf(joiner));
    const [item = wanted] = await settleCreations([wanted], api, options);
    return { ...joiner, person, row: { item: { ...item, entry: joiner.entry }, names: [] } };
  });
  const items = planned.map(({ row }) => row.item);
  refuseConflicts(items.filter(({ entry }) => entry === undefined));
  const possible = planned.filter(({ row }) => row.item.action !== 'conflict');
  return {
    rows: planned.map(({ row }) => row),
    people: possible.map((each) => personRows(each, [each.row])),
    conclusion: notesOn(
      possible.map(({ row }) => row.item),
      session,
    ),
  };
}

/** What rows need that nothing is sent for, or why nothing is. A plan that was shown has said it of the others. */
function notesOn(items: readonly Item[], { globals }: Session) {
  const noted = items.filter(({ reason }) => reason !== undefined);
  const textsOf = (some: readonly Item[]) => some.map(({ name, reason }) => `${name}: ${reason}.`);
  return {
    facts: noted.length === 0 ? {} : { notes: textsOf(noted) },
    notes: textsOf(noted.filter((item) => !isPending(item) || globals.yes === true)),
  };
}

/** What planning a joiner needs. */
interface Planning extends Omit<PeopleContext, 'listings'> {
  readonly people: Awaited<ReturnType<typeof openPeople>>;
  readonly globals: ServiceChoice;
  readonly argv: readonly string[];
}

async function planJoiner({ reference: email, wanted, entry }: Joiner, planning: Planning): Promise<Planned> {
  const { like } = wanted;
  const access = like === undefined ? wanted : await copy(like, wanted, planning);
  const person = await planning.people.find(email).catch(unlessNobody);
  const fields = { email, ...roleFields(access.roles), properties: access.properties };
  const asked: Entry = { ...(entry ?? shownEntry('invitation', email, {})), fields };
  const isChecked = like === undefined;
  const item =
    person?.user === undefined
      ? await planInvited(asked, access, person, isChecked ? planning : { ...planning, roles: undefined })
      : planUser(asked, access, { ...person, user: person.user }, planning);
  return { item, person };
}

/** The access of a colleague. @throws {CliError} exit 3, 6 or 12. */
async function copy(like: string, { at }: Wanted, { people, globals, argv }: Planning): Promise<Access> {
  const { user, invitations } = await people.find(like).catch(hintUserList(globals));
  const records = { users: user === undefined ? [] : [user.record], invitations, properties: [] };
  const access = accessLike(factsFrom({ ...records, invitationDays: undefined, now: 0 }), at);
  if ('problem' in access) throw notCopied(access, argv);
  return access;
}

/** The error about a colleague whose access cannot be copied, with a command line for each part of it that can. */
function notCopied({ problem, choices = [] }: Refusal, argv: readonly string[]): CliError {
  const useful = choices.filter(({ roles }) => roles.length > 0);
  const lines = useful.map(({ properties }) => sameCommand(argv, '--at', properties.join(',')));
  return new CliError('not_copied', `Could not copy access: ${problem}.`, {
    exitCode: ExitCode.refused,
    details: choices.map(({ roles, properties }) => ({
      field: properties.join(', '),
      reason: roles.length === 0 ? 'no role' : roles.join(', '),
    })),
    hint: lines.length === 0 ? undefined : lines.join('\n'),
  });
}

async function planInvited(
  entry: Entry,
  { roles }: Access,
  person: Person | undefined,
  planning: Planning,
): Promise<Item> {
  const { api, globals } = planning;
  const conflict = (reason: string) => itemFor(entry, 'conflict', { reason });
  if (roles.length === 0) return conflict('has no user yet, and an invitation without a role gives nothing');
  if (roles.length > 1 && !takes(api.dialect, 'createInvitation', 'roles'))
    return conflict(`the service takes one role for an invitation, not ${andList(roles)}`);
  const listings = { invitations: async () => person?.invitations ?? [], users: async () => [] };
  const item = await planInvitation(entry, { ...planning, listings });
  if (item.action !== 'same') return item;
  const again = serviceLine(globals, ...aboutRecord('invitations resend', entry.name));
  const since = sinceText(person?.invitations[0]?.['created']);
  return { ...item, reason: `is already invited${since}; to send it again: ${again}` };
}

function planUser(
  entry: Entry,
  { roles, properties }: Access,
  { name, user, invitations }: Person & { readonly user: User },
  { resolve }: Planning,
): Item {
  const { id, record } = user;
  const { ids = [], problem } = resolve({ ...entry, fields: { properties } }, shownProperties(record));
  const grant = grantTo(record, { roles, properties: ids });
  const conflict = (reason: string) => itemFor({ kind: 'user', name }, 'conflict', { id, reason });
  if ('problem' in grant) return conflict(grant.problem);
  if (problem !== undefined) return conflict(typeof problem === 'string' ? problem : problem.message);
  const { enables, added, lacking } = grant;
  const steps = enables ? userSteps({ enabled: true }) : [];
  const lacks = `lacks ${lacking.map(accessText).join('; ')}, which is set in the pages of the service`;
  const reasons = [
    record['is_account_admin'] === true && 'is an account admin, and reaches every property',
    lacking.length > 0 && lacks,
    invitations.length > 0 && 'is invited as well as a user',
  ].filter((reason) => reason !== false);
  const item = userItem(name, user, { steps, addProperties: added });
  const isStuck = item.action === 'same' && lacking.length > 0;
  return {
    ...item,
    ...(isStuck ? { action: 'cannot_change' } : {}),
    reason: reasons.length === 0 ? undefined : reasons.join('; '),
    askedAt: ids,
    isReadBack: true,
  };
}

/** For `catch`: a person of a file who cannot get access is one row in conflict. */
function conflictOf({ reference: name, entry }: Joiner) {
  return (error: unknown): Planned => {
    if (entry === undefined) throw error;
    const reason = rowProblem(error);
    return { item: itemFor({ kind: 'invitation', name }, 'conflict', { reason }), person: undefined };
  };
}

/** @throws {CliError} exit 6: whom the command line names is not one row of many. */
function refuseConflicts(items: readonly Item[]): void {
  const details = items.flatMap(({ name, action, reason = '' }) =>
    action === 'conflict' ? [{ field: name, reason }] : [],
  );
  if (details.length === 0) return;
  const lines = details.map(({ field, reason }) => `${field}: ${reason}`.replace(/[^?]$/, '$&.'));
  throw new CliError('conflict', [...lines, 'Nothing was sent.'].join(details.length > 1 ? '\n' : ' '), {
    exitCode: ExitCode.refused,
    details,
  });
}

function unlessNobody(error: unknown): undefined {
  if (!(error instanceof CliError) || error.code !== 'not_found') throw error;
}
