import { createHold, listIn, onlyListIn, type Page, type ServiceRecord } from '../model/records.ts';
import { toJson, toJsonLines } from './json-styles.ts';
import type { DocumentParts, Facts } from './output.ts';
import { neutralise, neutraliseLine } from './text.ts';

/** For people, and where no format has a way of its own: the head as lines, a text as it is, everything else as JSON. */
export async function* plainDocument(
  value: unknown,
  { head, more }: DocumentParts,
): AsyncGenerator<string, void> {
  const body = value === undefined ? '' : shown(await whole(value, more));
  if (head === undefined) {
    yield body;
    return;
  }
  const fields = Object.entries(head.headers).map(([name, text]) => neutraliseLine(`${name}: ${text}`));
  yield `${[`HTTP ${head.status}`, ...fields].join('\n')}\n\n${body}`;
}

/** One document, printed when its last page is there. */
export async function* jsonDocument(value: unknown, parts: DocumentParts): AsyncGenerator<string, void> {
  yield `${toJson(await wholeDocument(value, parts), { pretty: true })}\n`;
}

/** One line, or one for each entry of a list as the pages arrive. */
export async function* ndjsonDocument(
  value: unknown,
  { head, more }: DocumentParts,
): AsyncGenerator<string, void> {
  const list = head !== undefined ? undefined : more === undefined ? listIn(value) : onlyListIn(value);
  if (list === undefined) {
    yield toJsonLines([head === undefined ? value : { ...head, body: value }]);
    return;
  }
  yield toJsonLines(list.items);
  for await (const items of more ?? []) yield toJsonLines(items);
}

/** What one document says of the service's answer, once its last page is there. */
export async function wholeDocument(value: unknown, { head, more }: DocumentParts): Promise<unknown> {
  const body = await whole(value, more);
  return head === undefined ? body : { ...head, body };
}

/** A list as one document; what stands beside the records comes first. */
export interface WholeList extends Facts {
  /** As the service counts: with `--limit` and `--page-number` more than there are items. */
  readonly count: number;
  /** Only where `--limit` cut the list. */
  readonly has_more?: true;
  readonly items: readonly ServiceRecord[];
}

/**
 * A list as one document, `{ count, items }`, once its last page is there; with `has_more: true` where it was cut.
 *
 * @param beside stands before them.
 * @throws {CliError} `endless_list` when it is too long to be held.
 */
export async function wholeList(pages: AsyncIterable<Page>, beside: Facts): Promise<WholeList> {
  const items: ServiceRecord[] = [];
  const hold = createHold();
  let total: number | undefined;
  let isCut = false;
  for await (const page of pages) {
    hold(page.items);
    for (const item of page.items) items.push(item);
    total = page.total ?? total;
    isCut ||= page.truncated;
  }
  const count = Math.max(total ?? 0, items.length);
  return { ...beside, count, ...(isCut ? { has_more: true } : {}), items };
}

/** The value with the entries of all pages in its list. */
async function whole(value: unknown, more: DocumentParts['more']): Promise<unknown> {
  const list = more === undefined ? undefined : onlyListIn(value);
  if (more === undefined || list === undefined) return value;
  const items = [...list.items];
  const hold = createHold();
  for await (const page of more) {
    hold(page);
    for (const item of page) items.push(item);
  }
  return list.with(items);
}

function shown(value: unknown): string {
  if (typeof value !== 'string') return `${toJson(value, { pretty: true })}\n`;
  return value.endsWith('\n') ? neutralise(value) : `${neutralise(value)}\n`;
}
