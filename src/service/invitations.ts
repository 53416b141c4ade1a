import { adminFlag, hasFullAccess, rolesOf, shownProperties, showsOtherAccess } from '../model/access.ts';
import { momentOf, parseHttpDate } from '../model/dates.ts';
import { CliError, ExitCode, OutcomeUnknown } from '../model/errors.ts';
import { normalise } from '../model/fields.ts';
import { Interruption } from '../model/ports.ts';
import { isRecord, type Page, type ServiceRecord, withoutHoles } from '../model/records.ts';
import { sameName } from '../model/text.ts';
import type { Answer } from './answer.ts';
import { type Dialect, type Query, takes } from './dialect.ts';
import { type Extent, type ListAnswer, whole } from './paging.ts';
import { type ApiOptions, ask, type Call, type CallOptions, readList, readRecord } from './reading.ts';
import { type Earlier, earlierOf, endedBy, type Pause } from './send.ts';
import { isOpenDoubt, look, type ReadBack, remove, withDeadline } from './settling.ts';
import { findByEmail, type UsersApi } from './users.ts';

/** The body of create invitation. The contract does not say which fields are required; others are sent unchanged. */
export interface NewInvitation extends ServiceRecord {
  readonly email: string;
  readonly properties?: readonly string[];
  readonly [adminFlag]?: boolean;
  readonly role?: string;
  /** Besides `role`, if the dialect accepts it: the service combines both. */
  readonly roles?: readonly string[];
}

/** The `date` header has whole seconds, and is a little later than the record. */
const CLOCK_SLACK_MS = 2_000;

/** Without a `date` header the record is compared with the clock of this machine. */
const FOREIGN_CLOCK_SLACK_MS = 300_000;

/** A `date` header further from this machine's clock is not used. */
const FURTHEST_CLOCK_MS = 86_400_000;

/** An invitation that was sent, when that began, and the time now. */
interface Invited {
  readonly invitation: NewInvitation;
  readonly started: number;
  readonly now: number;
}

/** Invitations of the current account. */
export function invitationsApi(call: Call, dialect: Dialect, options: ApiOptions) {
  const readInvitations = (answer: Answer) =>
    readList(answer, 'invitations', 'email', dialect.required.invitation);
  const list = (more: Pick<CallOptions, 'query' | 'deadline'>) =>
    ask(call, 'listInvitations', {}, readInvitations, more);
  return {
    /**
     * GET /api/v1/invitations; the service does not page.
     *
     * @param filter `property_id`, and query parameters that the contract does not name, sent unchanged.
     */
    list: (filter: Query, extent: Extent): AsyncGenerator<Page> =>
      whole(list({ query: filter }), extent, options.warn),

    /** All of them as one page; its total is the service's count, if any. */
    listAll: async function* (filter: Query = {}): AsyncGenerator<Page> {
      const { items, count } = await list({ query: filter });
      yield { items, total: count, truncated: false };
    },

    /**
     * POST /api/v1/invitations.
     *
     * The contract has no idempotency key for it. Without an answer the list is read instead of sending it again, so that
     * the person gets one mail; it is also read before an attempt that follows a 503. An answer that does not name the
     * invited person counts as none.
     *
     * @returns the answer of the service, or the invitation as listed.
     * @throws {OutcomeUnknown} when the list does not show one that was made since.
     */
    create: (invitation: NewInvitation): Promise<ServiceRecord> =>
      options.kept.one(async () => {
        const started = options.now();
        const timed = withDeadline(options);
        const { deadline } = timed;
        const readThis = (answer: Answer) =>
          lookFor({ invitation, started, now: options.now() }, readInvitations(answer), answer);
        const read = () => ask(call, 'listInvitations', {}, readThis, { deadline });
        try {
          for (let earlier: Earlier | undefined; ; ) {
            const request = { body: invitation, deadline, pauses: true, earlier };
            const sent = await call('createInvitation', {}, request);
            const made = 'past' in sent ? await invitationInPause(sent, read) : recordFor(invitation, sent);
            if (made !== undefined) return made;
            earlier = earlierOf(sent);
          }
        } catch (error) {
          if (!isOpenDoubt(error)) throw error;
          const { seen } = await look(read, ({ found }) => found !== undefined, timed, error);
          if (seen?.found === undefined) throw error;
          return seen.found;
        }
      }),

    /**
     * DELETE /api/v1/invitations/{email}; the list is read afterwards unless `verify` is false.
     *
     * @throws {OutcomeUnknown} when no answer confirmed it, and the list still shows it or cannot be read.
     */
    delete: (email: string, { verify }: { readonly verify: boolean }): Promise<ReadBack> =>
      remove(
        {
          send: (deadline) => call('deleteInvitation', { email }, { deadline }),
          isGone: async (deadline) => isAbsent(await list({ deadline }), email),
          verify,
          presumed: `There is no invitation to ${email} now`,
        },
        options,
      ),
  };
}

/** There is no invitation to withdraw, and the person is an enabled user. */
export class Accepted extends CliError {
  readonly id: string;

  constructor(email: string, id: string) {
    const sentence = `There is no invitation to ${email} any more: it was accepted, and the person is a user now.`;
    super('accepted', sentence, { exitCode: ExitCode.notFound });
    this.id = id;
  }
}

/**
 * Withdraws an invitation. If there is none, the person may have accepted it, so that the users are read.
 *
 * @throws {Accepted} if the person is an enabled user; `OutcomeUnknown`, with the refusal as its cause, if that is not known.
 */
export async function withdraw(
  email: string,
  how: { readonly verify: boolean },
  {
    invitations,
    users,
  }: { readonly invitations: Pick<ReturnType<typeof invitationsApi>, 'delete'>; readonly users: Users },
): Promise<ReadBack> {
  const done = await invitations.delete(email, how).catch(unlessOther);
  const isGone = done instanceof CliError;
  if (!isGone && done.presumed === undefined) return done;
  const accepted = await acceptedBy(email, users).catch((cause: unknown) => {
    if (!(cause instanceof CliError || cause instanceof Interruption)) throw cause;
    const { exitCode } = cause instanceof Interruption ? cause : { exitCode: undefined };
    const sentence = `There is no invitation to ${email} now, and whether the person is a user is not known: ${cause.message}`;
    throw new OutcomeUnknown(sentence, { cause: isGone ? done : cause, exitCode });
  });
  if (accepted !== undefined || isGone) throw accepted ?? done;
  return done;
}

type Users = Pick<UsersApi, 'listAll' | 'read'>;

async function acceptedBy(email: string, users: Users): Promise<Accepted | undefined> {
  const found = await findByEmail(users.listAll(), email).catch(unlessOther);
  if (found instanceof CliError) return undefined;
  const user = await users.read(found.subjectId);
  return user['enabled'] === false ? undefined : new Accepted(email, found.subjectId);
}

/** For `catch`: that there is none is an answer. */
function unlessOther(error: unknown): CliError {
  if (!(error instanceof CliError) || error.code !== 'not_found') throw error;
  return error;
}

/** The record of an answer; `undefined` if it does not name the invited person. */
function recordFor({ email }: NewInvitation, answer: Answer): ServiceRecord | undefined {
  const isNamed = isRecord(answer.body) && isAddressedTo(normalise(answer.body), email);
  return isNamed ? readRecord(answer, ['email']) : undefined;
}

/** What a list shows of an invitation that was sent: the invitation, or why it may exist although it was not found. */
function lookFor(invited: Invited, list: ListAnswer, answer: Answer) {
  const { invitation } = invited;
  const recent = list.items
    .filter((record) => isAddressedTo(record, invitation.email))
    .map((record) => ({ record, age: ageOf(record, invited, answer) }))
    .filter(({ age }) => age !== 'older');
  const found = recent.find(
    ({ record, age }) => age === 'made since' && !showsOtherAccess(record, invitation),
  );
  const doubt =
    recent.length > 0 ? inconclusive('an invitation to the same address may be this one', list) : gapIn(list);
  return { found: found?.record, doubt };
}

/**
 * The invitation of an attempt that was answered with a 503; `undefined` if it does not exist.
 *
 * @throws {OutcomeUnknown} if that cannot be determined: a further attempt might send a second mail.
 */
async function invitationInPause(
  pause: Pause,
  read: () => Promise<ReturnType<typeof lookFor>>,
): Promise<ServiceRecord | undefined> {
  if (!pause.past.suspect) return undefined;
  try {
    const { found, doubt } = await read();
    if (found === undefined && doubt !== undefined) throw doubt;
    return found;
  } catch (cause) {
    if (!(cause instanceof CliError)) throw endedBy(cause, pause.sending);
    const { message, status, requestId } = cause;
    const sentence = `Could not create the invitation: the service was not available (503), and it could not be determined whether it was carried out. ${message}`;
    throw endedBy(new OutcomeUnknown(sentence, { cause, status, requestId }), pause.sending);
  }
}

function isAddressedTo({ email: listed }: ServiceRecord, email: string): boolean {
  return typeof listed === 'string' && sameName(listed) === sameName(email);
}

/**
 * Whether a list shows that an address is not invited.
 *
 * @throws {CliError} if the list is incomplete.
 */
function isAbsent(list: ListAnswer, email: string): boolean {
  if (list.items.some((invitation) => isAddressedTo(invitation, email))) return false;
  const gap = gapIn(list);
  if (gap !== undefined) throw gap;
  return true;
}

/** Why an invitation may exist that the list does not show. */
function gapIn(list: ListAnswer): CliError | undefined {
  const { items, count } = list;
  if (count === undefined || count <= items.length) return undefined;
  return inconclusive(`the service counts ${count} invitations and listed ${items.length}`, list);
}

function inconclusive(why: string, { requestId }: ListAnswer): CliError {
  return new CliError('malformed_answer', `The list is inconclusive: ${why}.`, { requestId });
}

/**
 * Whether a listed invitation was made before this one was sent, or since; `undefined` if unknown: it has no date or a
 * future one, or the clocks are too far apart.
 */
function ageOf(
  { created }: ServiceRecord,
  { started, now }: Invited,
  answer: Answer,
): 'older' | 'made since' | undefined {
  const made = momentOf(created);
  const date = parseHttpDate(answer.headers['date'] ?? '');
  const there = date ?? now;
  const slack = date === undefined ? FOREIGN_CLOCK_SLACK_MS : CLOCK_SLACK_MS;
  if (made === undefined || Math.abs(there - now) > FURTHEST_CLOCK_MS || made > there + slack)
    return undefined;
  return made < there - (now - started) - slack ? 'older' : 'made since';
}

/**
 * What an invitation gives, as it is listed.
 *
 * @returns the body of create invitation, or why there is none, as a clause.
 */
export function invitationFrom(record: ServiceRecord, dialect: Dialect): NewInvitation | string {
  const { email, [adminFlag]: isAdmin, role } = record;
  const ids = shownProperties(record);
  const others = rolesOf({ roles: record['roles'] }).filter((name) => name !== role);
  if (ids.length === 0 && rolesOf(record).length === 0 && !hasFullAccess(record)) return 'gives nothing';
  const takesRoles = takes(dialect, 'createInvitation', 'roles');
  const one = typeof role === 'string' ? role : takesRoles ? undefined : others.shift();
  if (!takesRoles && others.length > 0) return 'has several roles, and one can be given';
  return withoutHoles({
    email: String(email),
    properties: ids.length > 0 ? ids : undefined,
    [adminFlag]: typeof isAdmin === 'boolean' ? isAdmin : undefined,
    role: one,
    roles: others.length > 0 ? others : undefined,
  }) as NewInvitation;
}
