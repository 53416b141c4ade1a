import {
  type ListDocument,
  listIn,
  memoryLimit,
  onlyListIn,
  type Page,
  type ServiceRecord,
} from '../model/records.ts';
import { prettyJson, toJsonLines } from './json.ts';
import type { DocumentParts, Facts } from './output.ts';
import { neutralise, neutraliseLine } from './text.ts';

/** Records of a JSON document that are printed as one piece: all of them may be longer than a string can be. */
const PIECE = 1_000;

/** For people, and for formats without a way of their own: the head as lines, a text as it is, anything else as JSON. */
export async function* plainDocument(value: unknown, { head, more }: DocumentParts) {
  const body = value === undefined ? '' : shown(await whole(value, more));
  const fields = Object.entries(head?.headers ?? {}).map(([name, text]) =>
    neutraliseLine(`${name}: ${text}`),
  );
  yield head === undefined ? body : `${[`HTTP ${head.status}`, ...fields].join('\n')}\n\n${body}`;
}

/** One line, or one for each entry of a list as the pages arrive. */
export async function* ndjsonDocument(value: unknown, { head, more }: DocumentParts) {
  const list = head === undefined ? listOf(value, more) : undefined;
  if (list === undefined) {
    yield toJsonLines([head === undefined ? value : { ...head, body: value }]);
    return;
  }
  yield toJsonLines(list.items);
  for await (const items of more ?? []) yield toJsonLines(items);
}

/** The service's answer as one value, after its last page. */
export async function wholeDocument(value: unknown, { head, more }: DocumentParts): Promise<unknown> {
  const body = await whole(value, more);
  return head === undefined ? body : { ...head, body };
}

/** A list as one document. */
interface WholeList extends Facts {
  readonly items: readonly ServiceRecord[];
}

/**
 * A list as one document, `{ count, items }`, after its last page; with `has_more: true` where `--limit` cut it. The
 * count is the service's: with `--limit` and `--page-number` there are fewer items.
 *
 * @param beside facts that come before them.
 * @throws {CliError} `endless_list` when it is too long to be held.
 */
export async function wholeList(pages: AsyncIterable<Page>, beside: Facts): Promise<WholeList> {
  let total: number | undefined;
  let isCut = false;
  const items = await allOf(pages, (page) => {
    total = page.total ?? total;
    isCut ||= page.truncated;
    return page.items;
  });
  const count = Math.max(total ?? 0, items.length);
  return { ...beside, count, ...(isCut ? { has_more: true } : {}), items };
}

/** A list as one JSON document, in pieces. */
export function* jsonList(list: WholeList): Generator<string, void> {
  const { items, ...facts } = list;
  if (items.length <= PIECE) {
    yield prettyJson(list);
    return;
  }
  const end = prettyJson({ items: [0] }).split('0')[1] ?? '';
  for (let start = 0; start < items.length; start += PIECE) {
    const piece = items.slice(start, start + PIECE);
    const isFirst = start === 0;
    const text = prettyJson(isFirst ? { ...facts, items: piece } : { items: piece });
    const isLast = start + PIECE >= items.length;
    const upTo = isLast ? text.length : text.length - end.length;
    yield isFirst ? text.slice(0, upTo) : `,${text.slice(text.indexOf('[') + 1, upTo)}`;
  }
}

/** The list in an answer of the service: with more pages the only one, else one that makes up the whole answer. */
export function listOf(value: unknown, more: DocumentParts['more']): ListDocument | undefined {
  return more === undefined ? listIn(value) : onlyListIn(value);
}

/** The value with the entries of all pages in its list. */
async function whole(value: unknown, more: DocumentParts['more']): Promise<unknown> {
  const list = more === undefined ? undefined : onlyListIn(value);
  if (more === undefined || list === undefined) return value;
  return list.with([...list.items, ...(await allOf(more, (entries) => entries))]);
}

/** The entries of all pages. @throws {CliError} `endless_list`. */
async function allOf<Each, Item>(pages: AsyncIterable<Each>, itemsOf: (page: Each) => readonly Item[]) {
  const all: Item[] = [];
  const claim = memoryLimit();
  for await (const page of pages) {
    const items = itemsOf(page);
    claim(items);
    for (const item of items) all.push(item);
  }
  return all;
}

function shown(value: unknown): string {
  if (typeof value !== 'string') return prettyJson(value);
  return value.endsWith('\n') ? neutralise(value) : `${neutralise(value)}\n`;
}
