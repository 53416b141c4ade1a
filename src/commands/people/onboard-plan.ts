import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Session } from '../../cli/session.ts';
import { roleFields, shownProperties } from '../../model/access.ts';
import { userSteps } from '../../model/diff.ts';
import { andList } from '../../model/text.ts';
import { factsFrom } from '../../people/facts.ts';
import { type Access, accessLike, accessText, grantTo, type Refusal } from '../../people/onboard.ts';
import { aboutRecord, sameCommand } from '../../print/text.ts';
import { settleCreations } from '../../seed/creation-rules.ts';
import { type Entry, shownEntry } from '../../seed/entry.ts';
import type { Recalled } from '../../seed/history.ts';
import { type Item, isPending, itemFor } from '../../seed/item.ts';
import { readRoles } from '../../seed/match-people.ts';
import { createPlanContext } from '../../seed/plan-context.ts';
import { type PeopleContext, planInvitation } from '../../seed/plan-people.ts';
import { indexProperties } from '../../seed/property-index.ts';
import { createResolver } from '../../seed/property-references.ts';
import { mapEach } from '../../seed/workers.ts';
import { takes } from '../../service/dialect.ts';
import { unlessForbidden } from '../auth/probe.ts';
import { sinceText } from '../creation.ts';
import { type ServiceChoice, serviceLine } from '../lines.ts';
import type { JobPlan } from '../several/journalled.ts';
import { hintUserList } from '../users/reference.ts';
import { userItem } from '../users/update-several.ts';
import type { Joiner, Wanted } from './joiners.ts';
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
  const { redactor, clock, argv } = context;
  const people = await openPeople(session);
  // Without the list, references are taken as ids.
  const resolve = createResolver(await indexProperties(api).catch(unlessForbidden), []);
  const entries = joiners.map(({ reference, wanted }) =>
    shownEntry('invitation', reference, roleFields(wanted.roles)),
  );
  const roles = await readRoles(entries, api, out.warn);
  const options = { memory, honoursKeys: api.trustsKeys, now: clock.now };
  const more = { assumeNew: true, prune: false, workers: WORKERS, redactor, warn: out.warn };
  const plan = createPlanContext(api, { ...options, ...more });
  const { globals } = session;
  const planning = { ...plan, resolve, roles, people, globals, argv };
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
  const noted = items.flatMap((item) =>
    item.reason === undefined
      ? []
      : [{ isShown: isPending(item) && globals.yes !== true, text: `${item.name}: ${item.reason}.` }],
  );
  return {
    facts: noted.length === 0 ? {} : { notes: noted.map(({ text }) => text) },
    notes: noted.filter(({ isShown }) => !isShown).map(({ text }) => text),
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
      ? planInvited(asked, access, person, isChecked ? planning : { ...planning, roles: undefined })
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

function planInvited(entry: Entry, { roles }: Access, person: Person | undefined, planning: Planning): Item {
  const { people, api, globals } = planning;
  const conflict = (reason: string) => itemFor(entry, 'conflict', { reason });
  if (roles.length === 0) return conflict('has no user yet, and an invitation without a role gives nothing');
  if (roles.length > 1 && !takes(api.dialect, 'createInvitation', 'roles'))
    return conflict(`the service takes one role for an invitation, not ${andList(roles)}`);
  if (person === undefined && people.doubt !== undefined)
    return itemFor(entry, 'cannot_tell', { reason: people.doubt });
  const invited = { withEmail: () => person?.invitations ?? [], doubt: undefined };
  const listings = { invitations: invited, users: { withEmail: () => [], doubt: undefined } };
  const item = planInvitation(entry, { ...planning, listings });
  if (item.action !== 'same' && item.action !== 'cannot_compare') return item;
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
  const {
    ids = [],
    problems,
    unread,
  } = resolve({ ...entry, fields: { properties } }, shownProperties(record));
  if (unread !== undefined) throw unread;
  const grant = grantTo(record, { roles, properties: ids });
  const refused = 'problem' in grant ? [grant.problem] : problems;
  if ('problem' in grant || refused.length > 0)
    return itemFor({ kind: 'user', name }, 'conflict', { id, reason: refused.join('; ') });
  const { enables, added, lacking } = grant;
  const steps = enables ? userSteps({ enabled: true }) : [];
  const reasons = [
    ...(record['is_account_admin'] === true ? ['is an account admin, and reaches every property'] : []),
    ...(lacking.length > 0
      ? [`lacks ${lacking.map(accessText).join('; ')}, which is set in the pages of the service`]
      : []),
    ...(invitations.length > 0 ? ['is invited as well as a user'] : []),
  ];
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
