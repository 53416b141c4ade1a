import { hash } from 'node:crypto';
import { CliError } from '../model/errors.ts';
import { memoryLimit, type Page, type ServiceRecord } from '../model/records.ts';
import type { Query } from './dialect.ts';

/** The default page size: the smallest of the known maximum page sizes. */
export const PAGE_SIZE = 100;
/** A longer walk ends: the ids that it has seen must fit into memory. */
const MOST_RECORDS = 500_000;
/** Code units; a longer id is kept as a digest. */
const LONGEST_ID = 64;

/** A list from the service: its records, and the total if stated. */
export interface ListAnswer {
  readonly items: readonly ServiceRecord[];
  readonly count: number | undefined;
  /** The service's id of the request. */
  readonly requestId?: string | undefined;
}

/** What part of a list is wanted. */
export interface Extent {
  /** Maximum number of records; default: all. */
  readonly limit?: number | undefined;
  /** Exactly this page, counted from 1. */
  readonly pageNumber?: number | undefined;
  readonly pageSize?: number | undefined;
}

/** What a walk needs besides the pages. */
export interface WalkOptions {
  /** Tells two records apart; without an id the whole record counts. */
  readonly idOf: (record: ServiceRecord) => unknown;
  /** How many pages may be prefetched. Default: none. */
  readonly ahead?: (() => number) | undefined;
  /** Records on a page where the extent does not say. Default: 100. */
  readonly pageSize?: number | undefined;
  /** Called when the pages contradict the count. */
  readonly warn: (sentence: string) => Promise<void>;
}

/**
 * Walks a paged list until the extent is reached or a page has nothing new. Requests have the same page size, so that a
 * service that caps it keeps its pages aligned; a page that is too large is asked for in halves, and so is the rest, unless
 * the extent says the size. Pages that the count promises are prefetched once a second page full of new records has shown
 * that the service pages at all.
 *
 * @throws {CliError} `endless_list` when the service lists more than 500,000 records.
 */
export async function* walk(
  fetchPage: FetchPage,
  extent: Extent,
  options: WalkOptions,
): AsyncGenerator<Page> {
  if (extent.pageNumber !== undefined) {
    const page = { number: extent.pageNumber, size: extent.pageSize ?? PAGE_SIZE };
    const { items, count, requestId } = await fetchPage(page);
    yield { items, total: count, truncated: false, requestId };
    return;
  }
  const { limit = Number.POSITIVE_INFINITY } = extent;
  const ahead = options.ahead ?? (() => 0);
  let size = extent.pageSize ?? Math.min(options.pageSize ?? PAGE_SIZE, limit);
  let read = readAhead(fetchPage, size, ahead);
  const seen = new Set<unknown>();
  let total: number | undefined;
  let [last, longest, offset, overlap] = [1, 0, 0, 0];
  for (let number = 1; ; number += 1) {
    const page = await read(number, last).catch((error) => {
      const isTooLarge = error instanceof CliError && error.code === 'too_large';
      if (!isTooLarge || size === 1 || extent.pageSize !== undefined) throw error;
    });
    if (page === undefined) {
      // A service that caps the size sends no more than the longest page.
      size = Math.max(1, Math.floor(Math.min(size, longest || size) / 2));
      read = readAhead(fetchPage, size, ahead);
      overlap = offset % size;
      number = Math.floor(offset / size);
      last = number + 1;
      continue;
    }
    const { items, count, requestId } = page;
    longest = Math.max(longest, items.length);
    offset += items.length - overlap;
    overlap = 0;
    // A page after the end may count its own records.
    if (items.length > 0 || number === 1) total = count ?? total;
    const fresh = items.filter((record) => isNew(options.idOf(record) ?? record, seen));
    const wanted = fresh.slice(0, limit - (seen.size - fresh.length));
    // A count equal to the size of a full page may be that of the page.
    const isCounted = total !== size || items.length < size;
    const ended = fresh.length === 0 || (isCounted && seen.size === total);
    const truncated = seen.size > limit || (seen.size === limit && !ended && (total ?? 0) > limit);
    if (wanted.length > 0 || truncated || number === 1) yield { items: wanted, total, truncated, requestId };
    // Without a count, the next page tells whether the limit cut anything off.
    if (ended || seen.size > limit || (seen.size === limit && total !== undefined)) break;
    if (seen.size > MOST_RECORDS) {
      const sentence = `The service listed more than ${MOST_RECORDS} records and continues; no more are read.`;
      const hint = 'Ask for a part of them, with --limit or --param.';
      throw new CliError('endless_list', sentence, { requestId, hint });
    }
    last = number > 1 && fresh.length === size ? Math.ceil(Math.min(total ?? 0, limit) / size) : number;
  }
  if (total !== undefined && seen.size < limit && seen.size !== total)
    await options.warn(disagreement(total, seen.size));
}

/**
 * The ways to read a paged list.
 *
 * @param readPage takes the query with the parameters of a page, and when it must be answered.
 * @param pageSize of a whole list.
 */
export function pagedLists(
  readPage: (query: Query, deadline?: number) => Promise<ListAnswer>,
  options: WalkOptions,
  pageSize = PAGE_SIZE,
) {
  const fetching =
    (filter: Query, deadline?: number): FetchPage =>
    ({ number, size }) =>
      readPage({ ...filter, page_size: size, page_number: number }, deadline);
  return {
    /** The list, page by page. @param filter query parameters, in snake_case; the dialect spells those that it knows. */
    list: (filter: Query, extent: Extent): AsyncGenerator<Page> => walk(fetching(filter), extent, options),

    /** All pages of the list; the caller judges a count that disagrees. */
    listAll: (filter: Query = {}, deadline?: number): AsyncGenerator<Page> =>
      walk(fetching(filter, deadline), {}, { ...options, pageSize, warn: async () => {} }),
  };
}

/** A list that the service does not page, in pages; the extent is applied here. @param all the list that it was taken from. */
export async function* whole(
  list: Promise<ListAnswer>,
  extent: Extent,
  warn: WalkOptions['warn'],
  all?: readonly ServiceRecord[],
): AsyncGenerator<Page> {
  const { items, count, requestId } = await list;
  const size = extent.pageSize ?? PAGE_SIZE;
  const start = extent.pageNumber === undefined ? 0 : (extent.pageNumber - 1) * size;
  const end = extent.pageNumber === undefined ? (extent.limit ?? items.length) : start + size;
  if (count !== undefined && count !== items.length) await warn(disagreement(count, items.length));
  const total = items.length;
  const truncated = extent.pageNumber === undefined && end < total;
  const last = Math.min(end, total);
  for (let at = start; at === start || at < last; at += PAGE_SIZE) {
    const part = items.slice(at, Math.min(last, at + PAGE_SIZE));
    yield { items: part, total, truncated, requestId, whole: at === start ? (all ?? items) : [] };
  }
}

function disagreement(count: number, listed: number): string {
  return `The service counts ${count} records and listed ${listed}.`;
}

function isNew(id: unknown, seen: Set<unknown>): boolean {
  const plain = typeof id === 'object' ? JSON.stringify(id) : id;
  const key =
    typeof plain === 'string' && plain.length > LONGEST_ID ? hash('sha256', plain, 'base64url') : plain;
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

/**
 * Reads a list to its end, one page at a time in memory.
 *
 * @param purpose of the list, as the rest of a sentence: `look for properties`.
 * @throws {CliError} `incomplete_list` when a record may be missing; what was listed was seen.
 */
export async function readWhole(
  pages: AsyncIterable<Page>,
  plural: string,
  see: (record: ServiceRecord, requestId?: string) => void,
  purpose = `read all ${plural}`,
): Promise<void> {
  let listed = 0;
  let counted = 0;
  for await (const { items, total = counted, requestId } of pages) {
    for (const item of items) see(item, requestId);
    listed += items.length;
    counted = total;
  }
  if (counted <= listed) return;
  const why = `the service counts ${counted} ${plural} and listed ${listed}`;
  throw new CliError('incomplete_list', `Could not ${purpose}: ${why}.`);
}

/**
 * All records of a list.
 *
 * @param purpose see `readWhole`.
 * @throws {CliError} `incomplete_list` when a record may be missing.
 */
export async function readAll(
  pages: AsyncIterable<Page>,
  plural: string,
  purpose: string,
  claim = memoryLimit(),
): Promise<readonly ServiceRecord[]> {
  const records: ServiceRecord[] = [];
  const keep = (record: ServiceRecord) => {
    claim(record);
    records.push(record);
  };
  await readWhole(pages, plural, keep, purpose);
  return records;
}

/** Fetches one page. */
export type FetchPage = (page: { readonly number: number; readonly size: number }) => Promise<ListAnswer>;

/** Maximum number of prefetched records: they are in memory. */
const MOST_RECORDS_AHEAD = 1_000;

/**
 * Fetches pages in order, and prefetches the next ones meanwhile.
 *
 * @param most how many further pages may be fetched now.
 * @returns takes the number of a page and the last one worth prefetching.
 */
function readAhead(fetchPage: FetchPage, size: number, most: () => number) {
  const started = new Map<number, Promise<ListAnswer>>();
  const start = (number: number) => {
    const page = started.get(number) ?? fetchPage({ number, size });
    started.set(number, page);
    // A page that is not needed must not be an unhandled rejection.
    page.catch(() => {});
    return page;
  };
  return (number: number, last: number): Promise<ListAnswer> => {
    const page = start(number);
    const end = Math.min(last, number + Math.min(most(), Math.floor(MOST_RECORDS_AHEAD / size)));
    for (let next = number + 1; next <= end; next += 1) start(next);
    started.delete(number);
    return page;
  };
}
