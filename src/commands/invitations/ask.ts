import { collectList } from '../../cli/flags.ts';
import type { Choice } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { roleFields } from '../../model/access.ts';
import { emailProblem } from '../../model/segment.ts';
import { takes } from '../../service/dialect.ts';
import type { NewInvitation } from '../../service/invitations.ts';
import { choicesFrom, idsProblem, propertyChoice } from '../ask.ts';
import { entryProblems } from '../options.ts';
import { roleProblem } from './given.ts';

/** An invitation that can be sent. */
export interface CompleteInvitation {
  readonly invitation: NewInvitation;
  /** What was answered, as the flags that would have said it; `undefined` where nothing was asked. */
  readonly answers: readonly string[] | undefined;
}

/**
 * Asks the person for what the command line leaves open: the e-mail, and for anybody but an account admin the
 * role, several where the service takes them, and the properties, chosen from what the service lists.
 */
export async function askForMissing(
  given: Partial<NewInvitation>,
  session: Session,
): Promise<CompleteInvitation> {
  const email = given.email ?? (await askEmail(session));
  const access = given.is_account_admin === true ? {} : await askAccess(given, session);
  const { role, roles, properties = [] } = access;
  const isComplete = given.email !== undefined && Object.keys(access).length === 0;
  const answers = [
    ...(given.email === undefined ? ['--email', email] : []),
    ...(role === undefined ? [] : ['--role', role]),
    ...(roles === undefined ? [] : ['--roles', roles.join(',')]),
    ...(properties.length === 0 ? [] : ['--properties', properties.join(',')]),
  ];
  const chosen = properties.length === 0 ? {} : { properties };
  const named = { ...(role === undefined ? {} : { role }), ...(roles === undefined ? {} : { roles }) };
  const invitation = { email, ...named, ...chosen, ...given };
  return { invitation, answers: isComplete ? undefined : answers };
}

/** The roles and the properties, where they are not given. */
async function askAccess(
  given: Partial<NewInvitation>,
  session: Session,
): Promise<Pick<NewInvitation, 'role' | 'roles' | 'properties'>> {
  const takesRoles = takes(session.api.dialect, 'createInvitation', 'roles');
  const isNamed = given.role !== undefined || (takesRoles && given.roles !== undefined);
  const ask = takesRoles ? askRoles : askRole;
  const roles = isNamed ? {} : await ask(session);
  const properties = given.properties === undefined ? { properties: await askProperties(session) } : {};
  return { ...roles, ...properties };
}

async function askEmail({ context }: Session): Promise<string> {
  const answer = await context.prompter.text('E-mail address to invite', {
    check: (text) => emailProblem(text.trim()) ?? true,
  });
  return answer.trim();
}

async function askRole({ api, context }: Session): Promise<{ readonly role: string }> {
  const roles = await choicesFrom(api.roles.list({}, {}), { field: 'name', problem: roleProblem });
  if (roles === undefined || roles.length === 0) {
    const answer = await context.prompter.text('Role, for example Housekeeping', {
      check: (text) => roleProblem(text.trim()) ?? true,
    });
    return { role: answer.trim() };
  }
  return { role: await context.prompter.choose('Role', byPower(roles)) };
}

async function askRoles({ api, context }: Session): Promise<Pick<NewInvitation, 'role' | 'roles'>> {
  const offered = await choicesFrom(api.roles.list({}, {}), {
    field: 'name',
    problem: (role) => (role.includes(',') ? 'would be two in a list' : roleProblem(role)),
  });
  if (offered !== undefined && offered.length > 0)
    return roleFields(await context.prompter.chooseSeveral('Roles', byPower(offered)));
  const answer = await context.prompter.text('Roles, for example Housekeeping,Auditor', {
    check: (text) => entryProblems('roles', collectList(text, undefined), roleProblem)[0]?.reason ?? true,
  });
  return roleFields([...new Set(collectList(answer, undefined))]);
}

/** Nobody should become an administrator by pressing Enter. */
function byPower(roles: readonly Choice[]): readonly Choice[] {
  return roles.toSorted((a, b) => Number(isAdmin(a)) - Number(isAdmin(b)));
}

function isAdmin({ value }: Choice): boolean {
  return /admin/i.test(value);
}

async function askProperties({ api, context }: Session): Promise<readonly string[]> {
  const choices = await choicesFrom(api.properties.list({}, {}), propertyChoice);
  if (choices !== undefined) {
    return choices.length === 0 ? [] : context.prompter.chooseSeveral('Properties', choices);
  }
  const answer = await context.prompter.text('Property ids, for example BER,VIE; empty for none', {
    check: (text) => (text.trim() === '' ? true : (idsProblem(text) ?? true)),
  });
  return answer.trim() === '' ? [] : [...new Set(collectList(answer, undefined))];
}
