import { CliError } from '../errors.ts';
import type { Answer } from '../http/answer.ts';
import { isRecord, type Page, type ServiceRecord } from '../records.ts';
import type { Call } from './client.ts';
import type { Query } from './dialects/dialect.ts';
import { normalise } from './fields.ts';
import { isOpenDoubt, type ReadBack, type SettleOptions, settle, withDeadline } from './looks.ts';
import { type Extent, type WalkOptions, whole } from './paging.ts';
import { type ListAnswer, readList, readRecord } from './reading.ts';
import { remove } from './removing.ts';

/** The body of create invitation. Which fields the service requires is not shown; fields of its own go along unchanged. */
export interface NewInvitation extends ServiceRecord {
  readonly email: string;
  readonly properties?: readonly string[];
  readonly is_account_admin?: boolean;
  readonly role?: string;
}

/** Server clocks are read in whole seconds, and the answer's date is a little later than the record. */
const CLOCK_SLACK_MS = 2_000;

/** Where the answer carries no date, the record's is read against the clock of this machine. */
const FOREIGN_CLOCK_SLACK_MS = 300_000;

/** Invitations of the current account. */
export function invitationsApi(call: Call, options: SettleOptions & Pick<WalkOptions, 'warn'>) {
  const list = async (query: Query) => readInvitations(await call('listInvitations', {}, { query }));
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
     * read instead of sending it again, so that nobody ever gets two mails. An answer that does not name who is
     * invited is as good as none.
     *
     * @returns what the service answered, or the invitation as listed.
     * @throws {OutcomeUnknown} when the list does not show one either that was made since.
     */
    create: async (invitation: NewInvitation): Promise<ServiceRecord> => {
      const started = options.now();
      const timed = withDeadline(options);
      try {
        const { deadline } = timed;
        const isCredible = ({ body }: Answer) =>
          isRecord(body) && isAddressedTo(normalise(body), invitation.email);
        return readRecord(await call('createInvitation', {}, { body: invitation, deadline, isCredible }));
      } catch (error) {
        if (!isOpenDoubt(error)) throw error;
        const read = async (deadline: number) => {
          const answer = await call('listInvitations', {}, { deadline });
          return findIn(answer, invitation, options.now() - started, options.now());
        };
        const found = await settle(error, read, (seen) => seen !== undefined, timed);
        if (found === undefined) throw error;
        return found;
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
          isGone: async (deadline) =>
            isAbsent(readInvitations(await call('listInvitations', {}, { deadline })), email),
          verify,
          presumed: `There is no invitation to ${email} now`,
        },
        options,
      ),
  };
}

/** The invitation that was sent so long ago, in what the service lists. */
function findIn(
  answer: Answer,
  invitation: NewInvitation,
  elapsedMs: number,
  here: number,
): ServiceRecord | undefined {
  const found = readInvitations(answer).items.find((record) => isThis(record, invitation));
  return found !== undefined && isRecent(found, answer, elapsedMs, here) ? found : undefined;
}

/** The same address, and nothing that is shown contradicts what was sent. */
function isThis(record: ServiceRecord, sent: NewInvitation): boolean {
  const { role, roles, properties, is_account_admin: isAdmin } = record;
  const listed = typeof role === 'string' ? [role] : roles;
  if (!isAddressedTo(record, sent.email)) return false;
  if (typeof isAdmin === 'boolean' && isAdmin !== (sent.is_account_admin ?? false)) return false;
  if (sent.is_account_admin === true) return true;
  if (sent.role !== undefined && Array.isArray(listed) && !listed.includes(sent.role)) return false;
  return !Array.isArray(properties) || isSameSet(properties, sent.properties ?? []);
}

function isAddressedTo({ email: listed }: ServiceRecord, email: string): boolean {
  return typeof listed === 'string' && listed.toLowerCase() === email.toLowerCase();
}

/**
 * Whether a list shows that an address is not invited.
 *
 * @throws {CliError} when it cannot tell: it is not whole, or shows invitations without their address.
 */
function isAbsent({ items, count }: ListAnswer, email: string): boolean {
  if (items.some((invitation) => isAddressedTo(invitation, email))) return false;
  if (count !== undefined && count > items.length)
    throw inconclusive(`the service counts ${count} invitations and listed ${items.length}`);
  if (items.some(({ email: listed }) => typeof listed !== 'string'))
    throw inconclusive('the service lists invitations without their e-mail address');
  return true;
}

function inconclusive(why: string): CliError {
  return new CliError('malformed_answer', `The list does not tell: ${why}.`);
}

function isSameSet(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((each) => others.includes(each));
}

/** An older invitation to the same address proves nothing about this one, and neither does one without a date. */
function isRecent({ created }: ServiceRecord, answer: Answer, elapsedMs: number, here: number): boolean {
  const made = typeof created === 'string' ? Date.parse(created) : Number.NaN;
  const there = Date.parse(answer.headers['date'] ?? '');
  if (Number.isNaN(there)) return made >= here - elapsedMs - FOREIGN_CLOCK_SLACK_MS;
  return made >= there - elapsedMs - CLOCK_SLACK_MS;
}

function readInvitations(answer: Answer): ListAnswer {
  return readList(answer, 'invitations', 'email');
}
