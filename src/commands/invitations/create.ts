import { serviceCommand } from '../../cli/described-command.ts';
import { CliError, OutcomeUnknown } from '../../cli/errors.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { givesAccess, invitesAdmin, rolesOf } from '../../model/access.ts';
import type { ServiceRecord } from '../../model/records.ts';
import type { Sight } from '../../seed/property-index.ts';
import type { RecentCreation } from '../../seed/recent-creates.ts';
import type { NewInvitation } from '../../service/invitations.ts';
import { look } from '../../service/settling.ts';
import { review, reviewOf, sessionWith } from '../ask.ts';
import {
  type Existing,
  forgetFailed,
  type LookFlags,
  lookFirst,
  rememberCreation,
  reportExisting,
  sinceText,
  updateRemembered,
} from '../creation.ts';
import {
  isPiped,
  keepAnswers,
  type Settling,
  settleBy,
  settledByRepeating,
  withEquivalentLine,
  withSettling,
} from '../lines.ts';
import { invitationShapeFor } from '../shapes.ts';
import { misspeltProperties, suggest } from '../suggest.ts';
import { completeInvitation, givenInvitation } from './given.ts';

/**
 * `invitations create [email]`: invite a person to the account.
 *
 * POST /api/v1/invitations. The contract requires only the e-mail. It shows the role Housekeeping and names no others:
 * the service validates roles.
 */
export function createInvitation(context: Context) {
  return serviceCommand('create new', 'writes', [
    'invitations create ana@example.com --role Housekeeping --properties BER,VIE',
    'invite ana@example.com --role Housekeeping BER VIE',
    'invite create --role Housekeeping',
    'invitations create --file ana.yaml --dry-run',
    'invitations create ben@example.com --is-account-admin --yes',
  ])
    .summary('invite a person')
    .description(
      'Invite a person to the account, from flags, a file, or both; flags override the file. Prompts for missing values on a terminal.',
    )
    .argument('[email]', 'e-mail address to invite')
    .argument('[properties...]', 'properties to grant access to: BER VIE', collectList)
    .option('--file <path>', 'read the invitation from YAML or JSON; - for stdin')
    .option('--email <address>', 'same as the argument')
    .option('--role <role>', 'role at the properties: Housekeeping')
    .option(
      '--roles <names>',
      'roles at the properties: Housekeeping,Auditor (dialect apaleo, repeatable)',
      collectList,
    )
    .option('--properties <ids>', 'properties to grant access to: BER,VIE', collectList)
    .option('--property <ids>', 'same as --properties', collectList)
    .option('--is-account-admin [true|false]', 'grant full access to every property; requires confirmation')
    .option('--if-not-exists', 'succeed if the person is already invited')
    .option('--no-check', 'do not check first if the person is already invited')
    .option('--resend-unknown', 'send even if an earlier invitation may have been sent')
    .option('--allow-unknown-fields', 'send unknown fields of the file')
    .action(
      withSession(context, async (session, argument, words, options) => {
        session.api.permit('createInvitation');
        const given = await givenInvitation(argument, { ...options, words }, session);
        session.api.permit('createInvitation', given);
        const early = await findInvited(given.email, options, session);
        if (early !== undefined) return reportExisting(early, options, session);
        await askAndInvite(given, {}, options, session);
      }),
    );
}

interface InviteFlags extends LookFlags {
  readonly file?: string;
  readonly resendUnknown?: true;
}

/**
 * Asks for what is missing and sends the invitation, or asks again.
 *
 * @param before the answers to edit.
 */
async function askAndInvite(
  given: Partial<NewInvitation>,
  before: Partial<NewInvitation>,
  flags: InviteFlags,
  session: Session,
): Promise<void> {
  const { invitation, answers } = await completeInvitation(given, before, session);
  const isNew = given.email === undefined;
  const late = isNew ? await findInvited(invitation.email, flags, session) : undefined;
  if (late !== undefined) return reportExisting(late, flags, session);
  if (answers === undefined) {
    await confirmInvitation(invitation, session);
    return invite(invitation, flags, session);
  }
  const typed = sessionWith(answers, session);
  await review(reviewOf(invitation, invitationShapeFor(session.api.dialect)), 'identity', session);
  const isEdited = await session.confirmOrEdit(reviewQuestion(invitation)).catch(keepAnswers(typed));
  if (isEdited) return askAndInvite(given, invitation, flags, session);
  await withEquivalentLine(true, typed, invite(invitation, flags, typed));
}

/** Sends an invitation, unless a command of the last ten minutes may have sent it: a person must not get two mails. */
async function invite(invitation: NewInvitation, flags: InviteFlags, session: Session): Promise<void> {
  const { api, globals, out, context } = session;
  const { email } = invitation;
  if (globals.dryRun === true) return void (await api.invitations.create(invitation));
  const mustLook = flags.check && flags.resendUnknown !== true;
  const about = { kind: 'invitation', name: email } as const;
  const remembered = await rememberCreation(about, { resends: !mustLook }, session);
  const { before } = remembered;
  if (mustLook && before !== undefined) {
    const found = await findInvitedSince(email, before, flags, session);
    if (found !== undefined) return reportExisting(found, flags, session);
    throw withSettling(maybeInvited(email, before), settlingOf(before.isAnswered, flags, session));
  }
  let answer: ServiceRecord;
  try {
    answer = await api.invitations.create(invitation);
  } catch (error) {
    await forgetFailed(remembered, error, session);
    const existing = existingByRefusal(email, error, before, flags);
    if (existing !== undefined) return reportExisting(existing, flags, session);
    const misspeltRoles = { words: rolesOf(invitation), resource: api.roles, fields: ['name'] };
    const misspelt = [misspeltRoles, misspeltProperties(invitation.properties ?? [], api)];
    return suggest(...misspelt)(error).catch(settleBy(settlingOf(false, flags, session)));
  }
  await updateRemembered(remembered, { at: context.clock.now(), isAnswered: true }, session);
  await out.done(`Invited ${email}.`, { ...invitation, ...answer, invited: true });
}

function maybeInvited(email: string, { at, isAnswered }: RecentCreation): OutcomeUnknown {
  const when = new Date(at).toISOString();
  const sent = isAnswered ? `was sent at ${when}` : `may have been sent at ${when}`;
  return new OutcomeUnknown(
    `An invitation to ${email} ${sent}, but no list shows it yet. Nothing was sent, to avoid a second mail.`,
  );
}

/** The same command finds the first invitation or sends it again, unless it was certainly sent. */
function settlingOf(isAnswered: boolean, flags: InviteFlags, { context }: Session): Settling {
  const more = [
    ...(flags.resendUnknown === true || isAnswered ? [] : ['--resend-unknown']),
    ...(flags.ifNotExists === true ? [] : ['--if-not-exists']),
  ];
  return settledByRepeating(context.argv, isPiped(flags.file), ...more);
}

/** The question after prompts. */
function reviewQuestion(invitation: NewInvitation): string {
  if (invitesAdmin(invitation)) return `${powerOf(invitation)} Send it?`;
  return givesAccess(invitation) ? 'Send it?' : withoutAccess(invitation);
}

function powerOf({ email }: NewInvitation): string {
  return `This invites ${email} with full access to every property.`;
}

function withoutAccess({ properties = [] }: NewInvitation): string {
  const missing = properties.length > 0 ? 'role' : 'property';
  return `Without a ${missing} the person will see nothing. Invite anyway?`;
}

/**
 * Asks for consent without prompts before. Full access always needs it; an invitation that grants no access needs it too,
 * or is a warning without a terminal.
 */
async function confirmInvitation(invitation: NewInvitation, session: Session) {
  if (invitesAdmin(invitation)) return session.confirm(`${powerOf(invitation)} Continue?`);
  if (givesAccess(invitation)) return;
  if (session.mayAsk()) return session.confirm(withoutAccess(invitation));
  await session.out.warn(
    'Without --is-account-admin, or --role and --properties, the person will see nothing.',
  );
}

/** Checks if an address is already invited, unless --no-check is given. */
async function findInvited(email: string | undefined, flags: LookFlags, session: Session) {
  if (email === undefined || !(flags.check || flags.ifNotExists === true)) return undefined;
  const whether = `whether ${email} is already invited`;
  const sight = await lookFirst(listedFor(email, session), whether, flags, session);
  return sight?.found && listedInvitation(sight.found);
}

/** Time limit in milliseconds for all checks after an earlier mail. */
const LONGEST_LOOK_MS = 30_000;

/**
 * Looks for an address invited by a command of the last ten minutes, but not listed: the list may lag, or the person
 * has accepted. With --if-not-exists a response to that command is enough.
 *
 * @returns `undefined` if it is not found: it may have been sent.
 */
async function findInvitedSince(
  email: string,
  { at, isAnswered }: RecentCreation,
  { ifNotExists }: LookFlags,
  session: Session,
): Promise<Existing | undefined> {
  const { clock, signal } = session.context;
  const last = await look(
    () => listedFor(email, session),
    ({ found }) => found !== undefined,
    {
      sleep: (ms) => clock.sleep(ms, signal),
      now: clock.monotonic,
      deadline: clock.monotonic() + LONGEST_LOOK_MS,
    },
  );
  const found = 'seen' in last ? last.seen.found : undefined;
  if (found !== undefined) return listedInvitation(found);
  if (await hasUser(email, session)) return existing(`${email} already has a user.`, { email });
  if (!isAnswered || ifNotExists !== true) return undefined;
  const since = new Date(at).toISOString();
  return existing(`${email} was invited at ${since}, but no list shows it yet.`, { email, since });
}

/**
 * Interprets a conflict with --if-not-exists: the person is invited or has a user, although no list shows it.
 *
 * @param before whether an earlier command may have sent the mail.
 */
function existingByRefusal(
  email: string,
  refusal: unknown,
  before: RecentCreation | undefined,
  { ifNotExists }: LookFlags,
): Existing | undefined {
  const isConflict = refusal instanceof CliError && refusal.status === 409;
  if (!isConflict || ifNotExists !== true) return undefined;
  return before === undefined
    ? existing(`Nothing was sent to ${email}. ${refusal.message}`, { email })
    : existing(`${email} is already invited, according to the service.`, { email });
}

function listedInvitation({ email, created: since }: ServiceRecord): Existing {
  return existing(`${email} is already invited${sinceText(since)}.`, { email, since });
}

function existing(sentence: string, shown: ServiceRecord): Existing {
  return { sentence, shown, facts: { ...shown, invited: false, created: false } };
}

async function listedFor(email: string, { api }: Session): Promise<Sight> {
  const { findByEmails } = await import('../../seed/match-people.ts');
  const { withEmail, doubt } = await findByEmails(api.invitations.listAll(), 'invitations', [email]);
  const [found] = withEmail(email);
  return { found, doubt: found === undefined ? doubt : undefined };
}

/** Whether the person has a user now, as far as that can be read. */
async function hasUser(email: string, { api }: Session): Promise<boolean> {
  try {
    await api.users.findByEmail(email);
    return true;
  } catch (cause) {
    if (cause instanceof CliError) return cause.code === 'ambiguous';
    throw cause;
  }
}
