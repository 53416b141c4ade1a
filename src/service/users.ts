import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { inOneShape, type PropertiesResult, planProperties } from '../model/access.ts';
import type { UserChanges } from '../model/access-change.ts';
import { compare, type PatchStep } from '../model/patch.ts';
import type { ServiceRecord } from '../model/records.ts';
import type { Answer } from './answer.ts';
import type { Call } from './client.ts';
import { type Dialect, type Query, requiredInList, takes } from './dialect.ts';
import { emailOf, findByEmail, type UserReference } from './find-user.ts';
import { pagedLists } from './paging.ts';
import { ask, readList, readRecord, readRecordOf } from './reading.ts';
import type { Pause } from './send.ts';
import type { ApiOptions } from './service.ts';
import { type Updated, update, withDeadline } from './settling.ts';

/** The result of an update of a user. */
export interface UserUpdate extends Updated {
  /** The result for the properties, if some were to be added or removed. */
  readonly properties?: PropertiesResult | undefined;
}

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
     * The one user with an e-mail address, from all pages of the list; see `findByEmail` in find-user.ts. The pages
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
