import type { LocalSession } from '../../cli/session.ts';
import type { Folders } from '../../config/paths.ts';
import { type Page, type ServiceRecord, weightOf } from '../../model/records.ts';
import type { CacheKind } from '../../reference/values.ts';
import type { Query } from '../../service/dialect.ts';
import type { Extent } from '../../service/paging.ts';

/** What the list of a service leaves behind for completions. */
export type ListKind = Exclude<CacheKind, 'profiles'>;

/** One value of a list, as the service gave it, and what it is called. */
export interface SeenValue {
  readonly value: unknown;
  readonly name?: unknown;
}

/** What the service sent of a list. */
export interface Seen {
  readonly kind: ListKind;
  /** The first ones, in their order. */
  readonly values: readonly SeenValue[];
  /** Whether there are no others. */
  readonly isWhole: boolean;
}

/** A list, and which part of it was requested. */
export interface Listed {
  readonly kind: ListKind;
  readonly filter: Query;
  readonly extent: Extent;
  readonly pages: AsyncIterable<Page>;
}

/** So many values of a list are kept; completions read no more. */
export const MOST_VALUES = 5_000;

/** And so much of them, in code units: a hostile service sends names that are huge, and all would be held to the end. */
const MOST_WEIGHT = 4 * 1_048_576;

const valueIn = {
  properties: ({ id, name }) => ({ value: id, name }),
  roles: ({ name }) => ({ value: name }),
  countries: ({ code, name }) => ({ value: code, name }),
  'user-emails': ({ email }) => ({ value: email }),
  'invitation-emails': ({ email }) => ({ value: email }),
} as const satisfies Record<ListKind, (record: ServiceRecord) => SeenValue>;

/** Keeps what a printed list showed for completions, see docs/adr/0012; an unfinished list keeps nothing. */
export async function rememberList(
  session: Pick<LocalSession, 'context' | 'folders' | 'settings'>,
  seen: Seen,
): Promise<void> {
  await quietly(async () => (await import('./keep.ts')).keepList(session, seen));
}

/** Leaves the names of the profiles behind, and which is active. */
export async function rememberProfiles(folders: Folders): Promise<void> {
  await quietly(async () => (await import('./keep.ts')).keepProfiles(folders));
}

/** Forgets what the lists of a profile left behind: it is gone, or another service now. */
export async function forgetProfile(folders: Folders, name: string): Promise<void> {
  await quietly(async () => (await import('./keep.ts')).dropProfile(folders, name));
}

/** Completions are a courtesy: what goes wrong with them is no business of the command that succeeded. */
async function quietly(work: () => Promise<void>): Promise<void> {
  await work().catch(() => {});
}

/** Passes the pages of a list on, and collects what completions need of them. */
export function watchList({ kind, filter, extent, pages }: Listed) {
  const values: SeenValue[] = [];
  let weight = 0;
  const keep = (record: ServiceRecord) => {
    if (values.length === MOST_VALUES || weight > MOST_WEIGHT) return;
    const value = valueIn[kind](record);
    weight += weightOf(value);
    values.push(value);
  };
  let listed = 0;
  let isCut = Object.values(filter).some((each) => each !== undefined);
  let isRead = false;
  const passing = async function* () {
    let total: number | undefined;
    for await (const page of pages) {
      const records = page.whole ?? page.items;
      for (const record of records) keep(record);
      listed += records.length;
      total = page.total ?? total;
      isCut ||= page.whole === undefined && (page.truncated || extent.pageNumber !== undefined);
      yield page;
    }
    isCut ||= total !== undefined && total > listed;
    isRead = true;
  };
  return { pages: passing(), seen: (): Seen => ({ kind, values, isWhole: isRead && !isCut }) };
}
