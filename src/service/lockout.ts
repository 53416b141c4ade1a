import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { emailOf, type UserReference } from './find-user.ts';
import { readWhole } from './paging.ts';
import type { Api } from './service.ts';

/**
 * Who administers an account, for judging updates of some users:
 *
 * - `self`: the user of the token; `undefined` for client credentials.
 * - `enabled`: enabled account admins; only they can let others in.
 * - `hidden`: users whose flags the list does not show.
 * - `unlisted`: users to be reduced who are not listed.
 * - `gap`: why the list may be incomplete, as a clause.
 */
export type Admins = Readonly<Awaited<ReturnType<typeof readAdmins>>>;

/** Whether updates of some users lock people out. */
export type Judgement =
  | { readonly verdict: 'safe' }
  /** `self`: the user of the token. `last`: no enabled account admin is left. `unknown`: the records do not show it. */
  | { readonly verdict: 'self' | 'last' | 'unknown'; readonly hit: readonly UserReference[] };

/**
 * Reads who administers the account: users/me, and all pages of the users.
 *
 * @param targets users whose access is to be reduced.
 * @throws {CliError} when the service refuses.
 */
export async function readAdmins(
  targets: readonly UserReference[],
  users: Pick<Api['users'], 'self' | 'listAll'>,
) {
  const self = await users.self();
  const [admins, hidden]: [UserReference[], UserReference[]] = [[], []];
  const unlisted = new Set(targets);
  const gap = await readWhole(users.listAll(), 'users', (record) => {
    const { subject_id: id, enabled, is_account_admin: isAdmin } = record;
    const person = { subjectId: typeof id === 'string' ? id : '', email: emailOf(record) };
    for (const target of unlisted) if (isSame(target, person)) unlisted.delete(target);
    if (enabled === false || isAdmin === false) return;
    (enabled === true && isAdmin === true ? admins : hidden).push(person);
  });
  return { self, enabled: admins, hidden, unlisted: [...unlisted], gap };
}

/**
 * Judges updates that reduce the access of users, together. The caller adds users who are promoted to the enabled admins.
 *
 * @param allowed e-mail addresses that may be locked out; they count as gone like the others.
 * @throws {CliError} `incomplete_list` if the list is incomplete and it matters.
 */
export function judgeLockout(
  targets: readonly UserReference[],
  { self, enabled, hidden, unlisted, gap }: Admins,
  allowed: readonly string[],
): Judgement {
  const judged = targets.filter((target) => !isAllowed(target, allowed));
  const own = self === undefined ? [] : judged.filter((target) => isSame(target, self));
  if (own.length > 0) return { verdict: 'self', hit: own };
  const isAmong = (people: readonly UserReference[]) => (person: UserReference) =>
    people.some((each) => isSame(each, person));
  const staying = (people: readonly UserReference[]) => people.filter((person) => !isAmong(targets)(person));
  if (staying(enabled).length > 0) return { verdict: 'safe' };
  const hit = judged.filter(isAmong(enabled));
  const perhaps = judged.filter(isAmong([...hidden, ...unlisted]));
  if (hit.length + perhaps.length === 0) return { verdict: 'safe' };
  if (gap !== undefined) {
    const sentence = `Could not tell whether an enabled account admin would be left: ${gap}. Nothing was sent.`;
    throw new CliError('incomplete_list', sentence);
  }
  const isKnown = hit.length > 0 && staying(hidden).length === 0;
  return isKnown ? { verdict: 'last', hit } : { verdict: 'unknown', hit: [...hit, ...perhaps] };
}

/** Whether --allow-lockout names a user: by the e-mail address, or by the subject id if no address is shown. */
export function isAllowed({ subjectId, email }: UserReference, allowed: readonly string[]): boolean {
  return allowed.some((each) => each.toLowerCase() === (email ?? subjectId).toLowerCase());
}

/**
 * The error for a judgement; `undefined` for `safe`, and for `unknown`, which needs confirmation.
 *
 * @param again the command line with --allow-lockout, for its value: addresses separated by commas.
 */
export function lockoutError(
  judgement: Judgement,
  again: (addresses: string) => string,
): CliError | undefined {
  if (judgement.verdict === 'safe' || judgement.verdict === 'unknown') return undefined;
  const isSelf = judgement.verdict === 'self';
  const names = judgement.hit.map(({ subjectId, email }) => email ?? subjectId);
  const who = names.join(', ');
  const sentence = isSelf
    ? `This would lock you out: ${who} is your own user. Nothing was sent.`
    : `No enabled account admin would be left without ${who}. Nothing was sent.`;
  const other = isSelf ? 'Let another account admin do it' : 'Make another user an account admin first';
  return new CliError('lockout', sentence, {
    exitCode: ExitCode.blocked,
    hint: `${other}, or allow it for ${names.length === 1 ? 'this person' : 'these people'}: ${again(names.join(','))}`,
  });
}

/** Whether two users are the same: by the id, ignoring case and hyphens; without an id by the address. */
export function isSame(some: Partial<UserReference>, other: Partial<UserReference>): boolean {
  const [id, otherId] = [some, other].map((each) => each.subjectId?.toLowerCase().replaceAll('-', ''));
  if (id && otherId) return id === otherId;
  return some.email !== undefined && some.email.toLowerCase() === other.email?.toLowerCase();
}
