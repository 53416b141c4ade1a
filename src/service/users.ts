import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { inOneShape, type PropertiesResult, planProperties } from '../model/access.ts';
import type { UserChanges } from '../model/access-change.ts';
import { compare, type PatchStep } from '../model/patch.ts';
import type { Page, ServiceRecord } from '../model/records.ts';
import type { Answer } from './answer.ts';
import type { Call } from './client.ts';
import { type Query, takes } from './dialect.ts';
import { emailOf, findByEmail, type UserReference } from './find-user.ts';
import { type Extent, type WalkOptions, walk } from './paging.ts';
import { ask, type ListAnswer, readList, readRecord, readRecordOf } from './reading.ts';
import type { Pause } from './send.ts';
import type { ApiOptions } from './service.ts';
import { withDeadline } from './settling.ts';
import { type Updated, update } from './updating.ts';

/** How an update of a user ended. */
export interface UserUpdate extends Updated {
  /** What became of the properties, where some were to be added or removed. */
  readonly properties?: PropertiesResult | undefined;
}

/** Users of the current account. */
export function usersApi(call: Call, options: ApiOptions) {
  const list = (
    filter: Query,
    extent: Extent,
    { deadline, ...more }: Partial<WalkOptions> & { readonly deadline?: number } = {},
  ): AsyncGenerator<Page> => {
    const { warn, ahead } = options;
    return walk(
      ({ number, size }) => {
        const query = { ...filter, page_size: size, page_number: number };
        const timed = deadline === undefined ? {} : { deadline };
        return ask(call, 'listUsers', {}, readUsers, { query, ...timed });
      },
      extent,
      { idOf: (user) => user['subject_id'] ?? JSON.stringify(user), warn, ahead, ...more },
    );
  };
  const read = (subjectId: string, deadline = withDeadline(options).deadline) =>
    ask(
      call,
      'getUser',
      { subjectId },
      (answer) => inOneShape(readRecordOf(answer, 'subject_id', subjectId)),
      { deadline },
    );

  return {
    /**
     * GET /api/v1/users, page by page.
     *
     * @param filter `property_ids`, and query parameters that the contract does not name, sent as they are; the public
     *   service knows `email`, `enabled` and `sort`.
     */
    list: (filter: Query, extent: Extent): AsyncGenerator<Page> => list(filter, extent),

    /** All pages of the list; the reader judges a count that disagrees. */
    listAll: (filter: Query = {}): AsyncGenerator<Page> => list(filter, {}, { warn: async () => {} }),

    /** GET /api/v1/identity/users/{subjectId}. */
    get: (subjectId: string): Promise<ServiceRecord> => ask(call, 'getUser', { subjectId }, readUser),

    /** The user with a subject id, to conclude something from it: a record of somebody else is refused. */
    read: (subjectId: string): Promise<ServiceRecord> => read(subjectId),

    /**
     * GET /api/v1/users/me.
     *
     * @throws {CliError} `no_user`, exit 5, where client credentials ask: they belong to no user. Nothing is sent then.
     */
    me: async (): Promise<ServiceRecord> => {
      if (options.grant === 'client-credentials') throw noUser();
      return ask(call, 'getCurrentUser', {}, readUser);
    },

    /**
     * Who asks, to compare with; `undefined` where a token belongs to no user, as that of client credentials.
     *
     * @throws {CliError} as users/me was refused, other than for want of a user; `malformed_answer` when it names no user.
     */
    self: async (): Promise<Partial<UserReference> | undefined> => {
      if (options.grant === 'client-credentials') return undefined;
      try {
        return await ask(call, 'getCurrentUser', {}, (answer) => selfIn(readRecord(answer)));
      } catch (error) {
        const hasNoUser = error instanceof CliError && error.code === 'forbidden' && options.grant !== 'user';
        if (hasNoUser) return undefined;
        throw error;
      }
    },

    /** The e-mail address of a user, where one is shown; a record of somebody else is refused. */
    emailOf: async (subjectId: string): Promise<string | undefined> => emailOf(await read(subjectId)),

    /**
     * The one user with an e-mail address, from all pages of the list; see `findByEmail` in find-user.ts. The pages
     * have one time together: a list without an end must not be read for ever. A service that filters by e-mail is
     * asked for that first; only who has the very same address is known by it to be the one.
     */
    findByEmail: async (email: string): Promise<UserReference> => {
      const { deadline } = withDeadline(options);
      // A count that disagrees is an error there, and needs no warning.
      const warn = async () => {};
      const among = (filter: Query) => findByEmail(list(filter, {}, { deadline, warn }), email);
      const found = takes(options.dialect, 'listUsers', 'email')
        ? await among({ email }).catch(unlessUndecided)
        : undefined;
      return found?.email === email ? found : among({});
    },

    /**
     * PATCH /api/v1/identity/users/{subjectId}, read back unless `verify` is false.
     *
     * The service's `add` on /properties sets the whole array. So where some are added or removed, what the user has is
     * read first and before every further try, and the whole is sent.
     *
     * @throws {OutcomeUnknown} when no answer came and reading cannot tell.
     */
    update: async (
      subjectId: string,
      changes: UserChanges,
      { verify }: { readonly verify: boolean },
    ): Promise<UserUpdate> => {
      const { steps: fixed, addProperties, removeProperties } = changes;
      const isEdit = addProperties !== undefined || removeProperties !== undefined;
      const change = {
        send: (body: readonly PatchStep[], deadline: number, earlier?: Pause) =>
          call('updateUser', { subjectId }, { body, deadline, pauses: isEdit, earlier }),
        read: (deadline: number) => read(subjectId, deadline),
        verify,
      };
      if (!isEdit) return update({ ...change, steps: fixed }, options);
      const edits = { add: addProperties ?? [], remove: removeProperties ?? [] };
      const plan = planProperties(subjectId, edits);
      const stepsFor = (seen: ServiceRecord) => [...fixed, ...plan.stepsFor(seen)];
      const judge = (record: ServiceRecord) => {
        const [others, edited] = [compare(record, fixed), plan.judge(record)];
        return {
          different: [...others.different, ...edited.different],
          unseen: [...others.unseen, ...edited.unseen],
          absent: others.absent,
        };
      };
      const steps = stepsFor(await read(subjectId));
      const { isPlausible } = plan;
      const done = await update({ ...change, steps, stepsFor, isPlausible, judge }, options);
      return { ...done, properties: plan.result(done.record) };
    },
  };
}

function readUsers(answer: Answer): ListAnswer {
  const list = readList(answer, 'users', 'subject_id');
  return { ...list, items: list.items.map(inOneShape) };
}

/** For `catch`: what a part of the list does not decide, the whole of it may. */
function unlessUndecided(error: unknown): undefined {
  const isUndecided =
    error instanceof CliError && ['not_found', 'ambiguous', 'incomplete_list'].includes(error.code);
  if (!isUndecided || error.status !== undefined) throw error;
}

function readUser(answer: Answer): ServiceRecord {
  return inOneShape(readRecord(answer));
}

function selfIn(user: ServiceRecord): Partial<UserReference> {
  const { subject_id: id } = user;
  const email = emailOf(user);
  if (typeof id === 'string') return { subjectId: id, email };
  if (email !== undefined) return { email };
  throw new CliError(
    'malformed_answer',
    'the service answered with a user without a subject id or an address',
  );
}

/** The caller's grant has no user. */
function noUser(): CliError {
  return new CliError('no_user', 'Client credentials have no user.', {
    exitCode: ExitCode.forbidden,
    hint: 'Use a profile with the token of a person.',
  });
}
