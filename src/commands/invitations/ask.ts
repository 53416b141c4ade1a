import { collectList } from '../../cli/flags.ts';
import type { Choice } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { roleFields } from '../../model/access.ts';
import { emailProblem } from '../../model/segment.ts';
import { takes } from '../../service/dialect.ts';
import type { NewInvitation } from '../../service/invitations.ts';
import { askText, choicesFrom, idsProblem, propertyChoice } from '../ask.ts';
import { entryProblems } from '../options.ts';
import { roleProblem } from './given.ts';

/** A complete invitation. */
export interface CompleteInvitation {
  readonly invitation: NewInvitation;
  /** The command line with the answers; `undefined` if there were no prompts. */
  readonly answers: readonly string[] | undefined;
}

/**
 * Prompts for missing values: the e-mail, and unless an account admin is invited the role (several if the service
 * supports it) and the properties, chosen from lists of the service.
 */
export async function askForMissing(
  given: Partial<NewInvitation>,
  session: Session,
): Promise<CompleteInvitation> {
  const several = takes(session.api.dialect, 'createInvitation', 'roles');
  const isAdmin = given.is_account_admin === true;
  const hasRoles = given.role !== undefined || (several && given.roles !== undefined);
  const email =
    given.email ?? (await askText('E-mail address to invite', emailProblem, session.context.prompter));
  const roles = isAdmin || hasRoles ? undefined : await askRoles(several, session);
  const properties = isAdmin || given.properties !== undefined ? undefined : await askProperties(session);
  if (given.email !== undefined && roles === undefined && properties === undefined)
    return { invitation: { ...given, email }, answers: undefined };
  const named = roleFields(roles ?? []);
  const chosen = properties === undefined || properties.length === 0 ? {} : { properties };
  const answers = [
    ...(given.email === undefined ? ['--email', email] : []),
    ...Object.entries({ ...named, ...chosen }).flatMap(([field, value]) => [`--${field}`, String(value)]),
  ];
  return { invitation: { email, ...named, ...chosen, ...given }, answers };
}

async function askRoles(
  several: boolean,
  { api, context: { prompter } }: Session,
): Promise<readonly string[]> {
  const problem = (role: string) =>
    several && role.includes(',') ? 'must not contain a comma' : roleProblem(role);
  const listed = await choicesFrom(api.roles.list({}, {}), { field: 'name', problem });
  // Enter alone must not choose an administrator.
  const offered = (listed ?? []).toSorted((a, b) => Number(isAdminRole(a)) - Number(isAdminRole(b)));
  if (several && offered.length > 0) return prompter.chooseSeveral('Roles', offered);
  if (offered.length > 0) return [await prompter.choose('Role', offered)];
  if (!several) return [await askText('Role, for example Housekeeping', roleProblem, prompter)];
  const answer = await askText(
    'Roles, for example Housekeeping,Auditor',
    (text) => entryProblems('roles', collectList(text, undefined), roleProblem)[0]?.reason,
    prompter,
  );
  return [...new Set(collectList(answer, undefined))];
}

function isAdminRole({ value }: Choice): boolean {
  return /admin/i.test(value);
}

async function askProperties({ api, context: { prompter } }: Session): Promise<readonly string[]> {
  const choices = await choicesFrom(api.properties.list({}, {}), propertyChoice);
  if (choices !== undefined) return choices.length === 0 ? [] : prompter.chooseSeveral('Properties', choices);
  const answer = await askText(
    'Property ids, for example BER,VIE; empty for none',
    (text) => (text === '' ? undefined : idsProblem(text)),
    prompter,
  );
  return answer === '' ? [] : [...new Set(collectList(answer, undefined))];
}
