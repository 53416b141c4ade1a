import { type ServiceChoice, serviceLine } from '../../change/lines.ts';
import { openListing } from '../../change/listing.ts';
import { nameTest, type Referred, resolveAll, usable, wordProblems } from '../../change/resolve.ts';
import { firstTexts, type Misspelt, suggest } from '../../change/suggest.ts';
import { personName, shownProperties } from '../../model/access.ts';
import { CliError, type Detail, detailsFor, ExitCode } from '../../model/errors.ts';
import { onePage, type ServiceRecord } from '../../model/records.ts';
import { heldEmailProblem, idProblem, nearest, nearestAddress } from '../../model/text.ts';
import { aboutRecord } from '../../print/text.ts';
import type { Api } from '../../service/service.ts';
import { emailOf, findByEmail, type UserReference } from '../../service/users.ts';
import type { GlobalOptions } from '../../session/command-line.ts';
import type { Session } from '../../session/session.ts';

/** A user that a word of the command line names. */
export interface NamedUser {
  readonly word: string;
  readonly id: string;
  readonly email: string | undefined;
  /** `undefined` if it was not read. */
  readonly record: ServiceRecord | undefined;
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
  namesOf: (record) => [personName(record)],
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
async function findUser(reference: string, { api, globals }: Session): Promise<UserReference> {
  if (!isEmail(reference)) return { subjectId: reference };
  return api.users
    .findByEmail(reference)
    .catch(explainInvited(reference, api, globals))
    .catch(hintUserList(globals));
}

/** The problems of words that are to name users. At a terminal they may be names. */
export function userProblems(words: readonly string[], session: Session): readonly Detail[] {
  const [word = '', ...others] = words;
  if (others.length > 0) return wordProblems(words, referenceProblems, session);
  return nameTest(session)(word) ? [] : referenceProblems(word);
}

/** What is done with users that words name. */
interface Purpose {
  readonly isWrite?: true;
  /** Whether a single user is read; otherwise only the id, and perhaps the address, is known. Several always are. */
  readonly isRead: boolean;
}

/**
 * The users that words name, each once; reads one list for all e-mail addresses of several.
 *
 * @throws {CliError} exit 3 or 12 with the words that are not one user.
 */
export async function resolveUsers(
  words: readonly string[],
  { isWrite, isRead }: Purpose,
  session: Session,
): Promise<readonly NamedUser[]> {
  const { api } = session;
  const idOf = ({ id }: NamedUser) => id;
  const listed = openListing('user', api.users.listAll);
  const find = async (word: string): Promise<NamedUser> => {
    if (words.length === 1) {
      const { subjectId: id, email } = await findUser(word, session);
      const isGuarded = isWrite && email === undefined && session.settings().guards.protect.length > 0;
      const mayBeName = email === undefined && nameTest(session)(word);
      if (!isRead && !isGuarded && !mayBeName) return { word, id, email, record: undefined };
      const record = await api.users.read(id).catch(suggestUser(id, session));
      return { word, id, email: email ?? emailOf(record), record };
    }
    if (!isEmail(word)) return named(word, await api.users.read(word));
    const alike = await listed(word);
    const { subjectId } = await findByEmail(onePage(alike), word);
    const found = alike.find((record) => record['subject_id'] === subjectId);
    return named(word, found && isWhole(found) ? found : await api.users.read(subjectId));
  };
  return resolveAll(words, users, { find, idOf, isWrite }, session);
}

function named(word: string, record: ServiceRecord): NamedUser {
  return { word, id: String(record['subject_id'] ?? word), email: emailOf(record), record };
}

/** Whether the list shows what an update depends on, so that the user need not be read alone. */
function isWhole(record: ServiceRecord): boolean {
  return typeof record['enabled'] === 'boolean' && shownProperties(record) !== undefined;
}

/** For `catch`: suggests a similar user, or the command that lists all. */
function suggestUser(subjectId: string, { api, globals }: Session) {
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
