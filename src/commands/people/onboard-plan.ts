import { settleCreations } from '../../change/creation-rules.ts';
import { sinceText } from '../../change/existing.ts';
import { type Item, isPending, itemFor } from '../../change/item.ts';
import { serviceLine } from '../../change/lines.ts';
import { listingOf } from '../../change/listing.ts';
import { type PeopleContext, planInvitation } from '../../change/match.ts';
import { createResolver, readRoles, roleProblems } from '../../change/named.ts';
import { mapEach, READERS } from '../../change/workers.ts';
import { type Entry, placeText, shownEntry } from '../../files/entry.ts';
import type { PersonRow } from '../../files/people-file.ts';
import type { Recalled } from '../../journal/history.ts';
import { adminFlag, roleFields, shownProperties } from '../../model/access.ts';
import { rolesAt } from '../../model/access-change.ts';
import { userSteps } from '../../model/diff.ts';
import { CliError, detailsFor } from '../../model/errors.ts';
import { ExitCode } from '../../model/exit-codes.ts';
import { andList, counted } from '../../model/text.ts';
import { factsFrom } from '../../people/facts.ts';
import { type Access, accessLike, accessText, byRoles } from '../../people/onboard.ts';
import { aboutRecord, sameCommand } from '../../print/text.ts';
import { takes } from '../../service/dialect.ts';
import type { Session } from '../../session/session.ts';
import { unlessForbidden } from '../auth/current.ts';
import type { JobPlan, NamedPerson } from '../job.ts';
import { userItem } from '../users/access.ts';
import { hintUserList } from '../users/reference.ts';
import { openPeople, type Person, personRows, rowProblem, type User } from './records.ts';

/** What somebody is to get: roles at properties, or the access of a colleague. */
export interface Wanted extends Access {
  readonly like?: string | undefined;
  /** Of the colleague, only these properties; empty for all. */
  readonly at: readonly string[];
}

/** Somebody to onboard. */
export interface Joiner extends NamedPerson {
  readonly wanted: Wanted;
}

/** What planning a joiner needs. */
interface Planning extends Omit<PeopleContext, 'listings'> {
  readonly people: Awaited<ReturnType<typeof openPeople>>;
  readonly session: Session;
}

/** Plans what each of them lacks. @throws {CliError} for people on the command line who cannot get it; nothing was sent. */
export async function planJoiners(
  joiners: readonly Joiner[],
  memory: Recalled,
  session: Session,
): Promise<JobPlan> {
  const { api, context, out, globals } = session;
  const people = await openPeople(session);
  // Without the list, references are taken as ids.
  const resolve = createResolver(await listingOf('property', '', api).catch(unlessForbidden), []);
  const entries = joiners.map(({ reference, wanted }) =>
    shownEntry('invitation', reference, roleFields(wanted.roles)),
  );
  const roles = await readRoles(entries, api, out.warn);
  const options = { memory, honoursKeys: api.trustsKeys, now: context.clock.now };
  const planning = { api, options, resolve, roles, people, session };
  const planned = await mapEach(joiners, READERS, async (joiner) => {
    const { item: wanted, person } = await planJoiner(joiner, planning).catch(conflictOf(joiner));
    const [item = wanted] = await settleCreations([wanted], api, options);
    return { ...joiner, person, row: { item: { ...item, entry: joiner.entry }, names: [] } };
  });
  refuseConflicts(planned.flatMap(({ row, entry }) => (entry === undefined ? row.item : [])));
  const possible = planned.filter(({ row }) => row.item.action !== 'conflict');
  const noted = possible.map(({ row }) => row.item).filter(({ reason }) => reason !== undefined);
  const textsOf = (items: readonly Item[]) => items.map(({ name, reason }) => `${name}: ${reason}.`);
  return {
    rows: planned.map(({ row }) => row),
    people: possible.map((each) => personRows(each, [each.row])),
    conclusion: {
      facts: noted.length === 0 ? {} : { notes: textsOf(noted) },
      // A plan that was shown has said it of the others.
      notes: textsOf(noted.filter((item) => !isPending(item) || globals.yes === true)),
    },
  };
}

/** The roles and properties of rows that the service does not have, as far as it answers. */
export async function unknownIn(rows: readonly PersonRow[], { api, out }: Session) {
  const entries = rows.map(({ place, fields }): Entry => ({ kind: 'invitation', name: '', place, fields }));
  const resolve = createResolver(await listingOf('property', '', api).catch(() => undefined), []);
  const roles = await readRoles(entries, api, out.warn);
  return entries.flatMap((entry) => [
    ...detailsFor(`${placeText(entry.place)}: properties`, resolve(entry).problem),
    ...roleProblems(entry, [], roles).map((reason) => ({ field: `${placeText(entry.place)}: role`, reason })),
  ]);
}

/** The row about a person, and what the account has of them; `undefined` if it has nothing. */
interface Planned {
  readonly item: Item;
  readonly person: Person | undefined;
}

async function planJoiner({ reference: email, wanted, entry }: Joiner, planning: Planning): Promise<Planned> {
  const { like } = wanted;
  const access = like === undefined ? wanted : await copy(like, wanted, planning);
  const person = await planning.people.find(email).catch(unlessNobody);
  const fields = { email, ...roleFields(access.roles), properties: access.properties };
  const asked: Entry = { ...(entry ?? shownEntry('invitation', email, {})), fields };
  const roles = like === undefined ? planning.roles : undefined;
  const item =
    person?.user === undefined
      ? await planInvited(asked, access, person, { ...planning, roles })
      : planUser(asked, access, { ...person, user: person.user }, planning);
  return { item, person };
}

/** The access of a colleague. @throws {CliError} exit 3, 6 or 12; with a command line for each part of it that can be copied. */
async function copy(like: string, { at }: Wanted, { people, session }: Planning): Promise<Access> {
  const { globals, context } = session;
  const { user, invitations } = await people.find(like).catch(hintUserList(globals));
  const records = { users: user === undefined ? [] : [user.record], invitations, properties: [] };
  const access = accessLike(factsFrom({ ...records, invitationDays: undefined, now: 0 }), at);
  if (!('problem' in access)) return access;
  const { problem, choice } = access;
  throw new CliError('not_copied', `Could not copy access: ${problem}.`, {
    exitCode: ExitCode.refused,
    hint: choice && sameCommand(context.argv, '--at', choice.properties.join(',')),
  });
}

async function planInvited(
  entry: Entry,
  { roles }: Access,
  person: Person | undefined,
  planning: Planning,
): Promise<Item> {
  const { api, session } = planning;
  const conflict = (reason: string) => itemFor(entry, 'conflict', { reason });
  if (roles.length === 0) return conflict('has no user yet, and an invitation without a role gives nothing');
  if (roles.length > 1 && !takes(api.dialect, 'createInvitation', 'roles'))
    return conflict(`the service takes one role for an invitation, not ${andList(roles)}`);
  const listings = { invitations: async () => person?.invitations ?? [], users: async () => [] };
  const item = await planInvitation(entry, { ...planning, listings });
  if (item.action !== 'same') return item;
  const again = serviceLine(session.globals, ...aboutRecord('invitations resend', entry.name));
  const since = sinceText(person?.invitations[0]?.['created']);
  return { ...item, reason: `is already invited${since}; to send it again: ${again}` };
}

/** A user gains properties; the roles that the user lacks are named, because no operation gives them. */
function planUser(
  entry: Entry,
  { roles, properties }: Access,
  { name, user, invitations }: Person & { readonly user: User },
  { resolve }: Planning,
): Item {
  const { id, record } = user;
  const [isDisabled, isAdmin] = [record['enabled'] === false, record[adminFlag] === true];
  const held = shownProperties(record);
  const { ids = [], problem } = resolve({ ...entry, fields: { properties } }, held);
  const conflict = (reason: string) => itemFor({ kind: 'user', name }, 'conflict', { id, reason });
  if (isAdmin && isDisabled) return conflict('is a disabled account admin, who would get full access back');
  if (problem !== undefined) return conflict(problem);
  const asked = isAdmin ? [] : ids;
  const added = asked.filter((each) => !held.includes(each));
  const lacking = asked.map((property) => {
    const now = added.includes(property) ? [] : (rolesAt(record, property) ?? roles);
    return { property, roles: roles.filter((role) => !now.includes(role)) };
  });
  const parts = byRoles(lacking.filter((each) => each.roles.length > 0)).map(accessText);
  const reasons = [
    isAdmin && 'is an account admin, and reaches every property',
    parts.length > 0 && `lacks ${parts.join('; ')}; set roles in the service's web app`,
    invitations.length > 0 && 'is invited as well as a user',
  ].filter((reason) => reason !== false);
  const item = userItem(name, user, {
    steps: isDisabled ? userSteps({ enabled: true }) : [],
    addProperties: added,
  });
  const isStuck = item.action === 'same' && parts.length > 0;
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
  const message = `${counted(details.length, 'person', 'people')} cannot get this access. Nothing was sent.`;
  throw new CliError('conflict', message, { exitCode: ExitCode.refused, details });
}

function unlessNobody(error: unknown): undefined {
  if (!(error instanceof CliError) || error.code !== 'not_found') throw error;
}
