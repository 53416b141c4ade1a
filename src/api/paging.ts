import { createHash } from 'node:crypto';
import { CliError } from '../errors.ts';
import type { Page, ServiceRecord } from '../records.ts';
import { type FetchPage, readAhead } from './ahead.ts';
import { keepRoomForNewSmall } from './passing.ts';
import type { ListAnswer } from './reading.ts';

/** Records on a page where nobody says. 100 is legal everywhere: the smallest of the known maximum page sizes. */
export const PAGE_SIZE = 100;
/** A walk that comes to more is ended: what it has seen has to fit into memory. */
const MOST_RECORDS = 500_000;
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
    if (number === 2) keepRoomForNewSmall();
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
    `The service listed more than ${MOST_RECORDS} records and goes on: no more of them are read.`,
    { requestId, hint: 'Ask for a part of them, with --limit or --param.' },
  );
}
