import { type ListDocument, listIn, memoryLimit, onlyListIn, type Page } from '../model/records.ts';
import { prettyJson, toJsonLines } from './json.ts';
import type { DocumentParts, Facts } from './output.ts';
import { neutralise, neutraliseLine } from './text.ts';

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

/**
 * A list as one document, `{ count, items }`, after its last page; with `has_more: true` where `--limit` cut it. The
 * count is the service's: with `--limit` and `--page-number` there are fewer items.
 *
 * @param beside facts that come before them.
 * @throws {CliError} `endless_list` when it is too long to be held.
 */
export async function wholeList(pages: AsyncIterable<Page>, beside: Facts) {
  let total: number | undefined;
  let isCut = false;
  const itemsOf = (page: Page) => {
    total = page.total ?? total;
    isCut ||= page.truncated;
    return page.items;
  };
  const items = await allOf(pages, itemsOf, (page) => page.whole !== undefined);
  const count = Math.max(total ?? 0, items.length);
  return { ...beside, count, ...(isCut ? { has_more: true } : {}), items };
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

/** The entries of all pages. @param isHeld whether it is in memory anyway. @throws {CliError} `endless_list`. */
async function allOf<Each, Item>(
  pages: AsyncIterable<Each>,
  itemsOf: (page: Each) => readonly Item[],
  isHeld: (page: Each) => boolean = () => false,
) {
  const all: Item[] = [];
  const claim = memoryLimit();
  for await (const page of pages) {
    const items = itemsOf(page);
    if (!isHeld(page)) claim(items);
    for (const item of items) all.push(item);
  }
  return all;
}

function shown(value: unknown): string {
  if (typeof value !== 'string') return prettyJson(value);
  return value.endsWith('\n') ? neutralise(value) : `${neutralise(value)}\n`;
}
