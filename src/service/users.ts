import { adminFlag, inOneShape, type PropertiesResult, personName, planProperties } from '../model/access.ts';
import type { UserChanges } from '../model/access-change.ts';
import { CliError, ExitCode } from '../model/errors.ts';
import { compare, type PatchStep } from '../model/patch.ts';
import { memoryLimit, type Page, type ServiceRecord } from '../model/records.ts';
import { didYouMean, idProblem, nearestAddress, quote, sameName } from '../model/text.ts';
import type { Answer } from './answer.ts';
import { type Dialect, type Query, requiredInList, takes } from './dialect.ts';
import { pagedLists, readWhole } from './paging.ts';
import { type ApiOptions, ask, type Call, readList, readRecord, readRecordOf } from './reading.ts';
import type { Pause } from './send.ts';
import { type Updated, update, withDeadline } from './settling.ts';

/** The result of an update of a user. */
export interface UserUpdate extends Updated {
  /** The result for the properties, if some were to be added or removed. */
  readonly properties?: PropertiesResult | undefined;
}

/** What can be done with users. */
export type UsersApi = ReturnType<typeof usersApi>;

/** Users of the current account. */
export function usersApi(call: Call, dialect: Dialect, options: ApiOptions) {
  const { warn, ahead, grant } = options;
  const required = dialect.required.user;
  const readUser = (answer: Answer) => inOneShape(readRecord(answer, required));
  const me = () => ask(call, 'getCurrentUser', {}, readUser);
  const readUsers = (answer: Answer) => {
    const list = readList(answer, 'users', 'subject_id', requiredInList(dialect, 'user'));
    return { ...list, items: list.items.map(inOneShape) };
  };
  const readPage = (query: Query, deadline?: number) =>
    ask(call, 'listUsers', {}, readUsers, { query, deadline });
  const lists = pagedLists(readPage, { idOf: (user) => user['subject_id'], warn, ahead });
  const read = (subjectId: string, deadline = withDeadline(options).deadline) => {
    const readThis = (answer: Answer) => inOneShape(readRecordOf(answer, required, 'subject_id', subjectId));
    return ask(call, 'getUser', { subjectId }, readThis, { deadline });
  };

  return {
    /** GET /api/v1/users. */
    ...lists,

    /** GET /api/v1/identity/users/{subjectId}. */
    get: (subjectId: string): Promise<ServiceRecord> => ask(call, 'getUser', { subjectId }, readUser),

    /** The user with a subject id; a record of another user is refused. */
    read: (subjectId: string): Promise<ServiceRecord> => read(subjectId),

    /**
     * GET /api/v1/users/me.
     *
     * @throws {CliError} `no_user`, exit 5, for client credentials, which belong to no user. Nothing is sent then.
     */
    me: async (): Promise<ServiceRecord> => {
      if (grant === 'client-credentials')
        throw new CliError('no_user', 'Client credentials have no user.', {
          exitCode: ExitCode.forbidden,
          hint: 'Use a profile with the token of a person.',
        });
      return me();
    },

    /**
     * The user of the token, to compare with; `undefined` if it belongs to no user.
     *
     * @throws {CliError} when users/me is refused for another reason.
     */
    self: async (): Promise<UserReference | undefined> => {
      if (grant === 'client-credentials') return undefined;
      try {
        const user = await me();
        return { subjectId: String(user['subject_id']), email: emailOf(user) };
      } catch (error) {
        const hasNoUser = error instanceof CliError && error.code === 'forbidden' && grant !== 'user';
        if (hasNoUser) return undefined;
        throw error;
      }
    },

    /**
     * The one user with an e-mail address, from all pages of the list; see `findByEmail` below. The pages
     * share one time limit: an endless list must end. A service that filters by e-mail is asked for that first, and
     * believed only if the addresses are identical.
     */
    findByEmail: async (email: string): Promise<UserReference> => {
      const { deadline } = withDeadline(options);
      const among = (filter: Query) => findByEmail(lists.listAll(filter, deadline), email);
      const found = takes(dialect, 'listUsers', 'email')
        ? await among({ email }).catch(unlessUndecided)
        : undefined;
      return found?.email === email ? found : among({});
    },

    /**
     * PATCH /api/v1/identity/users/{subjectId}, read back unless `verify` is false.
     *
     * `add` on /properties sets the whole array. To add or remove some, the user is read first and before every further
     * attempt, and the whole array is sent.
     *
     * @throws {OutcomeUnknown} when no answer came and reading cannot settle it.
     */
    update: async (
      subjectId: string,
      changes: UserChanges,
      { verify }: { readonly verify: boolean },
    ): Promise<UserUpdate> => {
      const { steps: fixed, addProperties: add, removeProperties: remove } = changes;
      const isEdit = add !== undefined || remove !== undefined;
      const change = {
        send: (body: readonly PatchStep[], deadline: number, earlier?: Pause) =>
          call('updateUser', { subjectId }, { body, deadline, pauses: isEdit, earlier }),
        read: (deadline: number) => read(subjectId, deadline),
        verify,
      };
      if (!isEdit) return update({ ...change, steps: fixed }, options);
      const plan = planProperties({ add: add ?? [], remove: remove ?? [] });
      const stepsFor = (seen: ServiceRecord) => [...fixed, ...plan.stepsFor(seen)];
      const judge = (record: ServiceRecord) => {
        const [others, edited] = [compare(record, fixed), plan.judge(record)];
        return { ...others, different: [...others.different, ...edited.different] };
      };
      const steps = stepsFor(await read(subjectId));
      const done = await update({ ...change, ...plan, steps, stepsFor, judge }, options);
      return { ...done, properties: plan.result(done.record) };
    },
  };
}

/** For `catch`: the whole list may decide what a part of it does not. */
function unlessUndecided(error: unknown): undefined {
  const isUndecided =
    error instanceof CliError && ['not_found', 'ambiguous', 'incomplete_list'].includes(error.code);
  if (!isUndecided || error.status !== undefined) throw error;
}

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
  const wanted = sameName(email);
  let [meant, shownBy, lastId]: (string | undefined)[] = [];
  const see = (user: ServiceRecord, requestId?: string) => {
    const shown = emailOf(user);
    lastId = requestId;
    if (shown !== undefined && sameName(shown) === wanted) {
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
export async function readAdmins(users: Pick<UsersApi, 'self' | 'listAll'>) {
  const self = await users.self();
  const enabled: UserReference[] = [];
  const see = (record: ServiceRecord) => {
    const { subject_id: id, enabled: isEnabled, [adminFlag]: isAdmin } = record;
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
  return allowed.some((each) => sameName(each) === sameName(email ?? subjectId));
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
  return some.email !== undefined && sameName(some.email) === sameName(other.email ?? '');
}
