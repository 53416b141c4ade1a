import type { Page, ServiceRecord } from '../records.ts';
import type { Column, Output, Shape } from '../render/output.ts';
import { neutraliseLine } from '../render/text.ts';

/**
 * Prints a short list of records that the contract does not show. Tables have those of the shape's columns that a
 * record has, and the first one always; where no record has that one, the plain fields of the first record.
 */
export async function printOpenList(out: Output, shape: Shape, pages: AsyncIterable<Page>): Promise<void> {
  const read: Page[] = [];
  for await (const page of pages) read.push(page);
  const columns = columnsFor(
    read.flatMap(({ items }) => items),
    shape.columns,
  );
  await out.records({ ...shape, columns }, again(read));
}

async function* again(pages: readonly Page[]): AsyncGenerator<Page> {
  yield* pages;
}

function columnsFor(records: readonly ServiceRecord[], columns: readonly Column[]): readonly Column[] {
  const isShown = ({ field }: Column) => records.some((record) => Object.hasOwn(record, field));
  const [first, ...others] = columns;
  if (first === undefined) return [];
  const plain = isShown(first) ? [] : plainFields(records[0] ?? {});
  return plain.length > 0 ? plain : [first, ...others.filter(isShown)];
}

function plainFields(record: ServiceRecord): readonly Column[] {
  return Object.entries(record)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([field]) => ({ field, header: neutraliseLine(field) }));
}
