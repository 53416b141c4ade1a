import { Command } from '@commander-js/extra-typings';
import type { NewInvitation } from '../../api/invitations.ts';
import { emailProblem } from '../../checks/email.ts';
import { textProblem } from '../../checks/text.ts';
import type { Context } from '../../context.ts';
import { type Detail, invalidInput, OutcomeUnknown, usageError } from '../../errors.ts';
import type { GlobalOptions } from '../../global-options.ts';
import { shellLine } from '../../render/shell.ts';
import { type Session, withSession } from '../../session.ts';
import { examples } from '../examples.ts';
import { collectList, propertyIds } from '../options.ts';
import { serviceFlags } from '../settle.ts';
import { askForMissing } from './ask.ts';

/**
 * `invitations create [email]`: invite a person to the account.
 *
 * POST /api/v1/invitations. Only the e-mail is known to be needed. Roles are open: the contract shows
 * Housekeeping and names no others, so that the service judges them.
 */
export function createInvitation(context: Context) {
  return new Command('create')
    .alias('new')
    .summary('invite a person')
    .description('Invite a person to the account; on a terminal it asks for what is missing.')
    .argument('[email]', 'address to invite')
    .option('--email <address>', 'the same as the argument')
    .option('--role <role>', 'role at the properties: Housekeeping')
    .option('--properties <ids>', 'properties the person may work with: BER,VIE', collectList)
    .option('--property <ids>', 'the same as --properties', collectList)
    .option('--is-account-admin', 'full access to every property')
    .addHelpText(
      'after',
      examples(
        'invitations create ana@example.com --role Housekeeping --properties BER,VIE',
        'invite create --role Housekeeping',
        'invitations create ben@example.com --is-account-admin --dry-run',
      ),
    )
    .action(
      withSession(context, async (session, email, options) => {
        const invitation = await askForMissing(given(email, options), session);
        await mindNoAccess(invitation, session);
        const answer = await session.api.invitations.create(invitation).catch(withHint(session.globals));
        await session.out.done(`Invited ${invitation.email}.`, { ...invitation, ...answer, invited: true });
      }),
    );
}

interface Flags {
  readonly email?: string;
  readonly role?: string;
  readonly properties?: readonly string[];
  readonly property?: readonly string[];
  readonly isAccountAdmin?: true;
}

/** What the command line says of the invitation, checked; all problems at once. */
function given(argument: string | undefined, flags: Flags): Partial<NewInvitation> {
  if (argument !== undefined && flags.email !== undefined && argument !== flags.email) {
    throw usageError('Two e-mail addresses are given; one person is invited at a time.');
  }
  const email = argument ?? flags.email;
  const problems = [
    email === undefined ? undefined : detail('email', emailProblem(email)),
    flags.role === undefined ? undefined : detail('--role', textProblem(flags.role, 100)),
  ].filter((problem) => problem !== undefined);
  if (problems.length > 0) throw invalidInput(problems);
  const properties = propertyIds({ '--properties': flags.properties, '--property': flags.property });
  return {
    ...(email === undefined ? {} : { email }),
    ...(properties === undefined ? {} : { properties }),
    ...(flags.isAccountAdmin === undefined ? {} : { is_account_admin: true }),
    ...(flags.role === undefined ? {} : { role: flags.role }),
  };
}

function detail(field: string, reason: string | undefined): Detail | undefined {
  return reason === undefined ? undefined : { field, reason };
}

/** A person at the terminal is asked before such a mail goes out; elsewhere a warning has to do. */
async function mindNoAccess(invitation: NewInvitation, session: Session): Promise<void> {
  const { is_account_admin: isAdmin, role, properties = [] } = invitation;
  if (isAdmin === true || (role !== undefined && properties.length > 0)) return;
  const missing = 'Without --is-account-admin, or --role and --properties, the person will see nothing.';
  if (session.mayAsk()) await session.confirm(`${missing} Invite all the same?`);
  else await session.out.warn(missing);
}

/** Adds to an unknown outcome the command that shows it. */
function withHint(globals: GlobalOptions) {
  const look = shellLine(['innctl', ...serviceFlags(globals), 'invitations', 'list', '--all']);
  return (error: unknown): never => {
    throw error instanceof OutcomeUnknown ? error.withHint(`Look before inviting again: ${look}`) : error;
  };
}
