import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { didYouMean, nearestAddress } from '../model/names.ts';
import { memoryLimit, type Page, type ServiceRecord } from '../model/records.ts';
import { quote } from '../model/text.ts';
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
  let meant: string | undefined;
  let listed = 0;
  let total: number | undefined;
  let lastId: string | undefined;
  let shownBy: string | undefined;
  for await (const { items, total: counted, requestId } of pages) {
    const found = items.filter((user) => emailOf(user)?.toLowerCase() === email.toLowerCase());
    claim(found);
    alike.push(...found);
    if (found.length > 0) shownBy = requestId;
    if (alike.length === 0) meant = nearestAddress(email, addressesOf(items, meant));
    listed += items.length;
    total = counted ?? total;
    lastId = requestId;
  }
  if (total !== undefined && total > listed) {
    const sentence = `Could not look for ${quote(email)}: the service counts ${total} users and listed ${listed}.`;
    const hint = 'Name the user by the subject id.';
    throw new CliError('incomplete_list', sentence, { requestId: lastId, hint });
  }
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

/** @param first comes first: of two that are equally near, the earlier one is suggested. */
function addressesOf(users: readonly ServiceRecord[], first: string | undefined): readonly string[] {
  const listed = users.map(emailOf).filter((each) => each !== undefined && each.length <= LONGEST_ADDRESS);
  return [first, ...listed].filter((each) => each !== undefined);
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
  if (typeof id === 'string' && id !== '' && id !== OWN_ID && idProblem(id) === undefined) return id;
  const isMissing = typeof id !== 'string' || id === '';
  const sentence = isMissing
    ? 'The service answered with a user without a subject id.'
    : `The service lists a user with the unusable subject id ${quote(id)}.`;
  throw new CliError('malformed_answer', sentence, { requestId });
}

/** What tells two users with one address apart. */
function describe(user: ServiceRecord): string {
  const { first_name: first, last_name: last, enabled } = user;
  const name = [first, last].filter((part) => typeof part === 'string').join(' ');
  const about = [name, emailOf(user), enabled === false ? 'disabled' : ''];
  return `${subjectIdOf(user)} (${about.filter(Boolean).join(', ')})`;
}
