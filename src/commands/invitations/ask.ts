import type { NewInvitation } from '../../api/invitations.ts';
import { emailProblem } from '../../checks/email.ts';
import { collectList } from '../../global-options.ts';
import type { Choice } from '../../prompter.ts';
import type { Session } from '../../session.ts';
import { choicesFrom, EVERY, idsProblem, propertyChoice } from '../choices.ts';
import { roleProblem } from './given.ts';

/** An invitation that can be sent. */
export interface CompleteInvitation {
  readonly invitation: NewInvitation;
  /** What was answered, as the flags that would have said it; `undefined` where nothing was asked. */
  readonly answers: readonly string[] | undefined;
}

/**
 * Asks the person for what the command line leaves open: the e-mail, and for anybody but an account admin the
 * role and the properties, chosen from what the service lists.
 */
export async function askForMissing(
  given: Partial<NewInvitation>,
  session: Session,
): Promise<CompleteInvitation> {
  const email = given.email ?? (await askEmail(session));
  const access = given.is_account_admin === true ? {} : await askAccess(given, session);
  const { role, properties = [] } = access;
  const isComplete = given.email !== undefined && Object.keys(access).length === 0;
  const answers = [
    ...(given.email === undefined ? ['--email', email] : []),
    ...(role === undefined ? [] : ['--role', role]),
    ...(properties.length === 0 ? [] : ['--properties', properties.join(',')]),
  ];
  const chosen = properties.length === 0 ? {} : { properties };
  const invitation = { email, ...(role === undefined ? {} : { role }), ...chosen, ...given };
  return { invitation, answers: isComplete ? undefined : answers };
}

/** The role and the properties, where they are not given. */
async function askAccess(
  given: Partial<NewInvitation>,
  session: Session,
): Promise<Pick<NewInvitation, 'role' | 'properties'>> {
  const role = given.role === undefined ? { role: await askRole(session) } : {};
  const properties = given.properties === undefined ? { properties: await askProperties(session) } : {};
  return { ...role, ...properties };
}

async function askEmail({ context }: Session): Promise<string> {
  const answer = await context.prompter.text('E-mail address to invite', {
    check: (text) => emailProblem(text.trim()) ?? true,
  });
  return answer.trim();
}

async function askRole({ api, context }: Session): Promise<string> {
  const roles = await choicesFrom(api.roles.list({}, EVERY), { field: 'name', problem: roleProblem });
  if (roles === undefined || roles.length === 0) {
    const answer = await context.prompter.text('Role, for example Housekeeping', {
      check: (text) => roleProblem(text.trim()) ?? true,
    });
    return answer.trim();
  }
  // Nobody should become an administrator by pressing Enter.
  const byPower = roles.toSorted((a, b) => Number(isAdmin(a)) - Number(isAdmin(b)));
  return context.prompter.choose('Role', byPower);
}

function isAdmin({ value }: Choice): boolean {
  return /admin/i.test(value);
}

async function askProperties({ api, context }: Session): Promise<readonly string[]> {
  const choices = await choicesFrom(api.properties.list({}, EVERY), propertyChoice);
  if (choices !== undefined) {
    return choices.length === 0 ? [] : context.prompter.chooseSeveral('Properties', choices);
  }
  const answer = await context.prompter.text('Property ids, for example BER,VIE; empty for none', {
    check: (text) => (text.trim() === '' ? true : (idsProblem(text) ?? true)),
  });
  return answer.trim() === '' ? [] : [...new Set(collectList(answer, undefined))];
}
