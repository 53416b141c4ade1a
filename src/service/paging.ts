import { createHash } from 'node:crypto';
import { setEngineFlags } from '../cli/engine.ts';
import { CliError } from '../cli/errors.ts';
import type { Page, ServiceRecord } from '../model/records.ts';
import type { ListAnswer } from './reading.ts';

/** The default page size. 100 is legal everywhere: the smallest of the known maximum page sizes. */
export const PAGE_SIZE = 100;
/** A walk that comes to more is ended: what it has seen has to fit into memory. */
const MOST_RECORDS = 500_000;
/**
 * Keeps the part of V8's heap for new objects at the few megabytes that it has. Of a long list nearly all is garbage a page later, and
 * V8 would let that part grow to 32 MB; to clear a small one more often takes no longer.
 */
const HEAP_FLAG = '--semi-space-growth-factor=1';
/** Code units; of a longer id only the digest is kept. */
const LONGEST_ID = 64;

/** What part of a list is wanted. */
export interface Extent {
  /** At most so many records; default: all of them. */
  readonly limit?: number | undefined;
  /** Exactly this page, counted from 1. */
  readonly pageNumber?: number | undefined;
  readonly pageSize?: number | undefined;
}

/** What a walk needs besides the pages. */
export interface WalkOptions {
  /** Tells two records apart; `undefined` or `null` where the record shows no id: then all of it counts. */
  readonly idOf: (record: ServiceRecord) => unknown;
  /** How many pages may be under way besides the one that is waited for. Default: none. */
  readonly ahead?: (() => number) | undefined;
  /** Called when the pages contradict the count. */
  readonly warn: (sentence: string) => Promise<void>;
}

/**
 * Walks a paged list, page by page, until the extent is reached or a page brings nothing new.
 * Page sizes are the same on every request, so that a service that caps them keeps its pages aligned.
 * Pages are read ahead where the count says that they are there, once a second page has shown that the service pages
 * at all: it was full of new records.
 *
 * @throws {CliError} `endless_list` when the service lists more than 500,000 records.
 */
export async function* walk(
  fetchPage: FetchPage,
  extent: Extent,
  options: WalkOptions,
): AsyncGenerator<Page> {
  if (extent.pageNumber !== undefined) {
    yield await onePage(fetchPage, extent.pageNumber, extent.pageSize ?? PAGE_SIZE);
    return;
  }
  const { limit = Number.POSITIVE_INFINITY } = extent;
  const size = extent.pageSize ?? Math.min(PAGE_SIZE, limit);
  const read = readAhead(fetchPage, size, options.ahead ?? (() => 0));
  const seen = new Set<unknown>();
  let total: number | undefined;
  let last = 1;
  for (let number = 1; ; number += 1) {
    const { items, count, requestId } = await read(number, last);
    // What a page behind the end counts may be its own records.
    if (items.length > 0 || number === 1) total = count ?? total;
    const fresh = items.filter((record) => isNew(options.idOf(record) ?? record, seen));
    const wanted = fresh.slice(0, limit - (seen.size - fresh.length));
    // A count that is the size of a full page may be that of the page.
    const isCounted = total !== size || items.length < size;
    const ended = fresh.length === 0 || (isCounted && seen.size === total);
    const truncated = seen.size > limit || (seen.size === limit && !ended && (total ?? 0) > limit);
    if (wanted.length > 0 || truncated || number === 1) yield { items: wanted, total, truncated, requestId };
    // Where nothing counts, the next page tells whether the limit cut anything off.
    if (ended || seen.size > limit || (seen.size === limit && total !== undefined)) break;
    if (seen.size > MOST_RECORDS) throw endless(requestId);
    if (number === 2) setEngineFlags(HEAP_FLAG);
    last = number > 1 && fresh.length === size ? Math.ceil(Math.min(total ?? 0, limit) / size) : number;
  }
  if (total !== undefined && seen.size < limit && seen.size !== total) {
    await options.warn(disagreement(total, seen.size));
  }
}

/** A list that the service does not page: the extent is applied here. */
export async function* whole(
  list: Promise<ListAnswer>,
  extent: Extent,
  warn: WalkOptions['warn'],
): AsyncGenerator<Page> {
  const { items, count, requestId } = await list;
  const size = extent.pageSize ?? PAGE_SIZE;
  const start = extent.pageNumber === undefined ? 0 : (extent.pageNumber - 1) * size;
  const end = extent.pageNumber === undefined ? (extent.limit ?? items.length) : start + size;
  if (count !== undefined && count !== items.length) await warn(disagreement(count, items.length));
  const total = items.length;
  yield {
    items: items.slice(start, end),
    total,
    truncated: extent.pageNumber === undefined && end < items.length,
    requestId,
    whole: items,
  };
}

function disagreement(count: number, listed: number): string {
  return `The service counts ${count} records and listed ${listed}.`;
}

async function onePage(fetchPage: FetchPage, number: number, size: number): Promise<Page> {
  const { items, count, requestId } = await fetchPage({ number, size });
  return { items, total: count, truncated: false, requestId };
}

function isNew(id: unknown, seen: Set<unknown>): boolean {
  const plain = typeof id === 'object' ? JSON.stringify(id) : id;
  const key = typeof plain === 'string' && plain.length > LONGEST_ID ? digestOf(plain) : plain;
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function endless(requestId: string | undefined): CliError {
  return new CliError(
    'endless_list',
    `The service listed more than ${MOST_RECORDS} records and continues; no more are read.`,
    { requestId, hint: 'Ask for a part of them, with --limit or --param.' },
  );
}

/** A list that brings more is not read further: nothing can be concluded from its end. */
const MOST_LISTED = 1_000_000;

/**
 * Reads a list to its end, one page at a time in memory.
 *
 * @param see is given each record.
 * @returns why a record may be missing, as a clause; `undefined` when the list is whole.
 */
export async function readWhole(
  pages: AsyncIterable<Page>,
  plural: string,
  see: (record: ServiceRecord) => void,
): Promise<string | undefined> {
  let listed = 0;
  let counted: number | undefined;
  for await (const { items, total } of pages) {
    for (const item of items) see(item);
    listed += items.length;
    counted = total ?? counted;
    if (listed > MOST_LISTED) return `the service lists ${plural} without an end`;
  }
  if (counted === undefined || counted <= listed) return undefined;
  return `the service counts ${counted} ${plural} and listed ${listed}`;
}

/** Fetches one page. */
export type FetchPage = (page: { readonly number: number; readonly size: number }) => Promise<ListAnswer>;

/** So many records may be read ahead at most: all of them are in memory. */
const MOST_RECORDS_AHEAD = 1_000;

/**
 * Fetches pages in their order, and begins with the next ones while the service is still busy with this one.
 *
 * @param most how many further pages may be under way now; 0: one page at a time.
 * @returns takes the number of a page and that of the last one worth beginning. A page that was begun and is never
 *   asked for goes unread, whatever becomes of it.
 */
function readAhead(
  fetchPage: FetchPage,
  size: number,
  most: () => number,
): (number: number, last: number) => Promise<ListAnswer> {
  const begun = new Map<number, Promise<ListAnswer>>();
  const begin = (number: number) => {
    const page = begun.get(number) ?? fetchPage({ number, size });
    begun.set(number, page);
    // A page that is never asked for must not be an unhandled rejection.
    page.catch(() => {});
    return page;
  };
  return (number, last) => {
    const page = begin(number);
    const end = Math.min(last, number + Math.min(most(), Math.floor(MOST_RECORDS_AHEAD / size)));
    for (let next = number + 1; next <= end; next += 1) begin(next);
    begun.delete(number);
    return page;
  };
}
