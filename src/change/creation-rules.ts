import {
  type Creation,
  type Memory,
  type Past,
  type PastRow,
  type Sent,
  shownBy,
} from '../journal/history.ts';
import { CliError, OutcomeUnknown } from '../model/errors.ts';
import { resources } from '../model/kinds.ts';
import { groupBy, type ServiceRecord } from '../model/records.ts';
import { creationHash, type Item, itemFor } from './item.ts';

/** Services forget a key after a day; a request must not be under way at that time. */
const KEY_LIFE_MS = 23 * 60 * 60_000;

/** What the rules need besides the journal. */
export interface RuleOptions {
  readonly memory: Pick<Memory, 'recall'>;
  /** Whether the service is known to honour idempotency keys. */
  readonly honoursKeys: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** What may be sent to create a record that no read shows. */
type Standing =
  | { readonly is: 'new'; readonly note?: string }
  | { readonly is: 'repeat'; readonly sent: Sent }
  | { readonly is: 'wait'; readonly why: string };

/**
 * Applies the rules of truth to the creations of a plan: a record that is not shown is created under a new key, sent again under its
 * first one, or waited for.
 *
 * @returns the items; `repeats` names the request that is sent again, `OutcomeUnknown` rows are waited for.
 */
export async function settleCreations(
  items: readonly Item[],
  api: ReadApi,
  options: RuleOptions,
): Promise<readonly Item[]> {
  const alone = new Map<Item, Item>();
  for (const item of items.filter(isRuled)) {
    const found = await shownAlone(item, api, options);
    if (found !== undefined) alone.set(item, found);
  }
  const ruled = items.filter((item) => isRuled(item) && !alone.has(item));
  const standings = new Map(ruled.map((item) => [item, standingOf(item, options)]));
  const repeated = groupBy(
    [...standings.values()].flatMap((standing) => (standing.is === 'repeat' ? [standing.sent] : [])),
    ({ id }) => id,
  );
  return items.map((item) => {
    const first = standings.get(item);
    if (first === undefined) return alone.get(item) ?? item;
    // One request goes out unchanged, or not at all.
    const isPart = first.is === 'repeat' && repeated.get(first.sent.id)?.length !== first.sent.rows.length;
    const standing = isPart ? standingOf(item, { ...options, honoursKeys: false }) : first;
    if (standing.is === 'wait') return unseenItem(item, standing.why);
    if (standing.is === 'new') return standing.note === undefined ? item : { ...item, reason: standing.note };
    const reason = 'an earlier request may have created it; its key settles that';
    return { ...item, repeats: standing.sent, reason };
  });
}

/** What reads a record by its id. */
type ReadApi = Readonly<
  Record<(typeof resources)[keyof typeof resources], { read(id: string): Promise<ServiceRecord> }>
>;

/** The row of a record that no list shows, and a read with the id in the journal does; `undefined` if there is none. */
async function shownAlone(item: Item, api: ReadApi, { memory }: RuleOptions) {
  const { kind, name, entry } = item;
  const { creation, id, deletion } = memory.recall(kind, name) ?? {};
  if (creation === undefined || id === undefined || deletion === 'done') return undefined;
  if (kind === 'user' || kind === 'invitation') return undefined;
  const record = await api[resources[kind]].read(id).catch((cause: unknown) => {
    if (!(cause instanceof CliError)) throw cause;
  });
  if (record === undefined) return undefined;
  const reason = `the service shows it as ${id}, and does not list it yet`;
  const row = { kind, name, entry, id };
  return creation.row.hash === creationHash(item)
    ? itemFor(row, 'same', { ...row, reason })
    : unseenItem(row, reason);
}

function isRuled({ action, kind, resends }: Item): boolean {
  return action === 'create' && kind !== 'user' && resends === undefined;
}

function standingOf(item: Item, { memory, honoursKeys, now }: RuleOptions): Standing {
  const { kind, name } = item;
  const past = memory.recall(kind, name);
  const creation = past?.creation;
  if (past === undefined || creation === undefined) return { is: 'new' };
  const { sent, row, firstAt, isAnswered, isShown } = creation;
  if (past.deletion === 'done' || isShown)
    return { is: 'new', note: `${pastText(past, creation)}, and is gone: it is created again` };
  const hasKey = sent.key !== undefined && honoursKeys && now() - firstAt < KEY_LIFE_MS;
  if (!isAnswered && hasKey && row.hash === creationHash(item)) return { is: 'repeat', sent };
  const until = shownBy(creation);
  if (now() >= until) return { is: 'new', note: `${pastText(past, creation)}, and no list shows it` };
  return {
    is: 'wait',
    why: `not visible yet: ${pastText(past, creation)}; nothing is sent before it shows, or before ${isoText(until)}`,
  };
}

/** Whether a creation may still show that no read has shown, and that was not deleted. */
export function mayShowLater(
  past: Past | undefined,
  now: number,
): past is Past & { readonly creation: Creation } {
  return past !== undefined && isRecent(past, now) && past.creation?.isShown === false;
}

/** Whether a record was created, or perhaps, so recently that a read may not show it, and was not deleted. */
export function isRecent({ creation, deletion }: Past, now: number): boolean {
  return creation !== undefined && deletion === undefined && now < shownBy(creation);
}

/** Whether a creation was sent, and neither an answer nor a read says that it was carried out. */
export function isInDoubt(past: Past | undefined): past is Past & { readonly creation: Creation } {
  const { creation, deletion } = past ?? {};
  return creation !== undefined && !creation.isAnswered && !creation.isShown && deletion === undefined;
}

/** The last creation, as a clause: `created as HAM at 2026-04-21T12:00:00Z`. */
function pastText(
  { kind, id }: Pick<Past, 'kind' | 'id'>,
  { lastAt, firstAt, isAnswered, isShown }: Creation,
): string {
  const done = kind === 'invitation' ? 'invited' : `created${id === undefined ? '' : ` as ${id}`}`;
  return isAnswered || isShown ? `${done} at ${isoText(lastAt)}` : `perhaps ${done} at ${isoText(firstAt)}`;
}

/** A time in UTC, to the second. */
export function isoText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** A row whose existence is in doubt: it ends unknown, and nothing is sent. */
export function unseenItem(row: Pick<Item, 'kind' | 'name' | 'entry' | 'id'>, reason: string): Item {
  const { entry, id } = row;
  return itemFor(row, 'cannot_tell', { entry, id, reason, error: new OutcomeUnknown(reason) });
}

/** Plans a deletion that has to wait until the record is visible. */
export function unseenLeft({ kind, name, id, creation }: PastRow & { readonly creation: Creation }): Item {
  const done = pastText({ kind, id }, creation);
  const reason = `not visible yet: ${done}; not deleted: a later --prune does that once it shows`;
  return unseenItem({ kind, name, entry: undefined, id }, reason);
}
