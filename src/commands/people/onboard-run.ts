import { CliError, type Detail, detailsFor, invalidInput, usageError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { collectList } from '../../cli/flags.ts';
import type { Session } from '../../cli/session.ts';
import { roleFields, rolesOf, shownProperties } from '../../model/access.ts';
import { stepOf, userSpec } from '../../model/diff.ts';
import { emailProblem, heldEmailProblem } from '../../model/segment.ts';
import { andList, sameName, textProblem } from '../../model/text.ts';
import { sameCommand } from '../../out/text.ts';
import { factsFrom, sameAddress } from '../../people/facts.ts';
import { type Access, accessLike, accessText, grantTo, type Refusal } from '../../people/onboard.ts';
import { type Entry, type Place, placeText, shownEntry } from '../../seed/entry.ts';
import { type Item, isPending, itemFor, makesAdmin } from '../../seed/item.ts';
import type { Recalled } from '../../seed/journal.ts';
import { readRoles } from '../../seed/match-people.ts';
import type { PeopleColumn } from '../../seed/people-file.ts';
import { createPlanContext } from '../../seed/plan-context.ts';
import { type PeopleContext, planInvitation } from '../../seed/plan-people.ts';
import { indexProperties } from '../../seed/property-index.ts';
import { createResolver } from '../../seed/property-references.ts';
import { eachOf } from '../../seed/workers.ts';
import { takes } from '../../service/dialect.ts';
import { unsent } from '../apply/run.ts';
import { sessionWith } from '../ask.ts';
import { sinceText } from '../creation.ts';
import { withEquivalentLine } from '../lines.ts';
import { entryProblems, idList, openIdCheck } from '../options.ts';
import { type Asked, type JobFlags, refuseUnclear, runJob } from '../several/journalled.ts';
import { wordProblems } from '../several/resolve.ts';
import { permitEach, type Row } from '../several/run.ts';
import { hintUserList } from '../users/reference.ts';
import { openPeople, type Person } from './records.ts';

/** The flags of `people onboard`, as typed. */
export interface OnboardFlags extends JobFlags {
  readonly role?: readonly string[] | undefined;
  readonly properties?: readonly string[] | undefined;
  readonly property?: readonly string[] | undefined;
  readonly like?: string | undefined;
  readonly at?: readonly string[] | undefined;
}

/** What somebody is to get: roles at properties, or the access of a colleague. */
interface Wanted extends Access {
  readonly like?: string | undefined;
  /** Of the colleague, only these properties; empty for all. */
  readonly at: readonly string[];
}

/** Somebody to onboard. */
interface Joiner {
  readonly email: string;
  readonly wanted: Wanted;
  /** The row of a file. */
  readonly entry?: Entry | undefined;
}

const COMMAND = 'people onboard';
const WORKERS = 4;
const LONGEST_ROLE = 100;

const roleProblem = (role: string) => textProblem(role, LONGEST_ROLE);

const columns: readonly PeopleColumn[] = [
  { name: 'email', isNeeded: true, isUnique: true, problem: emailProblem },
  { name: 'role', problem: roleProblem },
  { name: 'roles', problem: roleProblem },
  { name: 'properties', problem: textProblem },
  { name: 'like', problem: heldEmailProblem },
  { name: 'at', problem: textProblem },
];

/**
 * Gives people access: invites those who have no user, enables those who are disabled, and adds the properties that users lack.
 * Roles of users cannot be set, so those that they lack are named.
 *
 * @throws {CliError} exit 2 for a line or file that does not say what to give; exit 3, 6 or 12 for people on the command line
 *   who cannot get it; what `runJob` throws.
 */
export async function onboard(session: Session, asked: Asked, flags: OnboardFlags): Promise<void> {
  refuseUnclear(asked, flags, COMMAND);
  const given = wantedBy(flags);
  if (given === undefined && asked.file === undefined && session.mayAsk())
    return askAndOnboard(session, asked, flags);
  const problems = [
    ...wordProblems(asked.references, problemsOfAddress),
    ...(await flagProblems(flags, session)),
  ];
  if (problems.length > 0) throw invalidInput(problems);
  permitEach('createInvitation', asked.references, session);
  const joiners =
    asked.file === undefined
      ? namedOnLine(asked.references, given, session)
      : await unsent(readJoiners(asked.file, given, flags, session));
  const plan = (memory: Recalled) => planJoiners(joiners, memory, flags, session);
  const asks = (items: readonly Item[]) =>
    items.length > 1 || items.some((item) => item.steps.length > 0 || makesAdmin(item));
  const begin = async (rows: readonly Row[]) => ({ conclude: async () => notesOn(rows, session) });
  await runJob({ command: COMMAND, asked, flags, plan, asks, begin }, session);
}

/** What rows need that nothing is sent for, or why nothing is. A plan that was shown has said it of the others. */
function notesOn(rows: readonly Row[], { globals }: Session) {
  const noted = rows.flatMap(({ item }) =>
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

/** What the flags give; `undefined` if they give nothing. */
function wantedBy({ role = [], properties, property, like, at = [] }: OnboardFlags): Wanted | undefined {
  const ids = idList(properties, property) ?? [];
  if (role.length + ids.length === 0 && like === undefined) return undefined;
  return { roles: [...new Set(role)], properties: ids, like, at };
}

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
    ...detailsFor('--like', like === undefined ? undefined : heldEmailProblem(like)),
    ...detailsFor('--like', isBoth ? BOTH : undefined),
    ...detailsFor('--at', at !== undefined && like === undefined ? 'is for --like' : undefined),
  ];
}

const BOTH = 'takes over roles and properties: give it without them';

/** @throws {CliError} exit 2 if nothing says what to give. */
function namedOnLine(references: readonly string[], wanted: Wanted | undefined, { context }: Session) {
  if (wanted !== undefined && (wanted.like ?? wanted.properties[0]) !== undefined) {
    const isFirst = (email: string, index: number) =>
      references.findIndex((each) => sameAddress(each, email)) === index;
    return references.filter(isFirst).map((email): Joiner => ({ email, wanted }));
  }
  const missing = wanted === undefined ? ['--role', 'ROLE', '--properties', 'IDS'] : ['--properties', 'IDS'];
  const details = missing
    .filter((word) => word.startsWith('-'))
    .map((field) => ({ field, reason: 'is missing' }));
  throw invalidInput(details, sameCommand(context.argv, ...missing));
}

/** The rows of a file; those that do not say what to give get what the flags give. */
async function readJoiners(
  file: string,
  given: Wanted | undefined,
  { map }: OnboardFlags,
  { context, out }: Session,
): Promise<readonly Joiner[]> {
  const { readPeople } = await import('../../seed/people-file.ts');
  const { stdin, signal } = context;
  const rows = await readPeople(file, columns, { stdin, signal, map, warn: out.warn });
  const joiners = rows.map(({ place, fields }) => {
    const { email, role, roles = [], properties = [], like, at = '' } = fields;
    const named = [...new Set([role ?? [], roles].flat())];
    const own = { roles: named, properties: [properties].flat(), like: like && String(like), at: listIn(at) };
    const isGiven = own.roles.length + own.properties.length > 0 || own.like !== undefined;
    const entry: Entry = { kind: 'invitation', name: String(email), place, fields };
    return { email: String(email), wanted: isGiven ? own : given, entry };
  });
  const wrong = joiners.flatMap(({ wanted, entry }) => problemsOfRow(wanted, entry.place));
  if (wrong.length > 0) throw invalidInput(wrong);
  return joiners.flatMap(({ wanted, ...joiner }) => (wanted === undefined ? [] : [{ ...joiner, wanted }]));
}

function listIn(cell: string | readonly string[]): readonly string[] {
  return [cell].flat().flatMap((each) => (each === '' ? [] : collectList(each, undefined)));
}

function problemsOfRow(wanted: Wanted | undefined, place: Place): readonly Detail[] {
  const at = (field: string, reason: string) => detailsFor(`${placeText(place)}: ${field}`, reason);
  if (wanted?.like !== undefined)
    return wanted.roles.length + wanted.properties.length > 0 ? at('like', BOTH) : [];
  if (wanted === undefined || wanted.properties.length === 0)
    return at('properties', 'is missing: give role and properties, or like');
  return wanted.at.length > 0 ? at('at', 'is for like') : [];
}

/** Plans what each of them lacks. @throws {CliError} for people on the command line who cannot get it; nothing was sent. */
async function planJoiners(
  joiners: readonly Joiner[],
  memory: Recalled,
  { resendUnknown }: OnboardFlags,
  session: Session,
): Promise<readonly Row[]> {
  const { api, context, out } = session;
  const { redactor, clock } = context;
  const people = await openPeople(session);
  const resolve = createResolver(await indexProperties(api).catch(unlessForbidden), []);
  const entries = joiners.map(({ email, wanted }) =>
    shownEntry('invitation', email, roleFields(wanted.roles)),
  );
  const roles = await readRoles(entries, api, out.warn);
  // Whom an earlier run invited, and no list shows: the invitation was withdrawn or has run out.
  const options = { memory, resendUnknown, assumeNew: true, prune: false, workers: WORKERS };
  const plan = createPlanContext(api, { ...options, redactor, now: clock.now, warn: out.warn });
  const planning = { ...plan, resolve, roles, people, copy: openCopies(people, session) };
  const items = new Map<Joiner, Item>();
  await eachOf(joiners, WORKERS, async (joiner) => {
    const item = await planJoiner(joiner, planning).catch(conflictOf(joiner));
    items.set(joiner, { ...item, entry: joiner.entry });
  });
  const rows = joiners.flatMap((joiner) => items.get(joiner) ?? []);
  refuseConflicts(rows.filter(({ entry }) => entry === undefined));
  return rows.map((item) => ({ item, names: [] }));
}

/** What planning a joiner needs. */
interface Planning extends Omit<PeopleContext, 'listings'> {
  readonly people: Awaited<ReturnType<typeof openPeople>>;
  readonly copy: ReturnType<typeof openCopies>;
}

async function planJoiner({ email, wanted, entry }: Joiner, planning: Planning): Promise<Item> {
  const { like, at } = wanted;
  const access = like === undefined ? wanted : await planning.copy(like, at);
  const person = await planning.people.find(email).catch(unlessNobody);
  const fields = { email, ...roleFields(access.roles), properties: access.properties };
  const asked: Entry = { ...(entry ?? shownEntry('invitation', email, {})), fields };
  const isChecked = like === undefined;
  return person?.user === undefined
    ? planInvited(asked, access, person, isChecked ? planning : { ...planning, roles: undefined })
    : planUser(asked, access, { ...person, user: person.user }, planning);
}

/** Finds the access of colleagues, each once. */
function openCopies(people: Planning['people'], { context, globals }: Session) {
  const copy = async (like: string, at: readonly string[]): Promise<Access> => {
    const { user, invitations } = await people.find(like).catch(hintUserList(globals));
    const records = { users: user === undefined ? [] : [user.record], invitations, properties: [] };
    const access = accessLike(factsFrom({ ...records, invitationDays: undefined, now: 0 }), at);
    if ('problem' in access) throw notCopied(access, context.argv);
    return access;
  };
  const copies = new Map<string, Promise<Access>>();
  return (like: string, at: readonly string[]): Promise<Access> => {
    const key = JSON.stringify([sameName(like), at]);
    const found = copies.get(key) ?? copy(like, at);
    copies.set(key, found);
    return found;
  };
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

function planInvited(entry: Entry, { roles }: Access, person: Person | undefined, planning: Planning): Item {
  const { people, api } = planning;
  const conflict = (reason: string) => itemFor(entry, 'conflict', { reason });
  if (roles.length === 0) return conflict('has no user yet, and an invitation without a role gives nothing');
  if (roles.length > 1 && !takes(api.dialect, 'createInvitation', 'roles'))
    return conflict(`the service takes one role for an invitation, not ${andList(roles)}`);
  if (person === undefined && people.doubt !== undefined)
    return itemFor(entry, 'cannot_tell', { reason: people.doubt });
  const invited = { withEmail: () => person?.invitations ?? [], doubt: undefined };
  const listings = { invitations: invited, users: { withEmail: () => [], doubt: undefined } };
  const item = planInvitation(entry, { ...planning, listings });
  const isSame = item.action === 'same' || item.action === 'cannot_compare';
  return isSame
    ? { ...item, reason: `is already invited${sinceText(person?.invitations[0]?.['created'])}` }
    : item;
}

function planUser(
  entry: Entry,
  { roles, properties }: Access,
  { name, user: { id, record }, invitations }: Person & { readonly user: NonNullable<Person['user']> },
  { resolve }: Planning,
): Item {
  const about = { kind: 'user', name } as const;
  const {
    ids = [],
    problems,
    unread,
  } = resolve({ ...entry, fields: { properties } }, shownProperties(record));
  if (unread !== undefined) throw unread;
  const grant = grantTo(record, { roles, properties: ids });
  const refused = 'problem' in grant ? [grant.problem] : problems;
  if ('problem' in grant || refused.length > 0)
    return itemFor(about, 'conflict', { id, reason: refused.join('; ') });
  const { enables, added, lacking } = grant;
  const steps = enables
    ? [stepOf({ path: ['enabled'], from: false, to: true, state: 'different' }, userSpec)]
    : [];
  const from = shownProperties(record) ?? [];
  const changes = [
    ...(enables ? [{ field: 'enabled', from: false, to: true }] : []),
    ...(added.length > 0 ? [{ field: 'properties', from, to: [...from, ...added] }] : []),
  ];
  const reasons = [
    ...(record['is_account_admin'] === true ? ['is an account admin, and reaches every property'] : []),
    ...(lacking.length > 0
      ? [`lacks ${lacking.map(accessText).join('; ')}, which is set in the pages of the service`]
      : []),
    ...(invitations.length > 0 ? ['is invited as well as a user'] : []),
  ];
  const more = { id, record, reason: reasons.length === 0 ? undefined : reasons.join('; ') };
  if (changes.length === 0) return itemFor(about, lacking.length > 0 ? 'cannot_change' : 'same', more);
  const edits = added.length === 0 ? undefined : { addProperties: added };
  return itemFor(about, 'change', { ...more, steps, edits, changes, isReadBack: true });
}

/** For `catch`: a person of a file who cannot get access is one row in conflict. */
function conflictOf({ email, entry }: Joiner) {
  return (error: unknown): Item => {
    const isOfRow = error instanceof CliError && OF_ROW.some((code) => code === error.exitCode);
    if (entry === undefined || !isOfRow) throw error;
    const more = error.exitCode === ExitCode.ambiguous ? error.details.map((each) => each.reason) : [];
    const reason = [error.message, ...more].join(' ');
    return itemFor({ kind: 'invitation', name: email }, 'conflict', { reason });
  };
}

const OF_ROW = [ExitCode.notFound, ExitCode.ambiguous, ExitCode.refused];

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

/** For `catch`: without the list, references are taken as ids. */
function unlessForbidden(error: unknown): undefined {
  if (!(error instanceof CliError) || error.exitCode !== ExitCode.forbidden) throw error;
}
