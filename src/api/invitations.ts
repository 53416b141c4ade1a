import { OutcomeUnknown } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Answer } from '../http/send.ts';
import { isRecord, type Page, type ServiceRecord } from '../records.ts';
import type { Call } from './client.ts';
import type { Query } from './dialects/dialect.ts';
import { type Extent, whole } from './paging.ts';
import { type ListAnswer, readList } from './reading.ts';

/** The body of create invitation. Which fields the service requires is not shown. */
export interface NewInvitation {
  readonly email: string;
  readonly properties?: readonly string[];
  readonly is_account_admin?: boolean;
  readonly role?: string;
}

/** What the settling of a doubtful create needs. */
export interface SettleOptions {
  readonly sleep: (ms: number) => Promise<void>;
  readonly now: () => number;
}

/** Waits between the looks at the list when a create was left without an answer, milliseconds. */
const LOOKS_MS = [0, 1_000, 3_000];

/** Server clocks are read in whole seconds, and the answer's date is a little later than the record. */
const CLOCK_SLACK_MS = 2_000;

/** Invitations of the current account. */
export function invitationsApi(call: Call, settle: SettleOptions) {
  const list = async (query: Query) => readInvitations(await call('listInvitations', {}, { query }));
  return {
    /**
     * GET /api/v1/invitations; the service does not page.
     *
     * @param filter `property_id`, and query parameters that the contract does not name, sent as they are.
     */
    list: (filter: Query, extent: Extent): AsyncGenerator<Page> => whole(list(filter), extent),

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
      const started = settle.now();
      try {
        const { body } = await call('createInvitation', {}, { body: invitation });
        return isRecord(body) ? body : {};
      } catch (error) {
        if (!(error instanceof OutcomeUnknown) || error.exitCode !== ExitCode.unknown) throw error;
        return await lookFor(invitation, started, error, call, settle);
      }
    },
  };
}

async function lookFor(
  invitation: NewInvitation,
  started: number,
  doubt: OutcomeUnknown,
  call: Call,
  settle: SettleOptions,
): Promise<ServiceRecord> {
  for (const wait of LOOKS_MS) {
    await settle.sleep(wait);
    const answer = await call('listInvitations', {}).catch(() => undefined);
    if (answer === undefined) continue;
    const found = readInvitations(answer).items.find((record) => isFor(record, invitation.email));
    if (found !== undefined && isRecent(found, answer, settle.now() - started)) return found;
  }
  throw doubt.withHint('Look before inviting again: innctl invitations list --all');
}

/** An older invitation to the same address proves nothing about this one. Where no date is shown, its presence has to do. */
function isRecent(record: ServiceRecord, answer: Answer, elapsedMs: number): boolean {
  const created = Date.parse(String(record['created']));
  const now = Date.parse(answer.headers['date'] ?? '');
  if (Number.isNaN(created) || Number.isNaN(now)) return true;
  return created >= now - elapsedMs - CLOCK_SLACK_MS;
}

function isFor(record: ServiceRecord, email: string): boolean {
  return String(record['email']).toLowerCase() === email.toLowerCase();
}

function readInvitations(answer: Answer): ListAnswer {
  return readList(answer, 'invitations', 'email');
}
