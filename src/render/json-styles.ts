import type { Page, ServiceRecord } from '../records.ts';
import { jsonDocument, ndjsonDocument } from './documents.ts';
import { toJson } from './json.ts';
import type { Shape } from './output.ts';
import type { Style } from './styles.ts';

/** One document; a list is `{ count, items }`, printed when its last page is there. */
export const jsonStyle: Style = {
  list: listDocument,
  record: async (_shape, record) => document(record),
  document: jsonDocument,
  facts: document,
};

/** One record a line, as the pages arrive. */
export const ndjsonStyle: Style = {
  list: recordLines,
  record: async (_shape, record) => line(record),
  document: ndjsonDocument,
  facts: line,
};

async function* listDocument(_shape: Shape, pages: AsyncIterable<Page>): AsyncIterable<string> {
  const items: ServiceRecord[] = [];
  let total: number | undefined;
  for await (const page of pages) {
    for (const item of page.items) items.push(item);
    total = page.total ?? total;
  }
  yield document({ count: Math.max(total ?? 0, items.length), items });
}

async function* recordLines(_shape: Shape, pages: AsyncIterable<Page>): AsyncIterable<string> {
  for await (const { items } of pages) {
    if (items.length > 0) yield items.map(line).join('');
  }
}

function document(value: unknown): string {
  return `${toJson(value, { pretty: true })}\n`;
}

function line(value: unknown): string {
  return `${toJson(value, { pretty: false })}\n`;
}
