import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { personName } from '../model/access.ts';
import { didYouMean, nearestAddress } from '../model/names.ts';
import { memoryLimit, type Page, type ServiceRecord } from '../model/records.ts';
import { quote } from '../model/text.ts';
import { readWhole } from './paging.ts';
import { idProblem } from './path.ts';

/** In a path this means the user of the token. */
const OWN_ID = 'me';

/** Code units of the longest address. */
const LONGEST_ADDRESS = 320;

/** A user by id. */
export interface UserReference {
  readonly subjectId: string;
  /** As the service shows it, if it was read. */
  readonly email?: string | undefined;
}

/**
 * The one user with an e-mail address. Case is ignored unless there is an exact match.
 *
 * @param pages all of the list.
 * @throws {CliError} exit 3 when there is none, exit 12 naming the candidates when there are several, `incomplete_list`
 * when the service counts more users than it lists, `malformed_answer` when the listed subject id fits into no path.
 */
export async function findByEmail(pages: AsyncIterable<Page>, email: string): Promise<UserReference> {
  const alike: ServiceRecord[] = [];
  const claim = memoryLimit();
  let [meant, shownBy, lastId]: (string | undefined)[] = [];
  const see = (user: ServiceRecord, requestId?: string) => {
    const shown = emailOf(user);
    lastId = requestId;
    if (shown?.toLowerCase() === email.toLowerCase()) {
      claim(user);
      alike.push(user);
      shownBy = requestId;
    } else if (alike.length === 0 && shown !== undefined && shown.length <= LONGEST_ADDRESS) {
      // Of two that are equally near, the earlier one is suggested.
      meant = nearestAddress(email, meant === undefined ? [shown] : [meant, shown]);
    }
  };
  await readWhole(pages, 'users', see, `look for ${quote(email)}`).catch((cause: unknown) => {
    if (!(cause instanceof CliError) || cause.code !== 'incomplete_list') throw cause;
    throw cause.with({ requestId: lastId, hint: 'Name the user by the subject id.' });
  });
  const same = alike.filter((user) => emailOf(user) === email);
  const found = same.length > 0 ? same : alike;
  const [user] = found;
  if (user === undefined) {
    const sentence = `There is no user with the e-mail address ${quote(email)}.`;
    throw new CliError('not_found', sentence, { exitCode: ExitCode.notFound, hint: didYouMean(meant) });
  }
  const subjectId = subjectIdOf(user, shownBy);
  if (found.some((other) => subjectIdOf(other, shownBy) !== subjectId)) throw ambiguousAddress(email, found);
  return { subjectId, email: emailOf(user) };
}

/** The e-mail address that a user shows. */
export function emailOf({ email }: ServiceRecord): string | undefined {
  return typeof email === 'string' ? email : undefined;
}

/** The error about users with one address. */
export function ambiguousAddress(email: string, found: readonly ServiceRecord[]): CliError {
  return new CliError('ambiguous', `${found.length} users have the e-mail address ${quote(email)}.`, {
    exitCode: ExitCode.ambiguous,
    hint: 'Name the one you mean by the subject id.',
    details: found.map((user) => ({ field: 'subject_id', reason: describe(user) })),
  });
}

/**
 * The subject id of a listed user.
 *
 * @param requestId of the page that shows the user.
 * @throws {CliError} `malformed_answer` if it fits into no path.
 */
export function subjectIdOf({ subject_id: id }: ServiceRecord, requestId?: string): string {
  if (typeof id === 'string' && id !== OWN_ID && idProblem(id) === undefined) return id;
  const sentence = `The service lists a user with the unusable subject id ${quote(String(id))}.`;
  throw new CliError('malformed_answer', sentence, { requestId });
}

/** What tells two users with one address apart. */
function describe(user: ServiceRecord): string {
  const about = [personName(user), emailOf(user), user['enabled'] === false ? 'disabled' : ''];
  return `${subjectIdOf(user)} (${about.filter(Boolean).join(', ')})`;
}
