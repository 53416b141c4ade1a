import type { UserReference } from '../../api/find-user.ts';
import { idProblem } from '../../api/path.ts';
import { heldEmailProblem } from '../../checks/email.ts';
import { type Detail, detailsFor } from '../../errors.ts';
import type { ServiceRecord } from '../../records.ts';
import type { Session } from '../../session.ts';
import { suggestingId } from '../meant.ts';
import { misspeltUser, orInvited, orListed } from './misspelt.ts';

/** The argument of every command about one user. */
export const userArgument = '<subject-id|e-mail>';

/** Whether a reference is an e-mail address; otherwise it is a subject id. */
export function isEmail(reference: string): boolean {
  return reference.includes('@');
}

/** What is wrong with a subject id or an e-mail address; nothing where it can be looked for. */
export function referenceProblems(reference: string): readonly Detail[] {
  return isEmail(reference)
    ? detailsFor('email', heldEmailProblem(reference))
    : detailsFor('subject_id', idProblem(reference));
}

/**
 * The user that somebody named: an e-mail address is looked for in the list, a subject id taken as it is.
 *
 * @throws {CliError} exit 3 when nobody has the address, exit 12 when several do.
 */
export async function findUser(
  reference: string,
  { api, globals }: Pick<Session, 'api' | 'globals'>,
): Promise<UserReference> {
  if (!isEmail(reference)) return { subjectId: reference };
  return api.users
    .findByEmail(reference)
    .catch(orInvited(reference, api, globals))
    .catch(orListed(globals));
}

/** Like `findUser`, for a write: where ids are protected, the user must not be so under the other name. */
export async function findPermitted(reference: string, session: Session): Promise<UserReference> {
  const { api, settings } = session;
  const found = await findUser(reference, session);
  const isProtecting = settings().guards.protect.length > 0;
  const mustRead = isProtecting && found.email === undefined;
  const email = mustRead
    ? await orMeant(api.users.emailOf(found.subjectId), found.subjectId, session)
    : found.email;
  api.permit('updateUser', found.subjectId, ...(email === undefined ? [] : [email]));
  return { ...found, email };
}

/** @throws {CliError} exit 3 naming who was probably meant. */
export async function readUser(
  subjectId: string,
  session: Pick<Session, 'api' | 'globals'>,
): Promise<ServiceRecord> {
  return orMeant(session.api.users.get(subjectId), subjectId, session);
}

/**
 * Like `readUser`, to conclude something from the record: one of somebody else is refused.
 *
 * @throws {CliError} exit 3 naming who was probably meant.
 */
export async function readUserToChange(
  subjectId: string,
  session: Pick<Session, 'api' | 'globals'>,
): Promise<ServiceRecord> {
  return orMeant(session.api.users.read(subjectId), subjectId, session);
}

/** @throws {CliError} exit 3 naming who was probably meant. */
function orMeant<Result>(
  reading: Promise<Result>,
  subjectId: string,
  { api, globals }: Pick<Session, 'api' | 'globals'>,
): Promise<Result> {
  return reading.catch(suggestingId(misspeltUser(subjectId, api))).catch(orListed(globals));
}
