import { Interruption } from '../context.ts';
import { CliError, OutcomeUnknown } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Answer } from '../http/answer.ts';
import { OPERATION_MS } from '../http/budget.ts';
import { isRecord, type Page, type ServiceRecord } from '../records.ts';
import type { Call } from './client.ts';
import type { Query } from './dialects/dialect.ts';
import { normalise } from './fields.ts';
import { look } from './looks.ts';
import { type Extent, type WalkOptions, whole } from './paging.ts';
import { type ListAnswer, readList } from './reading.ts';
import { remove } from './removing.ts';
import type { ReadBack, SettleOptions } from './updating.ts';

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

    /**
     * POST /api/v1/invitations.
     *
     * The contract gives this request no idempotency key. When it is left without an answer the list is
     * read instead of sending it again, so that nobody ever gets two mails.
     *
     * @returns what the service answered, or the invitation as listed.
     * @throws {OutcomeUnknown} when the list does not show it either.
     */
    create: async (invitation: NewInvitation): Promise<ServiceRecord> => {
      const started = options.now();
      try {
        return confirmed(await call('createInvitation', {}, { body: invitation }), invitation);
      } catch (error) {
        if (!(error instanceof OutcomeUnknown)) throw error;
        if (error.exitCode !== ExitCode.unknown) throw error;
        return await lookFor(invitation, started, error, call, options);
      }
    },

    /**
     * DELETE /api/v1/invitations/{email}; the list is read afterwards unless `verify` is false.
     *
     * @throws {OutcomeUnknown} when no answer came and the list still shows it, or cannot be read.
     */
    delete: (email: string, { verify }: { readonly verify: boolean }): Promise<ReadBack> =>
      remove(
        {
          send: (deadline) => call('deleteInvitation', { email }, { deadline }),
          isGone: async (deadline) =>
            isAbsent(readInvitations(await call('listInvitations', {}, { deadline })), email),
          verify,
        },
        options,
      ),
  };
}

/** What a success says; one that is no record, reports an error or names somebody else says nothing. */
function confirmed({ body, status, requestId }: Answer, { email }: NewInvitation): ServiceRecord {
  if (body === undefined) return {};
  const record = isRecord(body) ? normalise(body) : { error: body };
  const named = record['email'] ?? email;
  const isOther = typeof named !== 'string' || named.toLowerCase() !== email.toLowerCase();
  if (!isOther && record['error'] === undefined) return record;
  throw new OutcomeUnknown(
    `The outcome of the request to create the invitation is unknown: the answer (${status}) does not confirm it.`,
    { status, requestId },
  );
}

async function lookFor(
  invitation: NewInvitation,
  started: number,
  doubt: OutcomeUnknown,
  call: Call,
  { sleep, now, ...options }: SettleOptions,
): Promise<ServiceRecord> {
  const read = async (deadline: number) => {
    const answer = await call('listInvitations', {}, { deadline });
    const found = readInvitations(answer).items.find((record) => isThis(record, invitation));
    return found !== undefined && isRecent(found, answer, now() - started, now()) ? found : undefined;
  };
  const deadline = options.deadline ?? started + OPERATION_MS;
  try {
    const found = await look(read, (seen) => seen !== undefined, { sleep, now, deadline });
    if ('seen' in found && found.seen !== undefined) return found.seen;
  } catch (cause) {
    if (cause instanceof Interruption) throw doubt.withExitCode(cause.exitCode);
    throw cause;
  }
  throw doubt;
}

/** The same address, and nothing that is shown contradicts what was sent. */
function isThis(record: ServiceRecord, sent: NewInvitation): boolean {
  const { role, properties, is_account_admin: isAdmin } = record;
  if (!isAddressedTo(record, sent.email)) return false;
  if (typeof isAdmin === 'boolean' && isAdmin !== (sent.is_account_admin ?? false)) return false;
  if (sent.is_account_admin === true) return true;
  if (typeof role === 'string' && sent.role !== undefined && role !== sent.role) return false;
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

/** An older invitation to the same address proves nothing about this one. Where no date is shown, its presence has to do. */
function isRecent({ created }: ServiceRecord, answer: Answer, elapsedMs: number, here: number): boolean {
  const made = typeof created === 'string' ? Date.parse(created) : Number.NaN;
  if (Number.isNaN(made)) return true;
  const there = Date.parse(answer.headers['date'] ?? '');
  if (Number.isNaN(there)) return made >= here - elapsedMs - FOREIGN_CLOCK_SLACK_MS;
  return made >= there - elapsedMs - CLOCK_SLACK_MS;
}

function readInvitations(answer: Answer): ListAnswer {
  return readList(answer, 'invitations', 'email');
}
