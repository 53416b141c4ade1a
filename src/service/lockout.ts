import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Page, ServiceRecord } from '../model/records.ts';
import { emailOf } from './find-user.ts';
import { readWhole } from './paging.ts';

/** A user as far as lock-out is concerned. */
export interface Person {
  readonly subjectId: string;
  /** As the service shows it, where it was read. */
  readonly email?: string | undefined;
}

/** Who administers an account, as far as it matters to some users who are to be reduced. */
export interface Admins {
  /** The user whose token is in use; `undefined` under client credentials, which belong to none. */
  readonly self: Partial<Person> | undefined;
  /** Enabled account admins: the only people who can let others in. */
  readonly enabled: readonly Person[];
  /** Users of whom the list does not show whether they are. */
  readonly hidden: readonly Person[];
  /** Those of the users asked about who are not on the list. */
  readonly unlisted: readonly Person[];
  /** Why the list may not be whole, as a clause. */
  readonly gap: string | undefined;
}

/** Whether reducing some users locks somebody out. */
export type Judgement =
  | { readonly verdict: 'safe' }
  /** `self`: it hits the user who asks. `last`: no enabled account admin is left. `unknown`: the records do not tell that. */
  | { readonly verdict: 'self' | 'last' | 'unknown'; readonly hit: readonly Person[] };

/** What reads who administers an account. */
interface Users {
  readonly self: () => Promise<Partial<Person> | undefined>;
  readonly listAll: () => AsyncIterable<Page>;
}

/**
 * Reads who asks and who administers the account: users/me, and all pages of the users.
 *
 * @param targets the users who are to be reduced.
 * @throws {CliError} as the service refused; nothing can be judged then.
 */
export async function readAdmins(targets: readonly Person[], users: Users): Promise<Admins> {
  const self = await users.self();
  const [enabled, hidden]: [Person[], Person[]] = [[], []];
  const unlisted = new Set(targets);
  const gap = await readWhole(users.listAll(), 'users', (record) => {
    const person = personOf(record);
    for (const target of unlisted) if (isSame(target, person)) unlisted.delete(target);
    const standing = standingOf(record);
    if (standing === 'admin') enabled.push(person);
    if (standing === 'hidden') hidden.push(person);
  });
  return { self, enabled, hidden, unlisted: [...unlisted], gap };
}

/**
 * Judges updates that reduce users, all of them together. Users who are promoted beside them count where the caller has
 * put them among the enabled admins.
 *
 * @param allowed whole e-mail addresses for which the rule was lifted; they are reduced like the others, and count as gone.
 * @throws {CliError} `incomplete_list` where the list is not whole and it matters.
 */
export function judgeLockout(
  targets: readonly Person[],
  { self, enabled, hidden, unlisted, gap }: Admins,
  allowed: readonly string[],
): Judgement {
  const judged = targets.filter((target) => !isAllowed(target, allowed));
  const own = self === undefined ? [] : judged.filter((target) => isSame(target, self));
  if (own.length > 0) return { verdict: 'self', hit: own };
  const isAmong = (people: readonly Person[]) => (person: Person) =>
    people.some((each) => isSame(each, person));
  const staying = (people: readonly Person[]) => people.filter((person) => !isAmong(targets)(person));
  if (staying(enabled).length > 0) return { verdict: 'safe' };
  const hit = judged.filter(isAmong(enabled));
  const perhaps = judged.filter(isAmong([...hidden, ...unlisted]));
  if (hit.length + perhaps.length === 0) return { verdict: 'safe' };
  if (gap !== undefined) throw incomplete(gap);
  const isKnown = hit.length > 0 && staying(hidden).length === 0;
  return isKnown ? { verdict: 'last', hit } : { verdict: 'unknown', hit: [...hit, ...perhaps] };
}

/** Whether --allow-lockout names a user: by the whole e-mail address, or by the subject id where none is shown. */
export function isAllowed({ subjectId, email }: Person, allowed: readonly string[]): boolean {
  return allowed.some((each) => each.toLowerCase() === (email ?? subjectId).toLowerCase());
}

/**
 * The refusal of a judgement; `undefined` where it refuses nothing: what is `unknown` is the person's to confirm.
 *
 * @param again what to type with the rule lifted, for the value of --allow-lockout: addresses with commas between them.
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

function incomplete(gap: string): CliError {
  return new CliError(
    'incomplete_list',
    `Could not tell whether an enabled account admin would be left: ${gap}. Nothing was sent.`,
  );
}

function personOf(user: ServiceRecord): Person {
  const { subject_id: id } = user;
  return { subjectId: typeof id === 'string' ? id : '', email: emailOf(user) };
}

function standingOf({ enabled, is_account_admin: isAdmin }: ServiceRecord): 'admin' | 'hidden' | 'other' {
  if (enabled === false || isAdmin === false) return 'other';
  return enabled === true && isAdmin === true ? 'admin' : 'hidden';
}

/** Whether two are one: by the id, in any case, with and without hyphens; by the address where an id is missing. */
function isSame(some: Partial<Person>, other: Partial<Person>): boolean {
  const [id, otherId] = [plainId(some.subjectId), plainId(other.subjectId)];
  if (id && otherId) return id === otherId;
  return some.email !== undefined && some.email.toLowerCase() === other.email?.toLowerCase();
}

function plainId(id: string | undefined): string | undefined {
  return id?.toLowerCase().replaceAll('-', '');
}
