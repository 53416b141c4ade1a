import { settleCreations } from '../../change/creation-rules.ts';
import { sinceText } from '../../change/existing.ts';
import { withRunFlags } from '../../change/flags.ts';
import { type Item, isPending, itemFor, makesAdmin } from '../../change/item.ts';
import { serviceLine } from '../../change/lines.ts';
import { listingOf, orMissing } from '../../change/listing.ts';
import { type PeopleContext, planInvitation } from '../../change/match.ts';
import { createResolver, readRoles, roleProblems } from '../../change/named.ts';
import { wordProblems } from '../../change/resolve.ts';
import { mapEach, READERS } from '../../change/workers.ts';
import { type Entry, type PlaceProblem, placeText, shownEntry } from '../../files/entry.ts';
import type { PeopleColumn, PersonRow } from '../../files/people-file.ts';
import type { Recalled } from '../../journal/history.ts';
import { adminFlag, roleFields, shownProperties } from '../../model/access.ts';
import { rolesAt } from '../../model/access-change.ts';
import { userSteps } from '../../model/diff.ts';
import { CliError, type Detail, detailsFor, ExitCode, invalidInput } from '../../model/errors.ts';
import { roleProblem } from '../../model/kinds.ts';
import type { Context } from '../../model/ports.ts';
import { andList, counted, emailProblem, textProblem } from '../../model/text.ts';
import { factsFrom, sameAddress } from '../../people/facts.ts';
import { type Access, accessLike, accessText, byRoles } from '../../people/onboard.ts';
import { aboutRecord, sameCommand } from '../../print/text.ts';
import { takes } from '../../service/dialect.ts';
import { collectList, serviceCommand } from '../../session/command-line.ts';
import { type Session, withSession } from '../../session/session.ts';
import { unlessForbidden } from '../auth/current.ts';
import { type Asked, type JobPlan, type NamedPerson, readNamed, runJob, withEvidenceFlags } from '../job.ts';
import { entryProblems, idList, openIdCheck } from '../options.ts';
import { userItem } from '../users/access.ts';
import { hintUserList, referenceProblem } from '../users/reference.ts';
import { openPeople, type Person, personRows, rowProblem, type User } from './records.ts';

/** `people onboard [email...]`: invite people who join, or give them access if they have a user. */
export function onboardPeople(context: Context) {
  const command = serviceCommand('onboard', 'writes', [
    'people onboard mia@example.com --role Housekeeping --properties BER,VIE',
    'people onboard mia@example.com --like anna@example.com --at BER',
    'people onboard --file joiners.csv --yes',
  ])
    .exitsWith('ambiguous', 'partlyDone')
    .summary('give access to people who join')
    .description('Invite people who join, or enable their user and add properties to it.')
    .argument('[email...]', 'full e-mail address')
    .option('--role <names>', 'role, or in dialect apaleo roles: FrontDesk,Auditor', collectList)
    .option('--properties <ids>', 'properties: BER,VIE', collectList)
    .option('--property <ids>', 'same as --properties', collectList)
    .option('--like <email>', 'roles and properties of a colleague, not full access')
    .option('--at <ids>', 'of --like, only these properties: BER', collectList)
    .option('--file <path>', 'people from a file: email, role, properties or like');
  return withRunFlags(withEvidenceFlags(command)).action(
    withSession(context, async (session, references, { file, ...flags }) => {
      await onboard(session, { references, file }, flags);
    }),
  );
}

/**
 * Gives people access: invites those who have no user, enables those who are disabled, and adds the properties that users lack.
 * Roles of users cannot be set, so those that they lack are named.
 *
 * @throws {CliError} exit 2 for a line or file that does not say what to give; exit 3, 6 or 12 for people on the command line
 *   who cannot get it; what `runJob` throws.
 */
async function onboard(session: Session, asked: Asked, flags: OnboardFlags): Promise<void> {
  const given = wantedBy(flags);
  const problems = [
    ...wordProblems(asked.references, (word) => detailsFor('email', emailProblem(word))),
    ...(await flagProblems(flags, session)),
  ];
  const job = { command: 'people onboard', asked, flags } as const;
  const naming = { ...job, kind: 'invitation', columns, problems, permits: 'createInvitation' } as const;
  const judge = (fields: PersonRow['fields']) => problemsOfRow(wantedIn(fields) ?? given);
  const unknownNames = async (rows: readonly PersonRow[]) => (await namesIn(rows, session)).problems;
  const { people } = await readNamed({ ...naming, judge, unknownNames }, session);
  const joiners =
    asked.file === undefined ? onLine(people, given, session.context.argv) : inFile(people, given);
  const plan = (memory: Recalled) => planJoiners(joiners, memory, session);
  await runJob({ ...job, plan, asks }, session);
}

/** A single invitation, or the properties of a user, need no question. */
function asks(items: readonly Item[]): boolean {
  return items.length > 1 || items.some((item) => item.steps.length > 0 || makesAdmin(item));
}

/** The flags of `people onboard`, as typed. */
type OnboardFlags = Omit<ReturnType<ReturnType<typeof onboardPeople>['opts']>, 'file'>;

/** Those of a file. */
const columns: readonly PeopleColumn[] = [
  { name: 'email', isNeeded: true, isUnique: true, problem: emailProblem },
  { name: 'role', problem: roleProblem },
  { name: 'roles', problem: roleProblem },
  { name: 'properties', problem: textProblem },
  { name: 'like', problem: referenceProblem },
  { name: 'at', problem: textProblem },
  { name: 'reason' },
  { name: 'ticket' },
];

/** What the flags give; `undefined` if they give nothing. */
function wantedBy({ role = [], properties, property, like, at = [] }: OnboardFlags): Wanted | undefined {
  const ids = idList(properties, property) ?? [];
  if (role.length + ids.length === 0 && like === undefined) return undefined;
  return { roles: [...new Set(role)], properties: ids, like, at };
}

/** The problems of the flags. */
async function flagProblems(
  { role, properties, property, like, at }: OnboardFlags,
  { api }: Session,
): Promise<readonly Detail[]> {
  const check = await openIdCheck(idList(properties, property, at) ?? [], api);
  const isBoth = like !== undefined && (role ?? properties ?? property) !== undefined;
  return [
    ...entryProblems('--role', role, roleProblem),
    ...entryProblems('--properties', idList(properties), check),
    ...entryProblems('--property', idList(property), check),
    ...entryProblems('--at', at, check),
    ...detailsFor('--like', like === undefined ? undefined : referenceProblem(like)),
    ...detailsFor('--like', isBoth ? BOTH : undefined),
    ...detailsFor('--at', at !== undefined && like === undefined ? 'is for --like' : undefined),
  ];
}

const BOTH = 'takes over roles and properties: give it without them';

/** What everybody of a file is to get: what the row says, or else the flags. */
function inFile(people: readonly NamedPerson[], given: Wanted | undefined): readonly Joiner[] {
  return people.flatMap((person) => {
    const wanted = (person.entry && wantedIn(person.entry.fields)) ?? given;
    return wanted === undefined ? [] : [{ ...person, wanted }];
  });
}

/** What those of the line are to get, each once. @throws {CliError} exit 2 if nothing says it. */
function onLine(people: readonly NamedPerson[], wanted: Wanted | undefined, argv: readonly string[]) {
  if (wanted !== undefined && (wanted.like ?? wanted.properties[0]) !== undefined) {
    const isFirst = ({ reference }: NamedPerson, index: number) =>
      people.findIndex((each) => sameAddress(each.reference, reference)) === index;
    return people.filter(isFirst).map((person) => ({ ...person, wanted }));
  }
  const missing = [...(wanted === undefined ? ['--role'] : []), '--properties'];
  throw invalidInput(
    missing.map((field) => ({ field, reason: 'is missing' })),
    sameCommand(argv, ...missing.flatMap((flag) => [flag, flag === '--role' ? 'ROLE' : 'IDS'])),
  );
}

/** What a row says; `undefined` if nothing. */
function wantedIn(fields: Entry['fields']): Wanted | undefined {
  const { role = [], roles = [], properties = [], like, at = '' } = fields as Partial<PersonRow['fields']>;
  return wantedBy({
    role: [role, roles].flat(),
    properties: [properties].flat(),
    ...(like && { like: String(like) }),
    at: [at].flat().flatMap((each) => (each === '' ? [] : collectList(each, undefined))),
  });
}

function problemsOfRow(wanted: Wanted | undefined): readonly PlaceProblem[] {
  if (wanted?.like !== undefined)
    return wanted.roles.length + wanted.properties.length > 0 ? [{ field: 'like', reason: BOTH }] : [];
  if (wanted === undefined || wanted.properties.length === 0)
    return [{ field: 'properties', reason: 'is missing: give role and properties, or like' }];
  return wanted.at.length > 0 ? [{ field: 'at', reason: 'is for like' }] : [];
}

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

/**
 * What names in rows mean.
 *
 * @returns the ids of the properties of each; `problems`: the roles and properties that the service does not have, as far as it
 *   answers.
 */
export async function namesIn(rows: readonly PersonRow[], { api, out }: Session) {
  const entries = rows.map(({ place, fields }): Entry => ({ kind: 'invitation', name: '', place, fields }));
  const resolve = createResolver(await listingOf('property', '', api).catch(() => undefined), []);
  const roles = await readRoles(entries, api, out.warn);
  const problems = entries.flatMap((entry) => [
    ...detailsFor(`${placeText(entry.place)}: properties`, resolve(entry).problem),
    ...roleProblems(entry, [], roles).map((reason) => ({ field: `${placeText(entry.place)}: role`, reason })),
  ]);
  return { ids: entries.map((entry) => resolve(entry).ids ?? []), problems };
}

/** The row about a person, and what the account has of them; `undefined` if it has nothing. */
interface Planned {
  readonly item: Item;
  readonly person: Person | undefined;
}

async function planJoiner({ reference: email, wanted, entry }: Joiner, planning: Planning): Promise<Planned> {
  const { like } = wanted;
  const access = like === undefined ? wanted : await copy(like, wanted, planning);
  const person = await orMissing(planning.people.find(email));
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
