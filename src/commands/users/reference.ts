import { CliError, type Detail, detailsFor } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { GlobalOptions } from '../../cli/flags.ts';
import type { Session } from '../../cli/session.ts';
import { nearest, nearestAddress } from '../../model/names.ts';
import { heldEmailProblem } from '../../model/segment.ts';
import { aboutRecord } from '../../print/text.ts';
import { emailOf, type UserReference } from '../../service/find-user.ts';
import { idProblem } from '../../service/path.ts';
import type { Api } from '../../service/service.ts';
import { type ServiceChoice, serviceLine } from '../lines.ts';
import { type Referred, usable } from '../references.ts';
import { firstTexts, type Misspelt, suggest } from '../suggest.ts';

/** A user, and its name on the command line. */
export interface NamedUser extends UserReference {
  readonly reference: string;
}

/** Users as a command line names them. */
export const users: Referred = {
  noun: ['user', 'users'],
  argument: 'subject-id|e-mail',
  field: 'subject_id',
  list: (api) => api.users.list({}, {}),
  listWords: ['users', 'list', '--all'],
  misspelt: misspeltUsers,
  referenceOf: (record) =>
    usable(emailOf(record), heldEmailProblem) ?? usable(record['subject_id'], idProblem),
  namesOf: ({ first_name: first, last_name: last }) => [
    [first, last].filter((part) => typeof part === 'string').join(' '),
  ],
  detailsOf: ({ enabled }) => (enabled === false ? ['disabled'] : []),
};

/** The argument of commands that take several users. */
export const usersArgument = [
  `[${users.argument}...]`,
  'subject id or full e-mail; at a terminal also a name',
] as const;

/** Whether a reference is an e-mail address; otherwise it is a subject id. */
export function isEmail(reference: string): boolean {
  return reference.includes('@');
}

/** The problem with a subject id or an e-mail address. */
export function referenceProblems(reference: string): readonly Detail[] {
  return detailsFor(isEmail(reference) ? 'email' : 'subject_id', referenceProblem(reference));
}

/** Why a text is neither an e-mail address nor a subject id; `undefined` if it may be. */
export function referenceProblem(text: string): string | undefined {
  return isEmail(text) ? heldEmailProblem(text) : idProblem(text);
}

/**
 * Finds the user of a command line: searches the list for an e-mail address; takes a subject id as it is.
 *
 * @throws {CliError} exit 3 if no user has the address, exit 12 if several have.
 */
export async function findUser(reference: string, { api, globals }: Session): Promise<UserReference> {
  if (!isEmail(reference)) return { subjectId: reference };
  return api.users
    .findByEmail(reference)
    .catch(explainInvited(reference, api, globals))
    .catch(hintUserList(globals));
}

/** Like `findUser`, for a write: checks the guards by subject id and by e-mail. */
export async function findPermitted(reference: string, session: Session): Promise<NamedUser> {
  const { api, settings } = session;
  const found = await findUser(reference, session);
  const { subjectId } = found;
  const mustRead = settings().guards.protect.length > 0 && found.email === undefined;
  const email = mustRead
    ? emailOf(await api.users.read(subjectId).catch(suggestUser(subjectId, session)))
    : found.email;
  api.permit('updateUser', subjectId, ...(email === undefined ? [] : [email]));
  return { reference, subjectId, email };
}

/** For `catch`: suggests a similar user, or the command that lists all. */
export function suggestUser(subjectId: string, { api, globals }: Session) {
  const suggestId = suggest(misspeltUsers([subjectId], api));
  return (error: unknown) => suggestId(error).catch(hintUserList(globals));
}

/** References that may be misspelt, or may be the local part of an e-mail address. */
export function misspeltUsers(words: readonly string[], { users }: Api): Misspelt {
  return { words, resource: users, fields: ['email', 'subject_id'], pick: pickUser, inPath: true };
}

function pickUser(word: string, names: readonly string[]): string | undefined {
  if (isEmail(word)) return nearestAddress(word, names);
  const start = `${word.toLowerCase()}@`;
  const email = names.find((name) => name.toLowerCase().startsWith(start));
  const ids = names.filter((name) => !isEmail(name));
  return email ?? nearest(word, ids);
}

/** For `catch`: adapts the error about an address without a user if it is invited. */
function explainInvited(email: string, { invitations }: Api, globals: GlobalOptions) {
  return async (error: unknown): Promise<never> => {
    if (!(error instanceof CliError) || error.exitCode !== ExitCode.notFound) throw error;
    const invited = await firstTexts(invitations, 'email');
    const found = invited.find((each) => each.toLowerCase() === email.toLowerCase());
    if (found === undefined) throw error;
    throw new CliError('not_found', `${found} has an invitation but is not a user yet.`, {
      exitCode: ExitCode.notFound,
      hint: `To see it: ${serviceLine(globals, 'invitations', 'list', '--all')}\nTo withdraw it: ${serviceLine(globals, ...aboutRecord('invitations delete', found))}`,
      cause: error,
    });
  };
}

/** For `catch`: adds the command that lists all users, unless there is another hint. */
export function hintUserList(globals: ServiceChoice) {
  return (error: unknown): never => {
    const isHintless = error instanceof CliError && error.hint === undefined;
    if (!isHintless || error.exitCode !== ExitCode.notFound) throw error;
    throw error.withHint(serviceLine(globals, ...users.listWords));
  };
}
