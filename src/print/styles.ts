import {
  allOf,
  type ListDocument,
  listIn,
  onlyListIn,
  type Page,
  type ServiceRecord,
  withoutHoles,
} from '../model/records.ts';
import { cellsOf, csvText, exactWording, fieldsOf } from './cells.ts';
import type { Destination, DocumentParts, Facts, Format, ListForm, Remark, Shape } from './output.ts';
import { asItIs } from './paint.ts';
import { neutralise, neutraliseLine, prettyJson, prettyList, toJsonLines } from './text.ts';

/** One format, for one destination: texts for stdout, neutralised and ended by a newline. */
export interface Style {
  /** Shows records in cells: fields that were asked for are columns and rows, otherwise they keep their nesting. */
  readonly inCells: boolean;
  /** Prints something for an empty list too. */
  readonly showsEmpty: boolean;
  /** Prints a sentence about a write on stderr even if stdout has its facts. */
  readonly printsSentence: boolean;
  /**
   * The list in pieces, to be written as they come. A remark is for stderr.
   *
   * @param beside facts for a document, before the records.
   */
  readonly list: (shape: Shape, pages: AsyncIterable<Page>, beside: Facts) => AsyncIterable<string | Remark>;
  readonly record: (shape: Shape, record: ServiceRecord) => Promise<string>;
  /** The service's answer, in pieces. */
  readonly document: (value: unknown, parts: DocumentParts) => AsyncIterable<string>;
  /**
   * What a write did, a request that was not sent, or facts in place of a line of text; `undefined` where the format has
   * the sentence or the text instead.
   */
  readonly facts: (facts: Facts, of: 'write' | 'unsent' | 'line') => Promise<string | undefined>;
}

/** Facts as a record. */
export const factShape: Shape = { noun: ['result', 'results'], columns: [] };

const forPeople = {
  inCells: true,
  showsEmpty: false,
  printsSentence: true,
  document: plainDocument,
  facts: async () => undefined,
};

/** A list is a table or cards, a single record a card with every field; in md both are tables. */
function drawn(form: ListForm, destination: Destination): Style {
  return {
    ...forPeople,
    async *list(shape, pages) {
      const { gathered, isAsked } = shape;
      if (gathered !== undefined && isAsked !== true)
        yield* (await import('./table.ts')).matrixOf(gathered, pages, form, destination);
      else yield* (await import('./table.ts')).listOf(form, shape, pages, destination);
    },
    record: async (shape, record) => (await import('./table.ts')).cardOf(form, shape, record, destination),
  };
}

type Rows = readonly (readonly string[])[];

/** For spreadsheets. On a terminal a line within a cell would look like a row of its own. */
function csv({ headers, isTerminal }: Destination): Style {
  const neutral = isTerminal ? neutraliseLine : neutralise;
  const style = inRows((rows) => csvText(rows.map((cells) => cells.map(neutral))), headers);
  return {
    ...style,
    printsSentence: false,
    facts: (facts) => style.record(factShape, withoutHoles(facts)),
  };
}

/** Inside a cell a backslash is `\\`, so the escapes for tab, newline and controls can be read back. */
function tsvText(rows: Rows): string {
  const cell = (text: string) => neutraliseLine(text.replaceAll('\\', '\\\\'));
  return rows.map((cells) => `${cells.map(cell).join('\t')}\n`).join('');
}

/**
 * Rows of cells, nothing cut, dates as they came; a single record is rows of field and value.
 *
 * @param hasHead whether they begin with the names of the fields.
 */
function inRows(textOf: (rows: Rows) => string, hasHead: boolean): Style {
  return {
    ...forPeople,
    async *list({ columns, inCells = asItIs }, pages) {
      let head = hasHead ? [columns.map(({ field }) => field)] : [];
      for await (const { items } of pages) {
        if (items.length === 0) continue;
        yield textOf([...head, ...items.map((item) => cellsOf(inCells(item), columns, exactWording))]);
        head = [];
      }
      if (head.length > 0) yield textOf(head);
    },
    async record({ columns, inCells = asItIs }, record) {
      const rows = fieldsOf(inCells(record), columns, exactWording).map(({ path, text }) => [path, text]);
      return textOf([...(hasHead ? [['field', 'value']] : []), ...rows]);
    },
  };
}

/** A format whose results are each one value, printed when all of it is there. A list is `{ count, items }`. */
export function valueStyle(print: (value: unknown) => string | Promise<string>): Style {
  return {
    inCells: false,
    showsEmpty: true,
    printsSentence: false,
    async *list(_shape, pages, beside) {
      yield print(await wholeList(pages, beside));
    },
    record: async (_shape, record) => print(record),
    async *document(value, parts) {
      yield print(await wholeDocument(value, parts));
    },
    facts: async (facts) => print(facts),
  };
}

const jsonStyle: Style = {
  ...valueStyle(prettyJson),
  async *list(_shape, pages, beside) {
    yield* prettyList(await wholeList(pages, beside));
  },
  facts: async (facts, of) => (of === 'line' ? jsonLine(facts) : prettyJson(facts)),
};

/** One record a line, as the pages arrive. */
const ndjsonStyle: Style = {
  ...valueStyle(jsonLine),
  showsEmpty: false,
  async *list(_shape, pages) {
    for await (const { items } of pages) if (items.length > 0) yield toJsonLines(items);
  },
  document: ndjsonDocument,
};

function jsonLine(value: unknown): string {
  return toJsonLines([value]);
}

/** Every format. */
export const styles: Readonly<Record<Format, (destination: Destination) => Style>> = {
  table: (destination) => drawn('table', destination),
  wide: (destination) => drawn('wide', destination),
  cards: (destination) => drawn('cards', destination),
  json: () => jsonStyle,
  ndjson: () => ndjsonStyle,
  csv,
  tsv: () => inRows(tsvText, false),
  yaml: () => valueStyle(async (value) => (await import('./yaml.ts')).toYaml(value)),
  // As in a pipe, wherever it goes.
  md: (destination) => drawn('md', { ...destination, isTerminal: false, colour: false }),
};

/** Whether this is the name of a format that is JSON: errors are JSON as well then, and there are no prompts. */
export function isJsonFormat(name: string | undefined): boolean {
  return name === 'json' || name === 'ndjson';
}

/** For people, and for formats without a way of their own: the head as lines, a text as it is, anything else as JSON. */
async function* plainDocument(value: unknown, { head, more }: DocumentParts) {
  const body = value === undefined ? '' : shown(await whole(value, more));
  const fields = Object.entries(head?.headers ?? {}).map(([name, text]) =>
    neutraliseLine(`${name}: ${text}`),
  );
  yield head === undefined ? body : `${[`HTTP ${head.status}`, ...fields].join('\n')}\n\n${body}`;
}

/** One line, or one for each entry of a list as the pages arrive. */
async function* ndjsonDocument(value: unknown, { head, more }: DocumentParts) {
  const list = head === undefined ? answeredList(value, more) : undefined;
  if (list === undefined) {
    yield toJsonLines([head === undefined ? value : { ...head, body: value }]);
    return;
  }
  yield toJsonLines(list.items);
  for await (const items of more ?? []) yield toJsonLines(items);
}

/** The service's answer as one value, after its last page. */
async function wholeDocument(value: unknown, { head, more }: DocumentParts): Promise<unknown> {
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
export function answeredList(value: unknown, more: DocumentParts['more']): ListDocument | undefined {
  return more === undefined ? listIn(value) : onlyListIn(value);
}

/** The value with the entries of all pages in its list. */
async function whole(value: unknown, more: DocumentParts['more']): Promise<unknown> {
  const list = more === undefined ? undefined : onlyListIn(value);
  if (more === undefined || list === undefined) return value;
  return list.with([...list.items, ...(await allOf(more, (entries) => entries))]);
}

function shown(value: unknown): string {
  if (typeof value !== 'string') return prettyJson(value);
  return value.endsWith('\n') ? neutralise(value) : `${neutralise(value)}\n`;
}
