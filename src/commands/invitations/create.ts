import { review, reviewOf, sessionWith } from '../../change/ask.ts';
import { agreeOrEdit, type Row } from '../../change/consent.ts';
import {
  type Existing,
  type FirstLook,
  type LookFlags,
  lookFirst,
  reportExisting,
  sinceText,
} from '../../change/existing.ts';
import { permitEach } from '../../change/guards.ts';
import { itemFor } from '../../change/item.ts';
import { Overtaken } from '../../change/journal/journal.ts';
import { keepAnswers, resendingOf, settleBy, withEquivalentLine } from '../../change/lines.ts';
import { openPeople } from '../../change/listing.ts';
import { createOne } from '../../change/rows.ts';
import { misspeltProperties, suggest } from '../../change/suggest.ts';
import { serviceCommand } from '../../cli/described-command.ts';
import { CliError } from '../../cli/errors.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { givesAccess, rolesOf } from '../../model/access.ts';
import type { ServiceRecord } from '../../model/records.ts';
import type { NewInvitation } from '../../service/invitations.ts';
import { invitationShapeFor } from '../shapes.ts';
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
    .option('--allow-unknown-fields', 'send unknown fields of the file')
    .action(
      withSession(context, async (session, argument, words, options) => {
        permitEach('createInvitation', [], session);
        const given = await givenInvitation(argument, { ...options, words }, session);
        permitEach('createInvitation', [given], session);
        const { email } = given;
        const early = email === undefined ? undefined : await findInvited(email, options, session);
        if (email !== undefined && early?.found !== undefined)
          return invite({ ...given, email }, early, options, session);
        await askAndInvite(given, {}, { ...options, early }, session);
      }),
    );
}

interface InviteFlags extends LookFlags {
  /** What was seen before the questions, if the address was given. */
  readonly early?: FirstLook | undefined;
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
  const look = flags.early ?? (await findInvited(invitation.email, flags, session));
  if (look.found !== undefined) return invite(invitation, look, flags, session);
  if (answers === undefined) {
    if (!(givesAccess(invitation) || session.mayAsk())) await session.out.warn(SEES_NOTHING);
    return invite(invitation, look, flags, session);
  }
  const typed = sessionWith(answers, session);
  await review(reviewOf(invitation, invitationShapeFor(session.api.dialect)), 'identity', session);
  if (await agreeOrEdit(rowOf(invitation, session), session).catch(keepAnswers(typed)))
    return askAndInvite(given, invitation, flags, session);
  await withEquivalentLine(true, typed, invite(invitation, look, flags, agreed(typed)));
}

const SEES_NOTHING = 'Without --is-account-admin, or --role and --properties, the person will see nothing.';

/** The session after consent. */
function agreed(session: Session): Session {
  return { ...session, globals: { ...session.globals, yes: true } };
}

/** An invitation with full access needs consent; at a terminal also one that gives no access. */
function rowOf(invitation: NewInvitation, session: Session): Row {
  const { email, properties = [] } = invitation;
  const item = itemFor({ kind: 'invitation', name: email }, 'create', { body: invitation });
  if (givesAccess(invitation) || !session.mayAsk()) return { item, names: [] };
  const missing = properties.length > 0 ? 'role' : 'property';
  return {
    item,
    names: [],
    question: `Without a ${missing} the person will see nothing. Invite anyway?`,
  };
}

/** Sends an invitation, unless an earlier one may have been sent: a person must not get two mails. */
async function invite(
  invitation: NewInvitation,
  look: FirstLook,
  flags: InviteFlags,
  session: Session,
): Promise<void> {
  const { api, out } = session;
  const { email } = invitation;
  const created = await createOne(rowOf(invitation, session), look, session);
  if (created === undefined) return reportExisting(existingWith(email, look.found ?? {}), flags, session);
  const { result, error } = created;
  const isSentByOther = result.isForeign === true || error instanceof Overtaken;
  const other = isSentByOther
    ? existing(`${email} is already invited.`, { email })
    : await existingByRefusal(email, error, flags, session);
  if (other !== undefined) return reportExisting(other, flags, session);
  if (error !== undefined) {
    const misspeltRoles = { words: rolesOf(invitation), resource: api.roles, fields: ['name'] };
    const misspelt = [misspeltRoles, misspeltProperties(invitation.properties ?? [], api)];
    return suggest(...misspelt)(error).catch(settleBy(resendingOf([email], session)));
  }
  const { found } = look;
  const shown = found && existingWith(email, found).shown;
  await out.done(`Invited ${email}.`, { ...invitation, ...shown, ...result.record, invited: true });
}

/** What is there already when an invitation was refused, or another process sent one meanwhile. */
async function existingByRefusal(
  email: string,
  error: unknown,
  flags: LookFlags,
  session: Session,
): Promise<Existing | undefined> {
  if (error instanceof CliError && error.cause instanceof Overtaken) {
    const { found } = await findInvited(email, flags, session);
    return found && existingWith(email, found);
  }
  const isConflict = error instanceof CliError && error.status === 409 && flags.ifNotExists === true;
  return isConflict ? existing(`Nothing was sent to ${email}. ${error.message}`, { email }) : undefined;
}

/** Checks if an address is already invited; one that was invited before may have a user now. */
function findInvited(email: string, flags: LookFlags, session: Session): Promise<FirstLook> {
  const look = async (wasInvited: boolean) => {
    const { invitations, users } = openPeople(session.api);
    const [found] = await invitations(email);
    if (found !== undefined || !wasInvited) return found;
    const [user] = await users(email).catch(orNone);
    return user && { is_user: true };
  };
  const whether = `whether ${email} is already invited`;
  return lookFirst({ kind: 'invitation', name: email }, look, whether, flags, session);
}

/** @param found the invitation, or a user who was invited before. */
function existingWith(given: string, found: ServiceRecord): Existing {
  const { email = given, created: since } = found;
  if (found['is_user'] === true) return existing(`${email} already has a user.`, { email });
  return existing(`${email} is already invited${sinceText(since)}.`, { email, since });
}

function existing(sentence: string, shown: ServiceRecord): Existing {
  return { sentence, shown, facts: { ...shown, invited: false, created: false } };
}

/** For `catch`: a list that cannot be read shows no user. */
function orNone(cause: unknown): readonly ServiceRecord[] {
  if (cause instanceof CliError) return [];
  throw cause;
}
