import { parseApplyFlags } from '../../change/flags.ts';
import { permitEach } from '../../change/guards.ts';
import { itemFor } from '../../change/item.ts';
import { changeRows } from '../../change/rows.ts';
import { invalidInput } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import { momentOf, parseDuration } from '../../model/dates.ts';
import type { Page, ServiceRecord } from '../../model/records.ts';
import { heldEmailProblem } from '../../model/segment.ts';
import { counted, quote, sameName } from '../../model/text.ts';
import { relativeTo } from '../../print/cells.ts';
import type { Query } from '../../service/dialect.ts';
import { emailOf } from '../../service/find-user.ts';
import { type Extent, readAll, whole } from '../../service/paging.ts';

/**
 * The invitations made longer ago than a duration; filter and extent as in the list of all.
 *
 * @throws {CliError} `incomplete_list`.
 */
export async function* listOlder(
  typed: string,
  filter: Query,
  extent: Extent,
  session: Session,
): AsyncGenerator<Page> {
  const { api, out } = session;
  const ageMs = ageFrom(typed);
  const all = api.invitations.listAll(filter);
  const records = await readAll(all, 'invitations', 'look for old invitations');
  const { old } = await byAge(records, ageMs, 'listed', session);
  const found = Promise.resolve({ items: old, count: undefined });
  yield* whole(found, extent, out.warn, records);
}

/**
 * Withdraws the invitations that were made longer ago than a duration, with one plan and one consent. Those without a date that
 * can be read stay, and so does an address that is also invited more recently, because requests name only the address.
 *
 * @throws {CliError} `incomplete_list`; exit 11 without consent and --max-deletes; what `changeRows` throws.
 */
export async function deleteOlder(
  typed: string,
  { maxDeletes }: { readonly maxDeletes: string | undefined },
  session: Session,
): Promise<void> {
  const { api, out, context } = session;
  const ageMs = ageFrom(typed);
  // Checked before anything is read.
  parseApplyFlags({ maxDeletes });
  permitEach('deleteInvitation', [], session);
  const all = api.invitations.listAll();
  const records = await readAll(all, 'invitations', 'look for old invitations');
  const now = context.clock.now();
  const { old, others } = await byAge(records, ageMs, 'withdrawn', session);
  const kept = new Set(others.map(addressOf));
  const found = new Map(old.map((record) => [addressOf(record), record]));
  const rows = [...found].flatMap(([address, record]) => {
    const name = emailOf(record);
    if (name === undefined || heldEmailProblem(name) !== undefined || kept.has(address)) return [];
    const created = String(record['created']);
    const reason = `invited ${relativeTo(now, created) ?? created.slice(0, 10)}`;
    return [{ item: itemFor({ kind: 'invitation', name }, 'delete', { reason }), names: [] }];
  });
  if (rows.length < found.size) {
    const left = counted(found.size - rows.length, 'older address', 'older addresses');
    await out.warn(`Not withdrawn: ${left} that cannot be named, or that are also invited more recently.`);
  }
  await changeRows(rows, { limits: { maxDeletes } }, session);
}

/** @throws {CliError} exit 2. */
function ageFrom(typed: string): number {
  const ageMs = parseDuration(typed);
  if (ageMs !== undefined) return ageMs;
  const reason = `${quote(typed)} is not a duration such as 12h, 30d or 2w`;
  throw invalidInput([{ field: '--older-than', reason }]);
}

/**
 * The old invitations, and the others; warns of those without a date that can be read. The first moment of a calendar, as
 * services write it for a date that is not set, is none.
 */
async function byAge(
  records: readonly ServiceRecord[],
  ageMs: number,
  done: 'listed' | 'withdrawn',
  { out, context }: Session,
) {
  const now = context.clock.now();
  const madeAt = ({ created }: ServiceRecord) => Math.max(0, momentOf(created) ?? 0);
  const isOld = (record: ServiceRecord) => madeAt(record) > 0 && now - madeAt(record) > ageMs;
  const { length } = records.filter((record) => madeAt(record) === 0);
  const are = length === 1 ? 'is' : 'are';
  if (length > 0)
    await out.warn(`${counted(length, 'invitation')} without a readable date ${are} not ${done}.`);
  return { old: records.filter(isOld), others: records.filter((record) => !isOld(record)) };
}

function addressOf(record: ServiceRecord): string {
  return sameName(emailOf(record) ?? '');
}
