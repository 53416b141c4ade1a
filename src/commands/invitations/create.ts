import { serviceCommand } from '../../cli/described-command.ts';
import { CliError } from '../../cli/errors.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { givesAccess, invitesAdmin, rolesOf } from '../../model/access.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { itemFor } from '../../seed/item.ts';
import { Overtaken } from '../../seed/journal.ts';
import type { Sight } from '../../seed/property-index.ts';
import type { NewInvitation } from '../../service/invitations.ts';
import { review, reviewOf, sessionWith } from '../ask.ts';
import {
  beginCreation,
  type Existing,
  type FirstLook,
  type LookFlags,
  lookFirst,
  reportExisting,
  shownAs,
  sinceText,
} from '../creation.ts';
import { keepAnswers, resendingOf, settleBy, withEquivalentLine } from '../lines.ts';
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
    .option('--allow-unknown-fields', 'send unknown fields of the file')
    .action(
      withSession(context, async (session, argument, words, options) => {
        session.api.permit('createInvitation');
        const given = await givenInvitation(argument, { ...options, words }, session);
        session.api.permit('createInvitation', given);
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
    await confirmInvitation(invitation, session);
    return invite(invitation, look, flags, session);
  }
  const typed = sessionWith(answers, session);
  await review(reviewOf(invitation, invitationShapeFor(session.api.dialect)), 'identity', session);
  const isEdited = await session.confirmOrEdit(reviewQuestion(invitation)).catch(keepAnswers(typed));
  if (isEdited) return askAndInvite(given, invitation, flags, session);
  await withEquivalentLine(true, typed, invite(invitation, look, flags, typed));
}

/** Sends an invitation, unless an earlier one may have been sent: a person must not get two mails. */
async function invite(
  invitation: NewInvitation,
  { history, found }: FirstLook,
  flags: InviteFlags,
  session: Session,
): Promise<void> {
  const { api, out } = session;
  const { email } = invitation;
  const item = itemFor({ kind: 'invitation', name: email }, 'create', { body: invitation });
  const run = beginCreation(history, session);
  if (found !== undefined && run.own(item) === undefined)
    return reportExisting(existingWith(email, found), flags, session);
  const items = found ? [shownAs(item)] : await run.settle([item]);
  const { results, error } = await run.create(items);
  const isSentByOther = results[0]?.isForeign === true || error instanceof Overtaken;
  const other = isSentByOther
    ? existing(`${email} is already invited.`, { email })
    : await existingByRefusal(email, error, flags, session);
  if (other !== undefined) return reportExisting(other, flags, session);
  if (error !== undefined) {
    const misspeltRoles = { words: rolesOf(invitation), resource: api.roles, fields: ['name'] };
    const misspelt = [misspeltRoles, misspeltProperties(invitation.properties ?? [], api)];
    return suggest(...misspelt)(error).catch(settleBy(resendingOf([email], session)));
  }
  const shown = found && existingWith(email, found).shown;
  await out.done(`Invited ${email}.`, { ...invitation, ...shown, ...results[0]?.record, invited: true });
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

/** Checks if an address is already invited; one that was invited before may have a user now. */
function findInvited(email: string, flags: LookFlags, session: Session): Promise<FirstLook> {
  const look = async (wasInvited: boolean) => {
    const sight = await listedFor(email, session);
    const isUser = wasInvited && sight.found === undefined && (await hasUser(email, session));
    return isUser ? { found: { is_user: true }, doubt: undefined } : sight;
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
