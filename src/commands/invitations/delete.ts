import { sessionWith } from '../../change/ask.ts';
import type { Row } from '../../change/consent.ts';
import { parseApplyFlags } from '../../change/flags.ts';
import { permitEach } from '../../change/guards.ts';
import { type Item, itemFor } from '../../change/item.ts';
import {
  ignoreNotFoundFlag,
  ignoringNotFound,
  serviceLine,
  settleBy,
  settledByRepeating,
  tellOne,
} from '../../change/lines.ts';
import { openListing } from '../../change/listing.ts';
import { type Referred, resolveAll, usable, withReferences, wordProblems } from '../../change/resolve.ts';
import { unlessFault } from '../../change/row.ts';
import { changeOne, changeRows } from '../../change/rows.ts';
import { rolesOf } from '../../model/access.ts';
import { momentOf, parseDuration } from '../../model/dates.ts';
import {
  CliError,
  type Detail,
  detailsFor,
  ExitCode,
  invalidInput,
  OutcomeUnknown,
  refuseInvalid,
  usageError,
} from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { counted, heldEmailProblem, nearestAddress, quote, sameName } from '../../model/text.ts';
import { relativeTo } from '../../print/cells.ts';
import { Accepted } from '../../service/invitations.ts';
import { readAll } from '../../service/paging.ts';
import { emailOf } from '../../service/users.ts';
import { serviceCommand } from '../../session/command-line.ts';
import { type Session, withSession } from '../../session/session.ts';
import { passing, type RecordTest } from '../list.ts';
import { suggestReference } from '../options.ts';

/**
 * `invitations delete <email>`: withdraw an invitation, after confirmation.
 *
 * DELETE /api/v1/invitations/{email}. Invalid addresses are sent too, because the service may list them. The contract
 * does not say what happens to the link in the mail.
 */
export function deleteInvitation(context: Context) {
  return serviceCommand('delete rm', 'destroys', [
    'invitations delete ana@example.com',
    'invitations delete ana@example.com ben@example.com',
    'invitations delete ana@example.com --yes --json',
    'invitations delete --older-than 30d --yes --max-deletes 20',
  ])
    .summary('withdraw an invitation')
    .description('Withdraw an invitation, and verify that it is gone.')
    .argument(`[${invitations.argument}...]`, 'invited e-mail address')
    .option(...ignoreNotFoundFlag)
    .option('--no-verify', 'do not verify that it is gone')
    .option('--older-than <duration>', 'withdraw all that were sent longer ago than this: 12h, 30d, 2w')
    .option('--max-deletes <n>', 'with --older-than: maximum number of invitations to withdraw (default: 0)')
    .action((emails, flags, command) => {
      const { olderThan, maxDeletes } = flags;
      const isNamed = olderThan === undefined && maxDeletes === undefined;
      return (isNamed ? deletingNamed(context) : deletingOlder(context))(emails, flags, command);
    });
}

function deletingNamed(context: Context) {
  const how = { operation: 'deleteInvitation', all: deleteInvitations } as const;
  return withReferences<DeleteFlags>(context, invitations, how);
}

function deletingOlder(context: Context) {
  return withSession(
    context,
    (session, _: readonly string[], flags: DeleteFlags) => deleteOlder(flags, session),
    (_, emails, { olderThan }) => {
      const help = 'innctl invitations delete --help';
      if (olderThan === undefined) throw usageError('--max-deletes is for --older-than.', help);
      if (emails.length > 0)
        throw usageError('--older-than and e-mail addresses cannot be given together.', help);
    },
  );
}

interface DeleteFlags {
  readonly verify: boolean;
  readonly ignoreNotFound?: true;
  readonly olderThan?: string;
  readonly maxDeletes?: string;
}

/** Withdraws invitations; reads one list for several, and sends a single one directly. */
async function deleteInvitations(emails: readonly string[], flags: DeleteFlags, session: Session) {
  const { api, context, out } = session;
  const { verify, ignoreNotFound } = flags;
  const safely = ignoringNotFound(ignoreNotFound);
  const [typed = '', ...others] = emails;
  if (others.length > 0) {
    const rows = await listedRows(emails, flags, session);
    return changeRows(rows, {}, session, sessionWith(safely, session));
  }
  // Fail before prompting if the address cannot be sent.
  api.check('deleteInvitation', { email: typed });
  // The service knows an address with a domain in letters, or as xn--, in one spelling.
  const isSpelt = /@.*(?:xn--|[^ -~])/i.test(typed);
  const listing = openListing('invitation', api.invitations.listAll)(typed);
  // The journal keeps what it gave, if that can be read.
  const [record] = (await (isSpelt ? listing : listing.catch(unlessFault))) ?? [];
  const email = (record && emailOf(record)) ?? typed;
  const about = { record, mustExist: ignoreNotFound !== true, isReadBack: verify };
  const item = itemFor({ kind: 'invitation', name: email }, 'delete', about);
  const question = `Withdraw the invitation to ${email}?`;
  const result = await changeOne({ item, names: [], question }, {}, session)
    .catch(explain(email, flags, session))
    .catch(suggestReference(invitations, email, api))
    .catch(settleBy(settledByRepeating(context.argv, false, ...safely)));
  const undone = `There is no invitation to ${email}.`;
  const told = { done: `Withdrew the invitation to ${email}`, undone, facts: { email } };
  await tellOne(result, { ...told, fact: 'deleted' }, out);
}

/** @throws {CliError} exit 3 with all addresses that are not invited. */
async function listedRows(
  emails: readonly string[],
  { ignoreNotFound }: DeleteFlags,
  session: Session,
): Promise<readonly Row[]> {
  refuseInvalid(wordProblems(emails, addressProblems));
  const listed = openListing('invitation', session.api.invitations.listAll);
  const missing = new CliError('not_found', 'not found', { exitCode: ExitCode.notFound });
  const find = async (word: string) => {
    const [record] = await listed(word);
    if (record === undefined && ignoreNotFound !== true) throw missing;
    const name = (record && emailOf(record)) ?? word;
    return itemFor({ kind: 'invitation', name }, record === undefined ? 'same' : 'delete', { record });
  };
  const resolving = { find, idOf: ({ name }: Item) => name, isNameless: true } as const;
  const found = await resolveAll(emails, invitations, resolving, session);
  return found.map((item) => ({ item, names: [] }));
}

/** For `catch`: there is no invitation, perhaps because it was accepted. */
function explain(email: string, { ignoreNotFound }: DeleteFlags, { globals }: Session) {
  return (error: unknown): never => {
    if (error instanceof Accepted)
      throw error.withHint(`To disable the user: ${serviceLine(globals, 'people', 'offboard', email)}`);
    const { cause } = error instanceof OutcomeUnknown ? error : {};
    // With --ignore-not-found it would count as done.
    const isMissing = cause instanceof CliError && cause.code === 'not_found' && ignoreNotFound !== true;
    throw isMissing ? cause : error;
  };
}

/**
 * Withdraws the invitations that were made longer ago than a duration, with one plan and one consent. Those without a date that
 * can be read stay, and so does an address that is also invited more recently, because requests name only the address.
 *
 * @throws {CliError} `incomplete_list`; exit 11 without consent and --max-deletes; what `changeRows` throws.
 */
async function deleteOlder({ olderThan = '', maxDeletes }: DeleteFlags, session: Session): Promise<void> {
  const { api, out, context } = session;
  const test = olderTest(olderThan, context);
  // Checked before anything is read.
  parseApplyFlags({ maxDeletes });
  permitEach('deleteInvitation', [], session);
  const all = api.invitations.listAll();
  const records = await readAll(all, 'invitations', 'look for old invitations');
  const now = context.clock.now();
  const old = new Set(await passing(records, [test], invitations.noun, 'withdrawn', session));
  const kept = new Set(records.filter((record) => !old.has(record)).map(addressOf));
  const found = new Map([...old].map((record) => [addressOf(record), record]));
  const rows = [...found].flatMap(([address, record]) => {
    const name = emailOf(record);
    if (name === undefined || heldEmailProblem(name) !== undefined || kept.has(address)) return [];
    const created = String(record['created']);
    const reason = `invited ${relativeTo(now, created) ?? created.slice(0, 10)}`;
    return [{ item: itemFor({ kind: 'invitation', name }, 'delete', { reason, record }), names: [] }];
  });
  if (rows.length < found.size) {
    const left = counted(found.size - rows.length, 'older address', 'older addresses');
    await out.warn(`Not withdrawn: ${left} that cannot be named, or that are also invited more recently.`);
  }
  await changeRows(rows, { limits: { maxDeletes } }, session);
}

/**
 * Whether an invitation was made longer ago than a duration. The first moment of a calendar, as services write it for a date that
 * is not set, is no date.
 *
 * @throws {CliError} exit 2.
 */
export function olderTest(typed: string, { clock }: Pick<Context, 'clock'>): RecordTest {
  const [now, ageMs] = [clock.now(), parseDuration(typed)];
  if (ageMs === undefined) {
    const reason = `${quote(typed)} is not a duration such as 12h, 30d or 2w`;
    throw invalidInput([{ field: '--older-than', reason }]);
  }
  const passes = ({ created }: ServiceRecord) => {
    const madeAt = momentOf(created) ?? 0;
    return madeAt > 0 ? now - madeAt > ageMs : undefined;
  };
  return { needs: 'a readable date', passes };
}

function addressOf(record: ServiceRecord): string {
  return sameName(emailOf(record) ?? '');
}

/** Invitations as a command line names them. */
export const invitations: Referred = {
  noun: ['invitation', 'invitations'],
  argument: 'email',
  field: 'email',
  list: (api) => api.invitations.list({}, {}),
  listWords: ['invitations', 'list'],
  misspelt: (words, { invitations: resource }) => ({
    words,
    resource,
    fields: ['email'],
    pick: nearestAddress,
  }),
  referenceOf: (record) => usable(emailOf(record), heldEmailProblem),
  namesOf: () => [],
  detailsOf: (record) => [
    rolesOf(record).join(', '),
    typeof record['created'] === 'string' ? `invited ${record['created'].slice(0, 10)}` : undefined,
  ],
};

/** The problem with the address of an invitation. The service may list what it would not take any more. */
export function addressProblems(email: string): readonly Detail[] {
  return detailsFor('email', heldEmailProblem(email));
}
