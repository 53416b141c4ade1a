import type { Page, ServiceRecord } from '../records.ts';

/** A list that brings more is not read further: nothing can be concluded from its end. */
const MOST_LISTED = 1_000_000;

/**
 * Reads a list to its end, one page at a time in memory.
 *
 * @param see is given each record.
 * @returns why a record may be missing all the same, as a clause; `undefined` when the list is whole.
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
