import type { Page } from '../records.ts';
import { jsonDocument, ndjsonDocument, type WholeList, wholeList } from './documents.ts';
import { toJson, toJsonLines } from './json.ts';
import type { Facts, Shape } from './output.ts';
import type { Screen, Style } from './styles.ts';

/** So many records of a document are printed in one piece: all of them may be longer than a text can be. */
const PIECE = 1_000;

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
  yield* documentInPieces(await wholeList(pages, beside));
}

/** The text that `document` gives for the whole, whose last field is a list. */
function* documentInPieces(whole: WholeList): Generator<string, void> {
  const { items, ...facts } = whole;
  if (items.length <= PIECE) {
    yield document(whole);
    return;
  }
  const end = document({ items: [0] }).split('0')[1] ?? '';
  for (let start = 0; start < items.length; start += PIECE) {
    const piece = items.slice(start, start + PIECE);
    const isFirst = start === 0;
    const text = document(isFirst ? { ...facts, items: piece } : { items: piece });
    const isLast = start + PIECE >= items.length;
    const upTo = isLast ? text.length : text.length - end.length;
    yield isFirst ? text.slice(0, upTo) : `,${text.slice(text.indexOf('[') + 1, upTo)}`;
  }
}

async function* recordLines(_shape: Shape, pages: AsyncIterable<Page>): AsyncIterable<string> {
  for await (const { items } of pages) {
    if (items.length > 0) yield toJsonLines(items);
  }
}

function document(value: unknown): string {
  return `${toJson(value, { pretty: true })}\n`;
}

function line(value: unknown): string {
  return `${toJson(value, { pretty: false })}\n`;
}
