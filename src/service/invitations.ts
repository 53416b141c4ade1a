import { CliError, OutcomeUnknown } from '../cli/errors.ts';
import { showsOtherAccess } from '../model/access.ts';
import { momentOf, parseHttpDate } from '../model/dates.ts';
import { normalise } from '../model/fields.ts';
import { isRecord, type Page, type ServiceRecord } from '../model/records.ts';
import type { Answer } from './answer.ts';
import type { Call, CallOptions } from './client.ts';
import type { Query } from './dialect.ts';
import { type Extent, whole } from './paging.ts';
import { ask, type ListAnswer, readList, readRecord } from './reading.ts';
import { type Earlier, earlierOf, failedLook, type Pause } from './send.ts';
import type { ApiOptions } from './service.ts';
import { isOpenDoubt, type ReadBack, remove, settle, withDeadline } from './settling.ts';

/** The body of create invitation. Which fields the service requires is not shown; fields of its own go along unchanged. */
export interface NewInvitation extends ServiceRecord {
  readonly email: string;
  readonly properties?: readonly string[];
  readonly is_account_admin?: boolean;
  readonly role?: string;
  /** Beside `role`, where the dialect takes it: the service combines both. */
  readonly roles?: readonly string[];
}

/** Server clocks are read in whole seconds, and the answer's date is a little later than the record. */
const CLOCK_SLACK_MS = 2_000;

/** Where the answer carries no date, the record's is read against the clock of this machine. */
const FOREIGN_CLOCK_SLACK_MS = 300_000;

/** A date of an answer that is further from this machine's clock tells nothing. */
const FURTHEST_CLOCK_MS = 86_400_000;

/** An invitation that is being sent: since when, and the time now. */
interface Sent {
  readonly invitation: NewInvitation;
  readonly started: number;
  readonly now: number;
}

/** Invitations of the current account. */
export function invitationsApi(call: Call, options: ApiOptions) {
  const all = <Said>(read: (answer: Answer) => Said, more: Pick<CallOptions, 'query' | 'deadline'>) =>
    ask(call, 'listInvitations', {}, read, more);
  const list = (query: Query) => all(readInvitations, { query });
  return {
    /**
     * GET /api/v1/invitations; the service does not page.
     *
     * @param filter `property_id`, and query parameters that the contract does not name, sent as they are.
     */
    list: (filter: Query, extent: Extent): AsyncGenerator<Page> => whole(list(filter), extent, options.warn),

    /** All of them as one page; its total is what the service counts, where it does. */
    listAll: async function* (filter: Query = {}): AsyncGenerator<Page> {
      const { items, count } = await list(filter);
      yield { items, total: count, truncated: false };
    },

    /**
     * POST /api/v1/invitations.
     *
     * The contract gives this request no idempotency key. When it is left without an answer the list is
     * read instead of sending it again, so that a person gets one mail; it is also read before a try that follows
     * a 503. An answer that does not name the invited person counts as no answer.
     *
     * @returns what the service answered, or the invitation as listed.
     * @throws {OutcomeUnknown} when the list does not show one either that was made since.
     */
    create: async (invitation: NewInvitation): Promise<ServiceRecord> => {
      const started = options.now();
      const timed = withDeadline(options);
      const { deadline } = timed;
      const read = () =>
        all((answer) => lookFor({ invitation, started, now: options.now() }, answer), { deadline });
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
        const seen = await settle(error, read, ({ found }) => found !== undefined, timed);
        if (seen?.found === undefined) throw error;
        return seen.found;
      }
    },

    /**
     * DELETE /api/v1/invitations/{email}; the list is read afterwards unless `verify` is false.
     *
     * @throws {OutcomeUnknown} when no answer said yes and the list still shows it, or nothing tells.
     */
    delete: (email: string, { verify }: { readonly verify: boolean }): Promise<ReadBack> =>
      remove(
        {
          send: (deadline) => call('deleteInvitation', { email }, { deadline }),
          isGone: async (deadline) => isAbsent(await all(readInvitations, { deadline }), email),
          verify,
          presumed: `There is no invitation to ${email} now`,
        },
        options,
      ),
  };
}

/** The record of an answer; `undefined` when it does not name the invited person. */
function recordFor({ email }: NewInvitation, answer: Answer): ServiceRecord | undefined {
  const isNamed = isRecord(answer.body) && isAddressedTo(normalise(answer.body), email);
  return isNamed ? readRecord(answer) : undefined;
}

/** What a list tells of an invitation that was sent. */
interface Seen {
  /** The invitation itself. */
  readonly found: ServiceRecord | undefined;
  /** Why it may be there although it was not found, where it may. */
  readonly doubt: CliError | undefined;
}

function lookFor(sent: Sent, answer: Answer): Seen {
  const list = readInvitations(answer);
  const { invitation } = sent;
  const found = list.items.find(
    (record) => isThis(record, invitation) && ageOf(record, sent, answer) === 'made since',
  );
  const isOpen = list.items.some(
    (record) => isAddressedTo(record, invitation.email) && ageOf(record, sent, answer) !== 'older',
  );
  const doubt = isOpen
    ? inconclusive('an invitation to the same address may be this one', list)
    : gapIn(list);
  return { found, doubt };
}

/**
 * The invitation of a try that was answered with a 503; `undefined` when it is not there.
 *
 * @throws {OutcomeUnknown} when nothing tells: a further try might be a second mail.
 */
async function invitationInPause(
  pause: Pause,
  read: () => Promise<Seen>,
): Promise<ServiceRecord | undefined> {
  if (!pause.past.suspect) return undefined;
  try {
    const { found, doubt } = await read();
    if (found === undefined && doubt !== undefined) throw doubt;
    return found;
  } catch (cause) {
    if (!(cause instanceof CliError)) throw failedLook(cause, pause);
    const sentence = `Could not create the invitation: the service was not available (503), and it could not be determined whether it was carried out. ${cause.message}`;
    const facts = { cause, status: cause.status, requestId: cause.requestId };
    throw failedLook(new OutcomeUnknown(sentence, facts), pause);
  }
}

/** The same address, and nothing that is shown contradicts what was sent. */
function isThis(record: ServiceRecord, sent: NewInvitation): boolean {
  return isAddressedTo(record, sent.email) && !showsOtherAccess(record, sent);
}

function isAddressedTo({ email: listed }: ServiceRecord, email: string): boolean {
  return typeof listed === 'string' && listed.toLowerCase() === email.toLowerCase();
}

/**
 * Whether a list shows that an address is not invited.
 *
 * @throws {CliError} when it cannot tell: it is not whole, or shows invitations without their address.
 */
function isAbsent(list: ListAnswer, email: string): boolean {
  if (list.items.some((invitation) => isAddressedTo(invitation, email))) return false;
  const gap = gapIn(list);
  if (gap !== undefined) throw gap;
  return true;
}

/** Why an invitation may be there that the list does not show. */
function gapIn(list: ListAnswer): CliError | undefined {
  const { items, count } = list;
  if (count !== undefined && count > items.length)
    return inconclusive(`the service counts ${count} invitations and listed ${items.length}`, list);
  if (items.some(({ email: listed }) => typeof listed !== 'string'))
    return inconclusive('the service lists invitations without their e-mail address', list);
  return undefined;
}

function inconclusive(why: string, { requestId }: ListAnswer): CliError {
  return new CliError('malformed_answer', `The list does not tell: ${why}.`, { requestId });
}

/**
 * Whether a listed invitation was made before this one was sent, or since; `undefined` if that cannot be determined: it has
 * no date, or one to come, or the clocks are too far apart.
 */
function ageOf(
  { created }: ServiceRecord,
  { started, now }: Sent,
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

function readInvitations(answer: Answer): ListAnswer {
  return readList(answer, 'invitations', 'email');
}
