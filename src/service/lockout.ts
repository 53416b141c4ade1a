import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { ServiceRecord } from '../model/records.ts';
import { emailOf, type UserReference } from './find-user.ts';
import { readWhole } from './paging.ts';
import type { Api } from './service.ts';

/**
 * Who administers an account, for judging updates of some users:
 *
 * - `self`: the user of the token; `undefined` for client credentials.
 * - `enabled`: enabled account admins; only they can let others in.
 */
export type Admins = Readonly<Awaited<ReturnType<typeof readAdmins>>>;

/** Whether updates of some users lock people out. */
export type Judgement = { readonly verdict: 'safe' } | Lockout;

/** `self`: the user of the token. `last`: no enabled account admin is left. */
interface Lockout {
  readonly verdict: 'self' | 'last';
  readonly hit: readonly UserReference[];
}

/**
 * Reads who administers the account: users/me, and all pages of the users.
 *
 * @throws {CliError} when the service refuses; `incomplete_list`.
 */
export async function readAdmins(users: Pick<Api['users'], 'self' | 'listAll'>) {
  const self = await users.self();
  const enabled: UserReference[] = [];
  const see = (record: ServiceRecord) => {
    const { subject_id: id, enabled: isEnabled, is_account_admin: isAdmin } = record;
    if (isEnabled !== false && isAdmin === true)
      enabled.push({ subjectId: String(id), email: emailOf(record) });
  };
  await readWhole(users.listAll(), 'users', see, 'tell whether an enabled account admin would be left');
  return { self, enabled };
}

/**
 * Judges updates that reduce the access of users, together. The caller adds users who are promoted to the enabled admins.
 *
 * @param allowed e-mail addresses that may be locked out; they count as gone like the others.
 */
export function judgeLockout(
  targets: readonly UserReference[],
  { self, enabled }: Admins,
  allowed: readonly string[],
): Judgement {
  const judged = targets.filter((target) => !isAllowed(target, allowed));
  const own = self === undefined ? [] : judged.filter((target) => isSame(target, self));
  if (own.length > 0) return { verdict: 'self', hit: own };
  const isAmong = (people: readonly UserReference[]) => (person: UserReference) =>
    people.some((each) => isSame(each, person));
  if (!enabled.every(isAmong(targets))) return { verdict: 'safe' };
  const hit = judged.filter(isAmong(enabled));
  return hit.length > 0 ? { verdict: 'last', hit } : { verdict: 'safe' };
}

/** Whether --allow-lockout names a user: by the e-mail address, or by the subject id if no address is shown. */
export function isAllowed({ subjectId, email }: UserReference, allowed: readonly string[]): boolean {
  return allowed.some((each) => each.toLowerCase() === (email ?? subjectId).toLowerCase());
}

/**
 * The error for a lock-out.
 *
 * @param again the command line with --allow-lockout, for its value: addresses separated by commas.
 */
export function lockoutError(judgement: Lockout, again: (addresses: string) => string): CliError {
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
