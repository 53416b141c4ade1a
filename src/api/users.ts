import { nearest } from '../checks/nearest.ts';
import { quote } from '../checks/text.ts';
import { CliError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Credentials } from '../http/authorization.ts';
import type { Page, ServiceRecord } from '../records.ts';
import type { Call } from './client.ts';
import type { Query } from './dialects/dialect.ts';
import { type Extent, type WalkOptions, walk } from './paging.ts';
import type { PatchStep } from './patch.ts';
import { readList, readRecord } from './reading.ts';
import { type ReadBack, type SettleOptions, update } from './updating.ts';
import { planAdding, withPropertyIds } from './user-properties.ts';

/** What an update of a user sends. */
export interface UserChanges {
  readonly steps: readonly PatchStep[];
  /** Properties the user gains; those the user has stay. */
  readonly addProperties?: readonly string[] | undefined;
  readonly verify: boolean;
}

/** How an update of a user ended. */
export interface UserUpdate extends ReadBack {
  /** The user had everything that was to be added, and nothing else was to change: nothing was sent. */
  readonly unchanged: boolean;
  /** All properties that were sent, where some were to be added. */
  readonly sentProperties: readonly string[] | undefined;
  /** The properties that were read back, where they are neither what was sent nor what was there before. */
  readonly othersProperties: readonly string[] | undefined;
}

/** A user that somebody named. */
export interface UserReference {
  readonly subjectId: string;
  /** As the service lists it, where the user was found by it. */
  readonly email?: string;
}

type UsersOptions = SettleOptions & Pick<WalkOptions, 'warn'> & { readonly grant: Credentials['grant'] };

/** Users of the current account. */
export function usersApi(call: Call, options: UsersOptions) {
  const list = (filter: Query, extent: Extent): AsyncGenerator<Page> =>
    walk(
      async ({ number, size }) => {
        const query = { ...filter, page_size: size, page_number: number };
        return readList(await call('listUsers', {}, { query }), 'users', 'subject_id');
      },
      extent,
      { idOf: (user) => user['subject_id'] ?? JSON.stringify(user), warn: options.warn },
    );
  const read = async (subjectId: string, deadline?: number): Promise<ServiceRecord> =>
    withPropertyIds(
      readRecord(await call('getUser', { subjectId }, deadline === undefined ? {} : { deadline })),
    );

  return {
    /**
     * GET /api/v1/users, page by page.
     *
     * @param filter `property_ids`, and query parameters that the contract does not name, sent as they are.
     */
    list,

    /** GET /api/v1/identity/users/{subjectId}. */
    get: async (subjectId: string): Promise<ServiceRecord> =>
      readRecord(await call('getUser', { subjectId })),

    /**
     * GET /api/v1/users/me.
     *
     * @throws {CliError} `no_user`, exit 5, where client credentials ask: they belong to no user. Nothing is sent then.
     */
    me: async (): Promise<ServiceRecord> => {
      if (options.grant === 'client-credentials') throw noUser();
      return readRecord(await call('getCurrentUser', {}));
    },

    /**
     * The one user with this e-mail address, from all pages of the list; letters may differ in case.
     *
     * @throws {CliError} exit 3 when there is none, exit 12 naming the candidates when there are several.
     */
    findByEmail: async (email: string): Promise<UserReference> => {
      const found: ServiceRecord[] = [];
      const emails: string[] = [];
      for await (const { items } of list({}, { limit: Number.POSITIVE_INFINITY })) {
        for (const user of items) {
          const listed = user['email'];
          if (typeof listed !== 'string') continue;
          if (listed.toLowerCase() === email.toLowerCase()) found.push(user);
          else emails.push(listed);
        }
      }
      return onlyOne(found, email, emails);
    },

    /**
     * PATCH /api/v1/identity/users/{subjectId}, read back unless `verify` is false.
     *
     * The service's `add` on /properties sets the whole array. So what the user has is read first, and the whole is sent.
     *
     * @throws {OutcomeUnknown} when no answer came and reading cannot tell.
     */
    update: async (subjectId: string, { steps, addProperties, verify }: UserChanges): Promise<UserUpdate> => {
      const before = addProperties === undefined ? undefined : await read(subjectId);
      const plan = planAdding(before, subjectId, addProperties ?? []);
      const stepsFor = (seen: ServiceRecord | undefined) => [...steps, ...plan.steps(seen)];
      if (stepsFor(undefined).length === 0) {
        const nothing = { verification: 'confirmed', paths: [], unchanged: true } as const;
        return { ...nothing, record: before, sentProperties: undefined, othersProperties: undefined };
      }
      const done = await update(
        {
          steps: stepsFor,
          send: (body, deadline) => call('updateUser', { subjectId }, { body, deadline }),
          read: (_steps, deadline) => read(subjectId, deadline),
          verify,
        },
        options,
      );
      return {
        ...done,
        unchanged: false,
        sentProperties: plan.sent(),
        othersProperties: plan.others(done.record),
      };
    },
  };
}

/** The caller's grant has no user. */
function noUser(): CliError {
  return new CliError('no_user', 'Client credentials belong to no user, so that there is no current one.', {
    exitCode: ExitCode.forbidden,
    hint: 'Use a profile with the token of a person.',
  });
}

function onlyOne(found: readonly ServiceRecord[], email: string, others: readonly string[]): UserReference {
  const ids = [...new Set(found.map(subjectIdOf))];
  const [subjectId] = ids;
  const listed = found[0]?.['email'];
  if (subjectId === undefined || typeof listed !== 'string') {
    const meant = nearest(email, others);
    throw new CliError('not_found', `There is no user with the e-mail address ${quote(email)}.`, {
      exitCode: ExitCode.notFound,
      hint: meant === undefined ? undefined : `Did you mean ${meant}?`,
    });
  }
  if (ids.length === 1) return { subjectId, email: listed };
  throw new CliError('ambiguous', `${ids.length} users have the e-mail address ${quote(email)}.`, {
    exitCode: ExitCode.ambiguous,
    hint: 'Name the one you mean by its subject id.',
    details: found.map((user) => ({ field: subjectIdOf(user), reason: describe(user) })),
  });
}

function subjectIdOf({ subject_id: id }: ServiceRecord): string {
  if (typeof id === 'string' && id !== '') return id;
  throw malformed('a user without a subject id');
}

/** What tells two users of one address apart. */
function describe({ email, first_name: first, last_name: last, enabled }: ServiceRecord): string {
  const name = [first, last].filter((part) => typeof part === 'string').join(' ');
  return [email, name, enabled === false ? 'disabled' : ''].filter((part) => part !== '').join(', ');
}

function malformed(what: string): CliError {
  return new CliError('malformed_answer', `The service answered with ${what}.`);
}
