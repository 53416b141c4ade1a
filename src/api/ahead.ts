import type { ListAnswer } from './reading.ts';

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
export function readAhead(
  fetchPage: FetchPage,
  size: number,
  most: () => number,
): (number: number, last: number) => Promise<ListAnswer> {
  const begun = new Map<number, Promise<ListAnswer>>();
  const begin = (number: number) => {
    const page = begun.get(number) ?? fetchPage({ number, size });
    begun.set(number, page);
    // Whoever asks for it hears of its failure; nobody may.
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
