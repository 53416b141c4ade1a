import type { Page } from '../records.ts';
import { jsonDocument, ndjsonDocument, wholeList } from './documents.ts';
import { toJson } from './json.ts';
import type { Facts, Shape } from './output.ts';
import type { Screen, Style } from './styles.ts';

/** One document; a list is `{ count, items }`, printed when its last page is there. */
export const jsonStyle: Style = {
  inCells: false,
  showsEmpty: true,
  isJson: true,
  list: listDocument,
  record: async (_shape, record) => document(record),
  document: jsonDocument,
  facts: async (facts) => document(facts),
  line: async (facts) => line(facts),
};

/** One record a line, as the pages arrive. */
export const ndjsonStyle: Style = {
  inCells: false,
  showsEmpty: false,
  isJson: true,
  list: recordLines,
  record: async (_shape, record) => line(record),
  document: ndjsonDocument,
  facts: async (facts) => line(facts),
  line: async (facts) => line(facts),
};

async function* listDocument(
  _shape: Shape,
  pages: AsyncIterable<Page>,
  _screen: Screen,
  beside: Facts,
): AsyncIterable<string> {
  yield document(await wholeList(pages, beside));
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
